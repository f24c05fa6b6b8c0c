/** `stalemate corpus`: manages the findings that a project keeps, their states, and whether they still fail. */
import { Command } from 'commander';
import { resolveCorpus } from '../../execution/config/config-findings.ts';
import type { CorpusConfig, RunConfig } from '../../execution/config/run-config.ts';
import { CORPUS_STATES, type CorpusState, type NamedEntry } from '../../model/corpus.ts';
import { EXIT } from '../../model/errors.ts';
import { redactConfigured } from '../../report/redaction/index.ts';
import { Vault } from '../../report/redaction/vault.ts';
import { choice, countArgument, timeArgument, usage } from '../arguments.ts';
import { resolved } from '../campaign/configure.ts';
import { readConfig, type Configured } from '../configured.ts';
import { given } from '../../model/given.ts';
import { explainEntry } from '../corpus/explain.ts';
import { entryNamed, readCorpus, readWholeCorpus } from '../corpus/folder.ts';
import { listText, toJson } from '../corpus/list.ts';
import { promote } from '../corpus/promote.ts';
import { prune } from '../corpus/prune.ts';
import { runCorpus } from '../corpus/run.ts';
import type { CommandContext } from '../command-context.ts';
import { mergeTargetFlags, withTargetFlags, wordsOf, type TargetFlags } from './target-flags.ts';

interface CorpusFlags extends TargetFlags {
  readonly corpus?: string;
  readonly json?: boolean;
}

interface PromoteFlags extends CorpusFlags {
  readonly state?: CorpusState;
  readonly reason?: string;
}

interface RunFlags extends CorpusFlags {
  readonly times?: number;
  readonly budget?: number;
  readonly update?: boolean;
}

interface PruneFlags extends CorpusFlags {
  readonly stale?: boolean;
  readonly doubles?: boolean;
  readonly dryRun?: boolean;
}

const HELP = `
The corpus is a folder of your repository, .stalemate/corpus unless the configuration names another. Commit it: each file is a finding
with its state, and "stalemate run" replays them before it searches.

  open          known; a run fails as long as it fails
  fixed         the bug is fixed; when it fails again, that is a regression, reported by name
  quarantined   known, and it fails no run, for the reason given in the file

Examples:
  stalemate corpus promote .stalemate/failures/lost-update-9669dc.json
  stalemate corpus run
  stalemate corpus promote lost-update-9669dc --state fixed --reason "reads again after a 409"
  stalemate corpus promote lost-update-9669dc --state quarantined --reason "waits for #217"
  stalemate corpus explain lost-update-9669dc`;

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  stalemate ${line}`).join('\n')}`;
}

export function corpusCommand(context: CommandContext): Command {
  const folderOption = ['--corpus <dir>', 'the folder (default: .stalemate/corpus)'] as const;
  const list = new Command('list')
    .description('List the corpus with the state of each finding.')
    .option('--config <file>', 'configuration file')
    .option(...folderOption)
    .option('--json', 'print a JSON document on stdout')
    .addHelpText('after', examples('corpus list', 'corpus list --json'))
    .action(async (flags: CorpusFlags) => {
      const { console } = context;
      const { entries, problems } = readCorpus((await corpusOf(flags, context)).folder, console.cwd);
      const files = { entries: entries.map(redactedEntry), problems };
      console.out(flags.json === true ? toJson(files) : listText(files, console));
      for (const problem of files.problems) console.err(`stalemate: ${problem}\n`);
      if (files.problems.length > 0) context.finish(EXIT.usage);
    });
  const run = withTargetFlags(new Command('run'))
    .description('Replay the corpus, all of it or the named entries.')
    .usage('[options] [name...] [-- command...]')
    .option(...folderOption)
    .option(
      '--times <n>',
      'runs of each before it counts as holding (default: 1; programs 3)',
      countArgument('--times'),
    )
    .option('--budget <time>', 'time limit; a replay in progress is stopped', timeArgument('--budget'))
    .option('--update', 'store labels that had to be moved, because the target was edited')
    .option('--json', 'print the results as JSON on stdout')
    .addHelpText(
      'after',
      examples('corpus run', 'corpus run lost-update-9669dc --times 20', 'corpus run -- ./bin/manager'),
    )
    .action(async (words: readonly string[], flags: RunFlags, self: Command) => {
      const { named, command } = wordsOf(words, self);
      const config = await configOf(withCommand(flags, command), context);
      context.finish(await runCorpus(named, config, flags, context));
    });
  const promoteCommand = withTargetFlags(new Command('promote'))
    .description('Add a finding to the corpus, or change the state of an entry.')
    .usage('[options] <file or name> [-- command...]')
    .option(...folderOption)
    .addOption(
      choice(
        '--state <state>',
        'open by default for a new file, fixed for an open one; keeps its reason while it stays',
        CORPUS_STATES,
      ),
    )
    .option('--reason <text>', 'why; a quarantined one needs it')
    .addHelpText(
      'after',
      examples(
        'corpus promote .stalemate/failures/lost-update-9669dc.json',
        'corpus promote lost-update-9669dc --state quarantined --reason "waits for #217"',
      ),
    )
    .action(async (words: readonly string[], flags: PromoteFlags, self: Command) => {
      const { named, command } = wordsOf(words, self);
      const [what, ...more] = named;
      if (what === undefined || more.length > 0)
        throw usage(
          `got ${named.length} arguments, expected one: a file of .stalemate/failures, or a name of the corpus`,
        );
      const chosen = withCommand(flags, command);
      const config = (): Promise<RunConfig> => configOf(chosen, context);
      context.finish(await promote(what, flags, await corpusOf(flags, context), config, context));
    });
  const pruneCommand = withTargetFlags(new Command('prune'))
    .description('Remove findings from the corpus: named ones, stale ones, or duplicates.')
    .usage('[options] [name...] [-- command...]')
    .option(...folderOption)
    .option('--stale', 'replay all, and remove those whose labels no longer occur')
    .option('--doubles', 'of entries with one signature, keep the one with the fewest deviations')
    .option('--dry-run', 'only say what would be removed')
    .addHelpText('after', examples('corpus prune --stale --dry-run', 'corpus prune lost-update-9669dc'))
    .action(async (words: readonly string[], flags: PruneFlags, self: Command) => {
      const { named, command } = wordsOf(words, self);
      const chosen = withCommand(flags, command);
      const config = (): Promise<RunConfig> => configOf(chosen, context);
      context.finish(await prune(named, flags, await corpusOf(flags, context), config, context));
    });
  const explain = new Command('explain')
    .description('Explain what a finding of the corpus claims, and what happens in it.')
    .argument('<name>', 'of an entry')
    .option('--config <file>', 'configuration file')
    .option(...folderOption)
    .addHelpText('after', examples('corpus explain lost-update-9669dc'))
    .action(async (name: string, flags: CorpusFlags) => {
      const { console } = context;
      const entries = readWholeCorpus((await corpusOf(flags, context)).folder, console.cwd);
      console.out(explainEntry(redactedEntry(entryNamed(entries, name)), console));
    });
  const root = new Command('corpus')
    .description('Keep findings with the code: known, fixed, in quarantine.')
    .addHelpText('after', HELP);
  for (const command of [list, run, promoteCommand, pruneCommand, explain]) root.addCommand(command);
  return root;
}

function withCommand<T extends TargetFlags>(flags: T, command: readonly string[]): T {
  return command.length === 0 ? flags : { ...flags, command };
}

async function optionsOf(flags: CorpusFlags, { console }: CommandContext): Promise<Configured> {
  const { options, ...file } = await readConfig(flags.config, console.cwd);
  const merged = mergeTargetFlags(options, flags);
  return { options: { ...merged, corpus: { ...merged.corpus, ...given({ folder: flags.corpus }) } }, ...file };
}

/** Redacts an entry, because entries from earlier versions may contain secrets. */
function redactedEntry({ name, entry }: NamedEntry): NamedEntry {
  return { name, entry: redactConfigured(entry, {}, new Vault()) };
}

/** Returns the corpus of the configuration; does not require a target. */
async function corpusOf(flags: CorpusFlags, context: CommandContext): Promise<CorpusConfig> {
  const { options, configFile } = await optionsOf(flags, context);
  return resolveCorpus(options, context.console.cwd, configFile);
}

/** Returns the target and its environment, as for a search. */
async function configOf(flags: CorpusFlags, context: CommandContext): Promise<RunConfig> {
  const { options, ...file } = await optionsOf(flags, context);
  return resolved(options, file, context.console);
}
