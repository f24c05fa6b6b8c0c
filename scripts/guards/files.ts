/** Guards against commands, modules and links that untrusted files and repositories name. */
import type { Guard } from './guard.ts';

const STORED = 'harness/cli/stored-target.test.ts';
const STRANGERS = 'harness/cli/init/strangers.test.ts';
const CORPUS = 'harness/cli/strangers-corpus.test.ts';
const WRITES = 'harness/report/write-files.test.ts';

export const FILE_GUARDS: readonly Guard[] = [
  {
    name: 'the corpus leaves out entries of another target',
    file: 'harness/execution/replay/revisit.ts',
    before: 'if (!isAbout(named.entry.target, config)) {',
    after: 'if (false) {',
    noticedBy: [CORPUS, 'start and import nothing that they name, and are left out: %s'],
  },
  {
    name: 'a replay asks before it starts a target from a file',
    file: 'harness/cli/stored-target.ts',
    before: 'if (!trusted && !(await user.ask(`${whatText(shown)}; start it? [y/N] `))) {',
    after: "if (!trusted && whatText(shown) === '') {",
    noticedBy: [STORED, 'runs no command', 'is refused, with what it is'],
  },
  {
    name: 'a replay starts nothing outside of the folder',
    file: 'harness/cli/stored-target.ts',
    before: '  refuseOutside(stored, folder);\n',
    after: '',
    noticedBy: [STORED, 'is refused outside the folder, trusted or not: %s'],
  },
  {
    name: 'a replay follows links before it says where a target is',
    file: 'harness/cli/stored-target.ts',
    before: 'existsSync(place) ? realpathSync(place) : place',
    after: 'place',
    noticedBy: [STORED, 'is refused outside the folder, trusted or not: a link'],
  },
  {
    name: 'a replay reads no network from the file',
    file: 'harness/cli/stored-target.ts',
    before: "  return { target: stored, network: network ?? 'none' };\n}",
    after:
      "  return { target: stored, network: network ?? ('network' in stored ? stored.network : undefined) ?? 'none' };\n}",
    noticedBy: [STORED, 'cannot reach the network of the host, whatever the file says'],
  },
  {
    name: 'a replay of a configured target reads no network from the file',
    file: 'harness/cli/stored-target.ts',
    before: "return { target: own, network: network ?? 'none' };",
    after: "return { target: own, network: network ?? ('network' in own ? own.network : undefined) ?? 'none' };",
    noticedBy: [STORED, 'cannot reach the network of the host either, unless the user says so'],
  },
  {
    name: 'the report folder has no links in place of its folders',
    file: 'harness/report/write-files.ts',
    before: "  for (const name of OWN_FOLDERS) refuseLink(join(folder, name), '--report-dir');\n",
    after: '',
    noticedBy: [WRITES, 'is written through by nobody'],
  },
  {
    name: 'a file is not written through a link in place of its folder',
    file: 'harness/report/write-files.ts',
    before: '  refuseLinks(dirname(path), flag);\n',
    after: '',
    noticedBy: [
      WRITES,
      'is written through by nobody',
      'is not followed where a repository brings it along: %s, for %s',
    ],
  },
  {
    name: 'a link in place of .stalemate is refused',
    file: 'harness/report/write-files.ts',
    before: '  for (const one of [folder, dirname(folder)]) if (basename(one) === HOME) refuseLink(one, flag);\n',
    after: '',
    noticedBy: [WRITES, 'is not followed where a repository brings it along: .stalemate, for soak/soak.jsonl'],
  },
  {
    name: 'the search for unfinished files follows no links',
    file: 'harness/report/read-files.ts',
    before: '(entry.isDirectory() ? open : files)',
    after: '(entry.isDirectory() || entry.isSymbolicLink() ? open : files)',
    noticedBy: [WRITES, 'is not followed when what was left unfinished is removed'],
  },
  {
    name: 'a corpus entry is not removed through a link',
    file: 'harness/cli/corpus/folder.ts',
    before: "  refuseLinks(folder, '--corpus');\n",
    after: '',
    noticedBy: [CORPUS, 'are not removed through a link in place of their folder'],
  },
  {
    name: 'names of files have letters and digits only',
    file: 'harness/report/title.ts',
    before: ".replaceAll(/[^a-z0-9]+/g, '-')",
    after: '',
    noticedBy: ['harness/report/title.test.ts', 'makes a file name of a property called %j that stays in its folder'],
  },
  {
    name: 'a page replaces pages only',
    file: 'harness/cli/commands/report.ts',
    before: '      if (out !== undefined) requireOurs(page, relative(cwd, page));\n',
    after: '',
    noticedBy: ['harness/cli/bad-files.test.ts', 'writes no page over a file that is none'],
  },
  {
    name: 'init asks the interpreter outside of the project',
    file: 'harness/cli/init/prepare.ts',
    before: 'cwd: parse(cwd).root',
    after: 'cwd',
    noticedBy: [STRANGERS, 'imports no module of the project to find the interpreter that has one'],
  },
  {
    name: 'init renders no kustomization with an address',
    file: 'harness/cli/init/kustomizations.ts',
    before: 'entries === undefined || entries.some((entry) => REMOTE.test(entry))',
    after: 'entries === undefined',
    noticedBy: [STRANGERS, 'does not render %j, where that asks the network'],
  },
  {
    name: 'init renders no kustomization that it cannot read',
    file: 'harness/cli/init/kustomizations.ts',
    before: 'entries === undefined || entries.some((entry) => REMOTE.test(entry))',
    after: 'entries?.some((entry) => REMOTE.test(entry)) === true',
    noticedBy: [STRANGERS, 'does not render "resources: [", where that asks the network'],
  },
  {
    name: 'init writes only inside the project',
    file: 'harness/cli/init/write.ts',
    before: 'if (leadsOut(path, cwd))',
    after: 'if (false)',
    noticedBy: [
      STRANGERS,
      'writes through no link in place of %s',
      'makes no folder through a link, and writes through those that stay inside',
    ],
  },
  {
    name: 'init looks for links in place of folders too',
    file: 'harness/cli/init/write.ts',
    before: "const parts = path.split('/');",
    after: 'const parts = [path];',
    noticedBy: [STRANGERS, 'makes no folder through a link, and writes through those that stay inside'],
  },
  {
    name: 'init reads only inside the project',
    file: 'harness/cli/init/repository.ts',
    before: "leadsInto(root, join(root, path)) ? textOf(join(root, path)) : ''",
    after: 'textOf(join(root, path))',
    noticedBy: [STRANGERS, 'reads nothing outside of the project'],
  },
];
