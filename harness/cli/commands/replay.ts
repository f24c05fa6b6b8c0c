/** `stalemate replay`: runs a counterexample again. */
import { Command } from 'commander';
import { undisturbable } from '../../execution/config/chosen-faults.ts';
import type { StalemateOptions } from '../../execution/config/options.ts';
import { partingOf } from '../../execution/replay/parting.ts';
import { versions } from '../../execution/versions.ts';
import { signatureText } from '../../model/signature.ts';
import type { ClusterKind } from '../../model/cluster.ts';
import type { Counterexample } from '../../model/counterexample.ts';
import { EXIT, type ExitCode } from '../../model/errors.ts';
import type { Finding, ReplayResult } from '../../model/finding.ts';
import { countText } from '../../report/count-text.ts';
import { replayPhaseText } from '../../report/progress.ts';
import { nearestLabels } from '../../report/nearest-label.ts';
import { redactConfigured, redactFinding, restoreCounterexample } from '../../report/redaction/index.ts';
import { Vault } from '../../report/redaction/vault.ts';
import { tellStory, type StoryInput } from '../../report/story.ts';
import { renderStory } from '../../report/terminal.ts';
import { reportFolderOf } from '../../report/write-files.ts';
import { variablesOf } from '../../execution/config/secret-sources.ts';
import { askAbout } from '../ask-cluster.ts';
import { authorizationOption, collect, countArgument, existingFlags } from '../arguments.ts';
import { FindingKeeper } from '../finding-keeper.ts';
import { readConfig } from '../configured.ts';
import type { CommandContext } from '../command-context.ts';
import type { ReplayContext } from '../library.ts';
import { consented } from '../questions.ts';
import { allowedTarget, type UsersWord } from '../stored-target.ts';
import { readReplayed, type ProjectFlags } from '../replayed-file.ts';
import { withClusterFlags, type ClusterFlags } from './cluster-flags.ts';
import { kindOf } from './kind-flags.ts';
import { flagsWith, withProgramFlags, type ProgramFlags } from './target-flags.ts';
import { given } from '../../model/given.ts';

interface ReplayFlags extends ClusterFlags, ProgramFlags, ProjectFlags {
  readonly times?: number;
  readonly target?: string;
  readonly command?: readonly string[];
  readonly trustFile?: boolean;
  readonly config?: string;
  readonly shrink?: boolean;
  readonly json?: boolean;
}

const HELP = `
Exit codes: 1 reproduced in at least one run, or the property is violated in another way, 0 the schedule was followed to the end and the property holds (fixed?),
            3 labels of the schedule no longer occur, so the result is inconclusive.

Example:
  stalemate replay .stalemate/failures/lost-update-7f3a91.json --times 20
  stalemate replay .stalemate/failures/lost-update-7f3a91.json --shrink
  stalemate replay lost-update-7f3a91.json --crds config/crd/bases -- ./bin/manager    # an entry of a corpus, without a configuration`;

export function replayCommand(context: CommandContext): Command {
  return withClusterFlags(withProgramFlags(new Command('replay'), 'as when it was found'))
    .description('Run a finding again, step by step the same.')
    .argument('<file>', 'a counterexample, a record, or an entry of a corpus')
    .argument('[command...]', 'after --: the program that is the target, and its arguments')
    .option('--times <n>', 'runs (default: 5)', countArgument('--times'))
    .option('--shrink', 'if it reproduces: shrink and prove it, without a budget, and write it again')
    .option('--target <module>', 'the module that is the target: refused when the file is about another one')
    .option('--trust-file', 'start the target that the file names, though you have not named it')
    .option('--config <file>', 'configuration file with properties of your own')
    .option('--crds <path>', 'for an entry of a corpus: file or folder with CRDs (several times)', collect)
    .option('--manifests <path>', 'for an entry of a corpus: what the project ships (several times)', collect)
    .option('--deployment <name>', 'which Deployment of the manifests the target is')
    .addOption(authorizationOption())
    .option('--json', 'print the result as JSON on stdout')
    .addHelpText('after', HELP)
    .action(async (file: string, words: readonly string[], flags: ReplayFlags, self: Command) => {
      context.finish(await replayFile(file, flagsWith(words, flags, self), context));
    });
}

async function replayFile(file: string, flags: ReplayFlags, { console, signal }: CommandContext): Promise<ExitCode> {
  const vault = new Vault();
  const { options: configured, ...configFile } = await readConfig(flags.config, console.cwd);
  const { stored, command } = await readReplayed(file, flags, { options: configured, ...configFile }, console.cwd);
  const restored = restoreCounterexample(stored, vault);
  const { target, network } = await allowedTarget(restored.value.target, {
    folder: console.cwd,
    options: { ...targetOptions(configured, flags), ...given({ command }) },
    typed: isTyped(flags),
    shown: stored.target,
    trusted: flags.trustFile === true,
    ask: consented,
  });
  const counterexample = { ...restored.value, target };
  const ofPrograms = Object.values(configured.programs ?? {}).flatMap((program) => variablesOf(program.env ?? {}));
  const env = [...variablesOf({ ...configured.env, ...flags.env }), ...ofPrograms];
  vault.sources.push({ env });
  console.learn?.({ counterexample, env });
  warnOfSecrets(restored.unknown.length, console.err);
  warnOfVersions(counterexample, console.err);
  const { replay, REPLAY_TIMES } = await import('../library.ts');
  const context: ReplayContext = {
    cwd: console.cwd,
    reportDir: reportFolderOf(file, console.cwd),
    signal,
    ...given({ times: flags.times, shrink: flags.shrink, toxiproxy: flags.toxiproxy }),
    network,
    ...configuredBy(configured, flags),
    ...configFile,
  };
  const cluster = flags.cluster ?? counterexample.cluster ?? 'embedded';
  // A module is replayed within a second.
  const isSlow = 'command' in counterexample.target || cluster !== 'embedded' || flags.shrink === true;
  if (isSlow) console.err(`replaying on ${cluster}, runs: ${flags.times ?? REPLAY_TIMES}\n`);
  if (cluster === 'existing') {
    const { existingOf } = await import('../../execution/config/target-options.ts');
    await askAbout(existingOf({ ...existingFlags(flags), cluster }, console.cwd));
  }
  const replayed = await replay(counterexample, {
    ...context,
    cluster,
    existing: existingFlags(flags),
    onCluster: (line) => console.err(`${line}\n`),
    ...(isSlow ? { onPhase: printOnce(console) } : {}),
  });
  const result = withoutSecrets(replayed, counterexample, vault);
  const outcome = outcomeOf(result);
  const { k, n } = result.reproduced;
  const beside =
    cluster === 'embedded' || k === n || signal.aborted || !isForEmbedded(counterexample)
      ? undefined
      : await replay(counterexample, { ...context, shrink: false, cluster: 'embedded', times: EMBEDDED_TIMES });
  const finding = findingOf(counterexample, replayed, vault);
  const { shrunk } = result;
  const print = flags.json === true ? console.err : console.out;
  const keeper = new FindingKeeper(context.reportDir ?? '.stalemate', console, print, vault);
  // The story of the shrunk finding replaces that of the larger one.
  if (shrunk !== undefined) keeper.keep(shrunk);
  if (flags.json === true) {
    const sentence = finding?.violation.sentence ?? stored.sentence;
    const document = {
      ...documentOf(counterexample, result, outcome, sentence),
      cluster,
      ...comparedWith(result, beside),
      ...(shrunk === undefined ? {} : { shrunk: { counterexample: keeper.pathOf(shrunk) ?? null, ...sizeOf(shrunk) } }),
    };
    console.out(`${JSON.stringify(document, null, 2)}\n`);
  } else {
    if (finding !== undefined && shrunk === undefined) {
      const story = tellStory(finding);
      const { color, width, called } = console;
      console.out(`${renderStory(story, { color, width, replay: `${called} replay ${file}${flagsText(flags)}` })}\n`);
    }
    console.out(resultText(result, outcome));
    if (shrunk !== undefined) console.out(shrunkText(shrunk, counterexample, keeper.pathOf(shrunk)));
    if (beside !== undefined) console.out(divergenceText(result, beside, cluster));
  }
  for (const failure of keeper.failures) console.err(`${failure}\n`);
  if (keeper.fault !== undefined) throw keeper.fault;
  return EXIT_BY_OUTCOME[outcome];
}

/** Returns a function that prints each phase when it begins for the first time. */
function printOnce({ err }: CommandContext['console']): (phase: string) => void {
  const printed = new Set<string>();
  return (phase) => {
    if (!printed.has(phase)) err(`${replayPhaseText(phase)}\n`);
    printed.add(phase);
  };
}

function sizeOf({ stats: { reproduced, preemptions, holds, faults } }: Finding): object {
  return { reproduced, deviations: preemptions + holds + faults };
}

/** Describes the shrinking, such as `shrunk from 6 deviations to 2, proved 10 of 10; written to …`. */
function shrunkText({ stats }: Finding, { schedule }: Counterexample, path: string | undefined): string {
  const before = schedule.preemptions.length + schedule.holds.length + schedule.faults.length;
  const after = stats.preemptions + stats.holds + stats.faults;
  const { k, n } = stats.reproduced;
  return `shrunk from ${countText(before, 'deviation')} to ${after}, proved ${k} of ${n}; ${path === undefined ? 'it could not be written' : `written to ${path}`}\n`;
}

/** Redacts the texts about the runs. {@link findingOf} redacts the finding and its history. */
function withoutSecrets(result: ReplayResult, counterexample: Counterexample, vault: Vault): ReplayResult {
  const { violation: _, shrunk: __, other: ___, history, ...texts } = result;
  return { ...result, ...redactConfigured(texts, { counterexample, history }, vault) };
}

/** Returns the reproduced finding without its secrets; undefined if it did not reproduce. */
function findingOf(counterexample: Counterexample, result: ReplayResult, vault: Vault): StoryInput | undefined {
  const { violation, history, reanchored } = result;
  if (violation === undefined) return undefined;
  const { schedule } = reanchored ?? counterexample;
  return redactFinding({ violation, counterexample: { ...counterexample, schedule }, record: history }, vault);
}

/** Reports whether the embedded server can replay the connection faults of the schedule. */
function isForEmbedded({ schedule, target }: Counterexample): boolean {
  return undisturbable(schedule, { cluster: 'embedded', isProcess: 'command' in target }) === undefined;
}

/** Returns the flags that the printed replay command repeats. */
function flagsText(flags: ReplayFlags): string {
  const { allowContext = [], allowCluster = [], allowClusterWrite = [], trustFile } = flags;
  const { target, network, fileSystem, time, cluster, toxiproxy, kubeconfig, context, deployment, authorization } =
    flags;
  const given = [
    ...(flags.crds ?? []).map((path) => ['crds', path]),
    ...(flags.manifests ?? []).map((path) => ['manifests', path]),
    ...Object.entries({ deployment, authorization }),
    ...Object.entries({ target, network, 'file-system': fileSystem, time, cluster, toxiproxy, kubeconfig, context }),
    ...allowContext.map((name) => ['allow-context', name]),
    ...allowCluster.map((uid) => ['allow-cluster', uid]),
    ...allowClusterWrite.map((text) => ['allow-cluster-write', `'${text}'`]),
  ];
  const typed = given.map(([name, value]) => (value === undefined ? '' : ` --${name} ${value}`)).join('');
  return trustFile === true ? `${typed} --trust-file` : typed;
}

/** Returns the target of the command line, else that of the configuration. */
function targetOptions(
  { target, command, image, directory, network, programs }: StalemateOptions,
  flags: ReplayFlags,
): UsersWord['options'] {
  return {
    ...(isTyped(flags) ? { target: flags.target, command: flags.command } : { target, command, image }),
    directory,
    programs,
    network: flags.network ?? network,
  };
}

function isTyped({ target, command }: ReplayFlags): boolean {
  return target !== undefined || command !== undefined;
}

/** Applies the flags to the configuration file. */
function configuredBy(
  { env: configured, fileSystem: configuredFiles, kind, programs = {} }: StalemateOptions,
  flags: ReplayFlags,
): Pick<ReplayContext, 'env' | 'programEnv' | 'fileSystem' | 'time' | 'kind'> {
  const { env, fileSystem = configuredFiles ?? 'own', time } = flags;
  const own = env === undefined && configured === undefined ? {} : { env: { ...configured, ...env } };
  const programEnv = Object.fromEntries(Object.entries(programs).map(([name, program]) => [name, program.env ?? {}]));
  return { ...own, programEnv, fileSystem, ...given({ time }), kind: kindOf(kind, flags) };
}

/** Number of replays on the embedded server, for comparison. */
const EMBEDDED_TIMES = 3;

/** Returns, for the document, how often the embedded server reproduced the finding, and where the runs diverged. */
function comparedWith(result: ReplayResult, embedded: ReplayResult | undefined): object {
  if (embedded === undefined) return {};
  const parting = partingOf(embedded.history, result.other ?? result.history);
  return { embedded: embedded.reproduced, ...given({ parting }) };
}

/** Describes where a passing run on a real cluster diverged from the run on the embedded server. */
function divergenceText(result: ReplayResult, embedded: ReplayResult, cluster: ClusterKind): string {
  const { k, n } = embedded.reproduced;
  const parting = partingOf(embedded.history, result.other ?? result.history);
  const where =
    parting === undefined
      ? 'the runs agree in every request and its response: they differ in what the target received, and when'
      : `the runs diverge after ${parting.after ?? 'the beginning'}:\n  embedded  ${parting.one}\n  ${cluster.padEnd(8)}  ${parting.other}`;
  return `on the embedded server ${k} of ${n}; ${where}\n`;
}

type ReplayOutcome = 'reproduced' | 'otherwise' | 'green' | 'anchors-missing' | 'inconclusive';

const EXIT_BY_OUTCOME: { readonly [outcome in ReplayOutcome]: ExitCode } = {
  reproduced: EXIT.violated,
  otherwise: EXIT.violated,
  green: EXIT.holds,
  'anchors-missing': EXIT.inconclusive,
  inconclusive: EXIT.inconclusive,
};

function outcomeOf({ reproduced, otherwise, missedAnchors, inconclusive, diverged }: ReplayResult): ReplayOutcome {
  if (reproduced.k > 0) return 'reproduced';
  if (otherwise !== undefined) return 'otherwise';
  if (inconclusive !== undefined || diverged !== undefined) return 'inconclusive';
  return missedAnchors.length > 0 ? 'anchors-missing' : 'green';
}

function resultText(result: ReplayResult, outcome: ReplayOutcome): string {
  const { missedAnchors } = result;
  const { k, n } = result.reproduced;
  const missed = missedAnchors.length === 0 ? '' : missedText(result);
  switch (outcome) {
    case 'reproduced':
      return `reproduced ${k} of ${n}\n${movedText(result)}${missed}`;
    case 'otherwise':
      return (
        `not reproduced, 0 of ${n}, but the same claim fails in another way\n` +
        `  ${result.otherwise?.sentence ?? ''}\n${missed}` +
        'to see whether that is new, use "stalemate run": it shrinks it as a finding of its own\n'
      );
    case 'green':
      return `not reproduced, 0 of ${n}: the whole schedule was followed and the property holds\n`;
    case 'anchors-missing':
      return (
        `inconclusive, 0 of ${n}: the target no longer does what the schedule is anchored on\n${missed}` +
        'find the failure again with "stalemate run", or adapt the labels in the file\n'
      );
    case 'inconclusive': {
      const why = result.inconclusive ?? `two runs of the same schedule differ: ${result.diverged ?? ''}`;
      return `inconclusive, 0 of ${n}: ${why}\n${missed}`;
    }
    default:
      return outcome satisfies never;
  }
}

/** Lists the labels of the schedule that never occurred, each with the most similar label that did. */
function missedText({ missedAnchors, history }: ReplayResult): string {
  const nearest = nearestLabels(missedAnchors, history);
  if (missedAnchors.every((label) => !nearest.has(label))) return `never happened: ${missedAnchors.join(', ')}\n`;
  return missedAnchors
    .map((label) => {
      const near = nearest.get(label);
      return `never happened: ${label}\n${near === undefined ? '' : `  nearest to it: ${near}\n`}`;
    })
    .join('');
}

/** Reports a counterexample that only reproduced with moved labels, so that the user can store it again. */
function movedText({ reanchored }: ReplayResult): string {
  if (reanchored === undefined) return '';
  const list = reanchored.moves.map(({ from, to }) => `  ${from}  is now  ${to}\n`).join('');
  return `the target was edited since: not as stored, but with labels moved to other requests of the same kind:\n${list}`;
}

function documentOf(
  counterexample: Counterexample,
  result: ReplayResult,
  outcome: ReplayOutcome,
  sentence: string,
): object {
  return {
    version: 1,
    outcome,
    signature: signatureText(counterexample.signature),
    property: counterexample.signature.property,
    sentence,
    reproduced: result.reproduced,
    missedAnchors: result.missedAnchors,
    ...(result.missedAnchors.length === 0
      ? {}
      : { nearest: Object.fromEntries(nearestLabels(result.missedAnchors, result.history)) }),
    ...(result.reanchored === undefined ? {} : { moves: result.reanchored.moves }),
  };
}

/**
 * Warns that a replay uses stand-ins for secrets that this machine does not have: code that parses the secrets may behave differently.
 * Secrets never leave the machine that found the failure.
 */
function warnOfSecrets(unknown: number, print: (text: string) => void): void {
  if (unknown === 0) return;
  const what = unknown === 1 ? '1 secret or variable is' : `${unknown} secrets or variables are`;
  print(
    `note: ${what} not known on this machine: placeholders replace them, which a controller may not be able to read\n`,
  );
}

/** Warns about a different major version of Node: histories are only byte-identical within one. */
function warnOfVersions({ foundWith }: Counterexample, print: (text: string) => void): void {
  const { node } = versions();
  const major = (version: string): string => version.replace(/^v/, '').split('.')[0] ?? '';
  if (major(foundWith.node) !== major(node)) {
    print(
      `note: found with Node ${foundWith.node}, replayed with ${node}: the order of steps inside the target may differ\n`,
    );
  }
}
