/** `stalemate init`: sets up a controller's repository and runs a first campaign. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Command } from 'commander';
import { realNow } from '../../determinism/real-time.ts';
import { findConfigFile } from '../../execution/config/config-file.ts';
import { EXIT, HarnessError, type ExitCode } from '../../model/errors.ts';
import { budgetArgument, choice, collect, seedArgument, usage } from '../arguments.ts';
import { choose, type Choice, type InitFlags } from '../init/choose.ts';
import { filesText, foundText, planText, samplesText } from '../init/found-text.ts';
import { makePlan, SAMPLE_FILE, type Plan } from '../init/plan.ts';
import { makeContact } from '../init/first-contact.ts';
import { prepare } from '../init/prepare.ts';
import { lackingText } from '../init/enough.ts';
import { agreed } from '../questions.ts';
import { readRepository } from '../init/repository.ts';
import { CI_KINDS } from '../init/survey.ts';
import { writePlan } from '../init/write.ts';
import type { CommandContext } from '../command-context.ts';
import { runCampaign } from '../campaign/run.ts';
import { flagsWith } from './target-flags.ts';

const HELP = `
Looks at the repository in the working directory: how its controller is built and started (Go with controller-runtime or client-go,
TypeScript with client-node, Python with kopf or a client alone, Rust with kube-rs, Java with the Operator SDK), its CRDs, its samples.
Writes a commented stalemate.config.yaml (.ts where stalemate is a dependency of a TypeScript project), a sample drawn from the schema
where there is none, a CI job, and lines of .gitignore; builds the controller. Then it tries: without samples, to see which kinds it asks
for that no CRD declares (their CRDs are fetched from the Go module that it has the types from, if you agree), and with each sample, to see
what it does with it. Those that it acts on are run once, until the run says something. What is there already is kept.

The exit code is that of the run: 1 for a finding. It is 3 where something has to be installed first (the command is named), and where no
sample makes the controller write anything.

Examples:
  stalemate init
  stalemate init --dry-run
  stalemate init --ci gitlab --no-run
  stalemate init --crds api/crds --sample examples/widget.yaml -- ./bin/manager --kubeconfig {kubeconfig}`;

export function initCommand(context: CommandContext): Command {
  return new Command('init')
    .description('Set a project up: configuration, sample, CI job, and a first run.')
    .argument('[command...]', 'after --: the program that is the target, if init does not find it')
    .option('--crds <path>', 'file or folder with CRDs, instead of those that are found (several times)', collect)
    .option('--sample <file>', 'objects to start from, instead of those that are found (several times)', collect)
    .option('--target <module>', 'module that starts the controller, instead of a program')
    .addOption(choice('--ci <kind>', 'CI job to write (default: what the repository uses)', CI_KINDS))
    .option(
      '--budget <budget>',
      'of the first run (default: 30s to 2m, until there is enough for a verdict)',
      budgetArgument,
    )
    .option('--seed <n>', 'of the first run (default: a fresh one)', seedArgument)
    .option('--no-run', 'write the files only')
    .option('--dry-run', 'show what would be written, and end')
    .option('--force', 'overwrite files that exist')
    .option('--yes', 'ask nothing, and agree to everything: also to fetching CRDs of other projects, and helm')
    .addHelpText('after', HELP)
    .action(async (command: readonly string[], flags: InitFlags, self: Command) => {
      context.finish(await init(flagsWith(command, flags, self), context));
    });
}

async function init(flags: InitFlags, context: CommandContext): Promise<ExitCode> {
  const { console } = context;
  const started = realNow();
  const { cwd } = console;
  const configFile = findConfigFile(cwd);
  if (configFile !== undefined && flags.force !== true && flags.dryRun !== true)
    throw usage(
      `"${basename(configFile)}" already exists, expected a project without a configuration; "${console.called} run" uses it, --force overwrites it`,
    );
  let choice = await choose(readRepository(cwd), flags, console);
  const plan = planFor(choice, flags, configFile, cwd, () => flags.force === true);
  const print = console.out;
  print(foundText(choice.found, choice.options, console.width));
  print(planText(plan, console.width));
  if (flags.dryRun === true) {
    print(filesText(plan));
    return EXIT.holds;
  }
  if (
    flags.yes !== true &&
    !(await agreed(flags.run === false ? 'Write this?' : 'Write this, build, and run it once?'))
  ) {
    print('nothing was written; --dry-run shows the files, and --crds, --sample, -- COMMAND say what was not found\n');
    return EXIT.holds;
  }
  writePlan(plan.files, console);
  if (flags.run === false) {
    print(`next    ${console.called} run\n`);
    return EXIT.holds;
  }
  const { program, definitions } = choice.found;
  // A program that the user named is not built again if it exists.
  const isBuilt = choice.isGiven && existsSync(join(cwd, choice.options.command?.[0] ?? ''));
  const left = program === undefined || isBuilt ? '' : prepare(program, console);
  if (left !== '') {
    print(`first   ${left}\nthen    ${console.called} init --force\n`);
    return EXIT.inconclusive;
  }
  // Files that `init` did not write the first time are not written now either. The CI job stays as it is: it does not depend on the result
  // of the first run.
  const written = new Set(plan.files.filter(({ does }) => does !== 'keep').map(({ path }) => path));
  const writeAgain = (known: Choice): void => {
    const repository = readRepository(cwd);
    const again = { ...known, repository };
    writePlan(planFor(again, { ...flags, ci: 'none' }, configFile, cwd, (path) => written.has(path)).files, console);
  };
  if (definitions.crds.length === 0 && program?.builtDefinitions !== undefined) {
    choice = await choose(readRepository(cwd), { ...flags, yes: true }, console, program.builtDefinitions);
    print(foundText(choice.found, choice.options, console.width));
    writeAgain(choice);
  }
  const contact = await makeContact(choice, flags, context);
  if ('nothing' in contact) return EXIT.inconclusive;
  if (contact.choice !== choice) {
    choice = contact.choice;
    writeAgain(choice);
    if (written.has(SAMPLE_FILE) && choice.options.samples?.includes(SAMPLE_FILE) !== true)
      rmSync(join(cwd, SAMPLE_FILE), { force: true });
    print(samplesText(choice.options, console.width));
  }
  return firstRun(choice, flags, started, context);
}

/** Minimum and maximum duration of the first run if no budget is given; in between, it ends as soon as its result is meaningful. */
const SHORTEST_MS = 30_000;
const LONGEST = '2m';

async function firstRun(
  { options }: Choice,
  flags: InitFlags,
  started: number,
  context: CommandContext,
): Promise<ExitCode> {
  const { called, out, cwd } = context.console;
  if ((options.samples ?? []).length === 0)
    throw new HarnessError(
      'CONFIG_INVALID',
      'found no CRD and no sample, expected objects that a user would apply; generate the CRDs and run "stalemate init --force", or add a file to "samples" and run "stalemate run"',
    );
  const budget = flags.budget ?? LONGEST;
  const seed = flags.seed === undefined ? {} : { seed: flags.seed };
  const early = flags.budget === undefined ? ', or less once it says something' : '';
  out(`run     ${called} run --budget ${budget}${'seed' in seed ? ` --seed ${seed.seed}` : ''}${early}\n\n`);
  const config = findConfigFile(cwd);
  let lacking: string | undefined;
  const held = await runCampaign({ ...(config === undefined ? {} : { config }), ...seed, budget }, context, undefined, {
    enoughMs: flags.budget === undefined ? SHORTEST_MS : Number.POSITIVE_INFINITY,
    onSummary: (summary) => (lacking = lackingText(summary, called)),
  });
  const code = held === EXIT.holds && lacking !== undefined ? EXIT.inconclusive : held;
  if (lacking !== undefined) out(`\n${lacking}\n`);
  const what = code === EXIT.inconclusive ? 'no verdict yet' : 'first verdict';
  const next = code === EXIT.violated ? 'replay a finding as shown above, or search on: ' : 'next: ';
  out(`\n${what} after ${Math.round((realNow() - started) / 1000)} s; ${next}${called} run --budget 10m\n`);
  return code;
}

const SCHEMA = 'docs/schemas/config.schema.json';

function planFor(
  { repository, found, options, rendered }: Choice,
  flags: InitFlags,
  configFile: string | undefined,
  cwd: string,
  mayReplace: (path: string) => boolean,
): Plan {
  return makePlan(repository, found, {
    options,
    manifests: found.manifests,
    ...(rendered === undefined ? {} : { rendered }),
    ci: flags.ci ?? found.ci,
    mayReplace,
    configFile: configFile === undefined ? undefined : basename(configFile),
    installed: /"stalemate"\s*:/.test(repository.text('package.json')),
    schema: readFileSync(new URL(`../../../${SCHEMA}`, import.meta.url), 'utf8'),
    // The schema of an installed package, or of a linked clone.
    schemaInstalled: [`./node_modules/stalemate/dist/${SCHEMA}`, `./node_modules/stalemate/${SCHEMA}`].find((path) =>
      existsSync(join(cwd, path)),
    ),
  });
}
