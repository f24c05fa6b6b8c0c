/**
 * Guards against side effects of read-only commands. Most of these are not prevented by a single guard: then the edit does not remove a
 * guard, but adds the side effect.
 */
import type { Guard } from './guard.ts';

const LOOKING = 'harness/test/looking-commands.test.ts';
const NOTHING = 'nothing that a file names is started or imported';
const PAGES = 'report, recheck and merge start nothing, reach nothing, and write pages into the folder that is named';
const RECORDS = 'record reads an audit log, and writes its recording alone';
const CORPUS = 'corpus lists, explains, keeps and removes entries, and no other file';
const DRY = 'init --dry-run asks the interpreter of the system alone, and writes nothing';
const DOCTOR = 'doctor asks tools of the machine for their versions, reaches loopback alone, and leaves nothing';
const LISTS = 'list, completion and clean start nothing, reach nothing and write nothing';
const SERVES = 'serve starts and reaches nothing by itself, and writes what it is told and its own note';

const ADDED = 'no code does this; the edit adds it';
/** No server listens on this port. fetch refuses some ports, such as 9, without connecting. */
const REACHES = "await fetch('http://127.0.0.1:65535').catch(() => {});";

export const COMMAND_GUARDS: readonly Guard[] = [
  {
    name: 'doctor imports no target of the configuration',
    file: 'harness/cli/doctor/project.ts',
    before: '          const config = resolveRun(options, { cwd, configFile });\n',
    after:
      '          const config = resolveRun(options, { cwd, configFile });\n          if (options.target !== undefined) await import(resolve(cwd, options.target));\n',
    reason: ADDED,
    noticedBy: [LOOKING, NOTHING],
  },
  {
    name: 'corpus promote imports no target of a counterexample',
    file: 'harness/cli/corpus/promote.ts',
    before: "  const isFile = what.includes('/') || existsSync(what);\n",
    after:
      "  const isFile = what.includes('/') || existsSync(what);\n  const { target } = entryFrom(what, console.cwd, home);\n  if ('module' in target) await import(join(console.cwd, target.module));\n",
    reason: ADDED,
    noticedBy: [LOOKING, NOTHING],
  },
  {
    name: 'report starts no target of a record',
    file: 'harness/cli/commands/report.ts',
    before: '  const record = decodeRecord(text, file);\n',
    after:
      "  const record = decodeRecord(text, file);\n  if ('command' in record.counterexample.target) spawn(record.counterexample.target.command[0] ?? '');\n",
    reason: ADDED,
    noticedBy: [LOOKING, PAGES],
  },
  {
    name: 'report writes where --out says',
    file: 'harness/cli/commands/report.ts',
    before: '  if (out !== undefined) return folder ? join(out, name) : out;\n',
    after: '',
    noticedBy: [LOOKING, PAGES],
  },
  {
    name: 'recheck reaches nothing',
    file: 'harness/cli/commands/recheck.ts',
    before: '  const rows = recordFiles(path)',
    after: `  ${REACHES}\n  const rows = recordFiles(path)`,
    reason: ADDED,
    noticedBy: [LOOKING, PAGES],
  },
  {
    name: 'merge writes where --output says',
    file: 'harness/cli/commands/merge.ts',
    before: 'const folder = resolve(console.cwd, output);',
    after: "const folder = resolve(console.cwd, '.stalemate');",
    noticedBy: [LOOKING, PAGES],
  },
  {
    name: 'record --audit-log writes one file',
    file: 'harness/cli/commands/record.ts',
    before: '  writeWhole(resolve(console.cwd, out), encodeRecording(redacted));\n',
    after:
      "  writeWhole(resolve(console.cwd, out), encodeRecording(redacted));\n  writeWhole(resolve(console.cwd, 'raw.json'), encodeRecording(recording));\n",
    reason: ADDED,
    noticedBy: [LOOKING, RECORDS],
  },
  {
    name: 'record --audit-log reaches nothing',
    file: 'harness/cli/commands/record.ts',
    before: '  if (auditLog !== undefined) {\n',
    after: `  if (auditLog !== undefined) {\n    ${REACHES}\n`,
    reason: ADDED,
    noticedBy: [LOOKING, RECORDS],
  },
  {
    name: 'corpus writes to its own folder',
    file: 'harness/cli/corpus/folder.ts',
    before: '): string {\n  const path = join(folder, `${name}.json`);',
    after: "): string {\n  const path = join(folder, '..', `${name}.json`);",
    noticedBy: [LOOKING, CORPUS],
  },
  {
    name: 'corpus prune removes only the named entries',
    file: 'harness/cli/corpus/prune.ts',
    before: '    if (!dryRun) removeEntry(folder, name);\n',
    after: '    if (!dryRun) for (const one of kept) removeEntry(folder, one.name);\n',
    noticedBy: [LOOKING, CORPUS],
  },
  {
    name: 'init --dry-run writes nothing',
    file: 'harness/cli/commands/init.ts',
    before: '    print(filesText(plan));\n    return EXIT.holds;\n',
    after: '    print(filesText(plan));\n    writePlan(plan.files, console);\n    return EXIT.holds;\n',
    noticedBy: [LOOKING, DRY],
  },
  {
    name: 'init --dry-run asks no interpreter of the project',
    file: 'harness/cli/init/prepare.ts',
    before: "canImport('python3', module, cwd)",
    after: "canImport('./python3', module, cwd)",
    noticedBy: [LOOKING, DRY],
  },
  {
    name: 'doctor reports an invalid configuration',
    file: 'harness/cli/doctor/project.ts',
    before: "await probed('configuration', true, async () => {",
    after: "await probed('configuration', false, async () => {",
    noticedBy: ['harness/cli/doctor.test.ts', 'says of a configuration what is wrong with it'],
  },
  {
    name: 'doctor reaches loopback by its address',
    file: 'harness/cli/doctor/host.ts',
    before: "const socket = connect(port, '127.0.0.1');",
    after: "const socket = connect(port, 'localhost');",
    noticedBy: [LOOKING, DOCTOR],
  },
  {
    name: 'doctor removes what it writes to try a folder',
    file: 'harness/cli/doctor/project.ts',
    before: '    rmSync(probe, { force: true });\n',
    after: '',
    noticedBy: [LOOKING, DOCTOR],
  },
  {
    name: 'doctor starts no target of the configuration',
    file: 'harness/cli/doctor/project.ts',
    before: "          const { resolveRun } = await import('../library.ts');\n",
    after:
      "          const { resolveRun } = await import('../library.ts');\n          if (options.command !== undefined) process.getBuiltinModule('node:child_process').spawnSync(options.command[0] ?? '');\n",
    reason: ADDED,
    noticedBy: [LOOKING, DOCTOR],
  },
  {
    name: 'doctor reads no kubeconfig',
    file: 'harness/cli/doctor/project.ts',
    before: "  const reports = resolve(cwd, options.reportDir ?? '.stalemate');\n",
    after:
      "  const reports = resolve(cwd, options.reportDir ?? '.stalemate');\n  process.getBuiltinModule('node:fs').readFileSync(process.env['KUBECONFIG'] ?? '');\n",
    reason: ADDED,
    noticedBy: [LOOKING, DOCTOR],
  },
  {
    name: 'list starts nothing',
    file: 'harness/cli/commands/list.ts',
    before: '      const entries = await entriesOf(what);\n',
    after:
      "      const entries = await entriesOf(what);\n      process.getBuiltinModule('node:child_process').spawnSync('true');\n",
    reason: ADDED,
    noticedBy: [LOOKING, LISTS],
  },
  {
    name: 'completion writes nothing',
    file: 'harness/cli/commands/completion.ts',
    before: "      const { SCRIPTS } = await import('../completion/scripts.ts');\n",
    after:
      "      const { SCRIPTS } = await import('../completion/scripts.ts');\n      process.getBuiltinModule('node:fs').writeFileSync(`${process.env['HOME']}/.bashrc`, '');\n",
    reason: ADDED,
    noticedBy: [LOOKING, LISTS],
  },
  {
    name: 'clean reaches no cluster that it has not recorded',
    file: 'harness/cli/commands/clean.ts',
    before: '  for (const { footprint, head, isAlive } of leftFootprints()) {\n',
    after: `  ${REACHES}\n  for (const { footprint, head, isAlive } of leftFootprints()) {\n`,
    reason: ADDED,
    noticedBy: [LOOKING, LISTS],
  },
  {
    name: 'serve writes where --write-kubeconfig says',
    file: 'harness/cli/commands/serve.ts',
    before: 'writeWhole(flags.writeKubeconfig, await kubeconfigText(http.url, security), PRIVATE);',
    after:
      "writeWhole(process.env['KUBECONFIG'] ?? flags.writeKubeconfig, await kubeconfigText(http.url, security), PRIVATE);",
    noticedBy: [LOOKING, SERVES],
  },
  {
    name: 'serve reaches nothing by itself',
    file: 'harness/cli/commands/serve.ts',
    before: '  server.boot(http.port);\n',
    after: `  server.boot(http.port);\n  ${REACHES}\n`,
    reason: ADDED,
    noticedBy: [LOOKING, SERVES],
  },
  {
    name: 'serve reads no kubeconfig',
    file: 'harness/cli/commands/serve.ts',
    before: '  const given = await tokensOf(flags);\n',
    after:
      "  const given = await tokensOf(flags);\n  if (process.env['KUBECONFIG'] !== undefined) readText(process.env['KUBECONFIG'], 'kubeconfig');\n",
    reason: ADDED,
    noticedBy: [LOOKING, SERVES],
  },
];
