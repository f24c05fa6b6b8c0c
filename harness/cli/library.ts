/**
 * The library, used by both the command line and `import … from 'stalemate'`.
 *
 * Owns: combining registry, configuration and execution. Start at {@link run}.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { SEED_RANGE } from '../determinism/random.ts';
import { realDate } from '../determinism/real-time.ts';
import type { CampaignEvents } from '../execution/api.ts';
import { runCampaign } from '../execution/campaign/campaign.ts';
import { toxiproxyFor } from '../execution/config/chosen-faults.ts';
import { loadConfigFile } from '../execution/config/config-file.ts';
import { checkOptions, ownProperties, type StalemateOptions } from '../execution/config/options.ts';
import { resolveOptions } from '../execution/config/resolve-options.ts';
import { withKind } from '../execution/hosts/kind-life.ts';
import { startLab, type Lab } from '../execution/lab/lab.ts';
import { trySamples, type TryOptions } from '../execution/lab/try-samples.ts';
import type { SampleGroup } from '../execution/worker/protocol.ts';
import type { History } from '../model/history.ts';
import { recheckRecord, replayCounterexample } from '../execution/replay/replay.ts';
import { storedTarget } from '../execution/search/counterexample.ts';
import { revisitCorpus } from '../execution/replay/revisit.ts';
import { judge } from '../oracle/compose.ts';
import { restoreCounterexample } from '../report/redaction/index.ts';
import { Vault } from '../report/redaction/vault.ts';
import type { Recording } from '../model/recording.ts';
import type { SubjectTarget } from '../execution/subject.ts';
import { onExisting, withExisting } from '../clusters/existing/session.ts';
import { clusterOf, existingOf, moduleAsProcess } from '../execution/config/target-options.ts';
import { imagesFor } from '../execution/config/pod-target.ts';
import { resolveCommand, startedBeside } from '../execution/config/process-target.ts';
import type { TimePlan } from '../execution/time-plan.ts';
import type { RunConfig } from '../execution/config/run-config.ts';
import type { KnownCause } from '../model/cause.ts';
import type { CheckResult } from '../model/check-result.ts';
import type { ClusterKind } from '../model/cluster.ts';
import type { NamedEntry, Revisited } from '../model/corpus.ts';
import type { KindAccess, KindOptions } from '../model/kind-options.ts';
import type { Counterexample, FileSystem, Network, ProgramTime } from '../model/counterexample.ts';
import { HarnessError } from '../model/errors.ts';
import { given } from '../model/given.ts';
import { ownModule } from '../model/own-module.ts';
import type { CampaignResult, CheckReport, FindingRecord, ReplayResult } from '../model/finding.ts';
import type { StrategyName } from '../model/trial.ts';
import type { Property } from '../oracle/property.ts';
import { unknownFields } from './sample-fields.ts';
import { noteUse } from './used-targets.ts';
import { builtInKinds, builtInResources } from './embedded-server.ts';
import { knownProperties, properties, writers } from './registry.ts';

const WORKER = ownModule(import.meta.url, './worker.ts');

export interface RunContext {
  /** Folder that relative paths of the options refer to; default the working directory. */
  readonly cwd?: string;
  /** The file of the options, if there is one: workers import it for properties of your own. */
  readonly configFile?: string;
  /** Checks only these properties. */
  readonly only?: readonly string[];
  readonly events?: CampaignEvents;
  /** Called with the existing cluster before the campaign writes to it, and with the time that creating a cluster took. */
  readonly onCluster?: (line: string) => void;
  /** Ends the campaign early, with its results so far. */
  readonly signal?: AbortSignal;
  /** Interval of trials that are run twice to compare their histories; default 400. */
  readonly verifyEvery?: number;
  /** Real time that shrinking one finding may take, ms; default 10 s, and 90 s where the target is a process. */
  readonly shrinkMs?: number;
  /** How long a target that runs inside the harness may block the event loop before its worker is ended, ms; default 10 s. */
  readonly blockedMs?: number;
  /** Restricts the search to these strategies. */
  readonly strategies?: readonly StrategyName[];
  /** The start state of every run; default: mostly at rest. */
  readonly start?: 'settled' | 'empty';
  /** Known findings, by signature (see {@link signatureText}) or by cause: counted, but neither shrunk nor reported again. */
  readonly expected?: readonly (string | KnownCause)[];
  /** Reports every symptom as a finding of its own, instead of one finding for each cause. */
  readonly allSymptoms?: boolean;
  /** How the time of the budget is divided, if something ran before the campaign; default: it starts now. */
  readonly plan?: TimePlan;
}

/**
 * Runs a campaign to the end of its budget.
 *
 * Properties and predicates of your own are functions and cannot be sent to worker threads: keep them in a configuration file and name it
 * as `configFile`.
 *
 * @throws {CONFIG_INVALID} {MANIFEST_INVALID} {TARGET_INVALID} {TARGET_FAILED}
 * @example
 * const result = await run({ target: './controller.ts', crds: ['./crd.yaml'], samples: ['./sample.yaml'], budget: '30s' });
 * if (result.outcome === 'violated') console.log(result.findings[0]?.violation.sentence);
 */
export async function run(options: StalemateOptions, context: RunContext = {}): Promise<CampaignResult> {
  const checked = checkOptions(options, 'options');
  if (ownProperties(checked).length > 0 && context.configFile === undefined) {
    throw new HarnessError(
      'CONFIG_INVALID',
      'got properties or predicates of your own without a configuration file, which worker threads would import them from; ' +
        'keep them in a file and pass it as { configFile }, or use openLab',
    );
  }
  return runConfigured(resolveRun(checked, context), context);
}

/**
 * Resolves the configuration that {@link run} would use.
 *
 * @param samplesLater - Whether the configuration may lack samples.
 */
export function resolveRun(options: StalemateOptions, context: RunContext = {}, samplesLater = false): RunConfig {
  const config = resolveOptions(options, {
    cwd: context.cwd ?? process.cwd(),
    configFile: context.configFile === undefined ? null : resolve(context.configFile),
    only: context.only ?? [],
    properties,
    writers: writers.map(({ name }) => name),
    builtInKinds: builtInKinds(),
    builtInResources: builtInResources(),
    freshSeed: () => realDate().getTime() % SEED_RANGE,
    today: realDate().toISOString().slice(0, 10),
    samplesLater,
  });
  return { ...config, warnings: [...config.warnings, ...unknownFields(config.samples, config.crds)] };
}

/** Runs `work` with access to the cluster of a configuration. A kind cluster is created before and deleted afterwards. */
export function standOn<T>(
  config: RunConfig,
  { signal, onCluster }: Pick<RunContext, 'signal' | 'onCluster'>,
  work: (ready: RunConfig) => Promise<T>,
): Promise<T> {
  if (config.kindAccess !== undefined) return work(config);
  const { cluster, kind, reportDir } = config;
  return withKind({ cluster, kind, images: imagesFor(config), reportDir, signal, say: onCluster }, (kindAccess) =>
    work(kindAccess === undefined ? config : { ...config, kindAccess }),
  );
}

/** Runs a resolved configuration. */
export async function runConfigured(config: RunConfig, context: RunContext = {}): Promise<CampaignResult> {
  noteUse(config.cwd, storedTarget(config));
  const {
    events,
    signal,
    verifyEvery,
    shrinkMs,
    blockedMs,
    strategies,
    start,
    expected,
    allSymptoms,
    plan,
    onCluster,
  } = context;
  const campaign = (ready: RunConfig): Promise<CampaignResult> =>
    runCampaign(ready, {
      workerEntry: WORKER,
      tuning: given({ verifyEvery, shrinkMs, strategies, start, allSymptoms, expected: expected?.map(known) }),
      ...given({ blockedMs, plan, events, signal }),
    });
  if (config.existing === null) return standOn(config, context, campaign);
  const { result, left } = await withExisting(config.existing, () => campaign(config), onCluster);
  return { ...result, warnings: [...result.warnings, ...left] };
}

function known(one: string | KnownCause): KnownCause {
  return typeof one === 'string' ? { key: one, signatures: [one] } : one;
}

/** Tries groups of objects without disturbance, one after the other; returns the histories by the names of the groups. */
export function tryConfigured(
  groups: readonly SampleGroup[],
  config: RunConfig,
  options: Omit<TryOptions, 'workerEntry'>,
): Promise<ReadonlyMap<string, History>> {
  return trySamples(groups, config, { ...options, workerEntry: WORKER });
}

/** How a corpus is replayed; see {@link revisitConfigured}. */
export interface RevisitContext {
  readonly signal?: AbortSignal;
  /** Real time for all entries, ms; default no limit. */
  readonly timeMs?: number;
  /** Number of runs before an entry counts as holding; default 1, and 3 for a target whose runs cannot be repeated exactly. */
  readonly times?: number;
  /** Makes all runs of an entry, also after one has failed; default false. */
  readonly counts?: boolean;
  /** An entry gets an equal share of the remaining time, but at least this, ms; default no share of its own. */
  readonly leastMs?: number;
  readonly onRevisited?: (revisited: Revisited) => void;
  /** Called with the namespaces on a shared cluster before the runs write there, and with what could not be deleted. */
  readonly onCluster?: (line: string) => void;
}

const REVISIT_REAL_TIMES = 3;

/** Replays findings of the corpus on the target of a resolved configuration. */
export async function revisitConfigured(
  entries: readonly NamedEntry[],
  config: RunConfig,
  context: RevisitContext = {},
): Promise<readonly Revisited[]> {
  if (entries.length === 0) return [];
  const { timeMs = Number.POSITIVE_INFINITY, times, counts, leastMs, signal, onRevisited, onCluster } = context;
  const known = await knownProperties(config.configFile);
  const usual = config.process === null ? 1 : REVISIT_REAL_TIMES;
  const revisit = (ready: RunConfig): Promise<readonly Revisited[]> =>
    revisitCorpus(entries, ready, {
      workerEntry: WORKER,
      timeMs,
      times: times ?? usual,
      properties: known,
      ...given({ counts, leastMs, signal, onRevisited }),
    });
  if (config.existing === null) return standOn(config, context, revisit);
  return onExisting(config.existing, () => revisit(config), onCluster);
}

export interface LabContext {
  /** Folder that relative paths of the options refer to; default the working directory. */
  readonly cwd?: string;
  /** The file of the options, if there is one: allows properties of your own to make probes. */
  readonly configFile?: string;
  /** How long a target that runs inside the harness may block the event loop before its worker is ended, ms; default 10 s. */
  readonly blockedMs?: number;
}

/**
 * Opens a lab: trials of one target, generated, run and shrunk by your own fast-check property. Runs the references first.
 *
 * The options `budget`, `seed` and `stopAfter` are ignored: fast-check's own parameters replace them.
 *
 * @throws {CONFIG_INVALID} {MANIFEST_INVALID} {TARGET_INVALID} {TARGET_FAILED} {TARGET_UNCONTROLLED}
 * @example
 * await using lab = await openLab({ target: './controller.ts', crds: ['./crd.yaml'], samples: ['./sample.yaml'] });
 * await fc.assert(fc.asyncProperty(lab.trials(), lab.holds('no-lost-update')));
 */
export async function openLab(options: StalemateOptions, context: LabContext = {}): Promise<Lab> {
  const checked = checkOptions(options, 'options');
  const config = resolveRun(checked, context);
  if (config.cluster === 'kind')
    throw new HarnessError(
      'CONFIG_INVALID',
      'got cluster "kind" for a lab, expected "embedded" or "envtest"; choose one of them, or use run',
    );
  if (config.existing !== null)
    throw new HarnessError(
      'CONFIG_INVALID',
      'got cluster "existing" for a lab, expected "embedded" or "envtest": nothing would remove what it leaves when its worker is ended',
    );
  noteUse(config.cwd, storedTarget(config));
  const own = config.configFile === null ? ownProperties(checked) : [];
  const local = config.properties.filter((property) => own.some(({ name }) => name === property.name));
  return startLab({ config, workerEntry: WORKER, writers, own: local, blockedMs: context.blockedMs });
}

export interface ReplayContext {
  /** Folder that the target's module is relative to; default the working directory. */
  readonly cwd?: string;
  /** Number of runs; default 5. */
  readonly times?: number;
  /** Shrinks the finding if it reproduces, and then reproduces it again, as a campaign does, but with more time. */
  readonly shrink?: boolean;
  /** Real time, ms: a run that is not finished by then is stopped and not counted; default no limit. */
  readonly timeMs?: number;
  /** The kind of cluster; default the one of the finding. */
  readonly cluster?: ClusterKind;
  /**
   * The toxiproxy server to start, if the schedule has connection faults; default: the one on PATH, or the one that stalemate
   * has built.
   */
  readonly toxiproxy?: string;
  /** Called with the existing cluster that is used, and with what could not be deleted there. */
  readonly onCluster?: (line: string) => void;
  /** How a kind cluster is created, if the run uses one. */
  readonly kind?: KindOptions;
  /** An existing kind cluster, which is not deleted. */
  readonly kindAccess?: KindAccess;
  /** The existing cluster, and the permissions there. */
  readonly existing?: Pick<
    StalemateOptions,
    'kubeconfig' | 'context' | 'allowContexts' | 'allowClusters' | 'namespacePrefix' | 'allowClusterWrites'
  >;
  /** Environment variables of a process target: they are not stored, because they may be secrets. */
  readonly env?: { readonly [name: string]: string };
  /** Environment variables of the programs beside the target, by program name; not stored either. */
  readonly programEnv?: { readonly [name: string]: { readonly [name: string]: string } };
  /** What a process target can reach; never read from the counterexample; default "none". */
  readonly network?: Network;
  /** Which files the program sees; default `own`. */
  readonly fileSystem?: FileSystem;
  /** How time passes for the program; default: as it did when the failure was found. */
  readonly time?: ProgramTime;
  /** The target that the caller expects: a counterexample of another target is refused. */
  readonly target?: string;
  readonly configFile?: string;
  /** The report folder of the counterexample: references of a process that its campaign has measured are reused. */
  readonly reportDir?: string;
  /** Called when another phase begins: `load`, `references`, `replay`, `shrink`, `reproduce`. */
  readonly onPhase?: (phase: string) => void;
  readonly signal?: AbortSignal;
}

export const REPLAY_TIMES = 5;

/**
 * Runs a counterexample again.
 *
 * @throws {TARGET_MISMATCH} if its target does not exist, or differs from the caller's.
 */
export async function replay(counterexample: Counterexample, context: ReplayContext = {}): Promise<ReplayResult> {
  const target = targetOf(counterexample, context);
  const configFile = context.configFile === undefined ? null : resolve(context.configFile);
  const wanted = counterexample.signature.property;
  const known = (await knownProperties(configFile)).filter(({ name }) => name === wanted);
  if (known.length === 0) {
    throw new HarnessError(
      'CONFIG_INVALID',
      `the counterexample violates property "${wanted}", which is not in the catalogue; expected a configuration that has it, pass it with --config`,
    );
  }
  const cluster = clusterFor(counterexample, context.cluster);
  const cwd = context.cwd ?? process.cwd();
  const toxiproxy = toxiproxyFor(counterexample.schedule, {
    cluster,
    isProcess: target.process !== null,
    cwd,
    ...given({ toxiproxy: context.toxiproxy }),
  });
  const { coOwned = [], volatile = [] } = configFile === null ? {} : await loadConfigFile(configFile);
  const existing = existingOf({ ...context.existing, cluster }, cwd);
  const again = (kindAccess?: KindAccess): Promise<ReplayResult> =>
    replayCounterexample(restoreCounterexample(counterexample, new Vault()).value, {
      declared: { coOwned, volatile },
      times: context.times ?? REPLAY_TIMES,
      ...given({ shrink: context.shrink, timeMs: context.timeMs }),
      cluster,
      ...(existing === null ? {} : { existing }),
      ...given({ kindAccess }),
      toxiproxy,
      target,
      properties: known,
      workerEntry: WORKER,
      configFile,
      ...(context.reportDir === undefined ? {} : { reportDir: resolve(cwd, context.reportDir) }),
      ...given({ signal: context.signal, onPhase: context.onPhase }),
    });
  if (existing !== null) return onExisting(existing, () => again(), context.onCluster);
  const { kind, kindAccess, signal, onCluster, reportDir = '.stalemate' } = context;
  if (kindAccess !== undefined)
    return again(cluster === 'kind' || target.process?.inCluster === true ? kindAccess : undefined);
  const images = imagesFor({ process: target.process, project: counterexample.project ?? null });
  return withKind({ cluster, kind, images, reportDir: resolve(cwd, reportDir), signal, say: onCluster }, again);
}

/** @throws {CONFIG_INVALID} for a request that only the embedded server supports. */
function clusterFor({ project, target, cluster: stored }: Counterexample, cluster = stored): ClusterKind {
  // A target in a pod does not determine the API server: a pod can reach the embedded one as well.
  if ('command' in target && target.inCluster === true) return cluster ?? 'kind';
  return clusterOf({
    ...given({ cluster }),
    ...(project === undefined ? {} : { manifests: ['manifests'] }),
  });
}

function targetOf(counterexample: Counterexample, context: ReplayContext): SubjectTarget {
  const { cwd = process.cwd(), target, env = {}, network = 'none', fileSystem = 'own', time } = context;
  const stored = counterexample.target;
  if ('command' in stored) {
    const { command, directory, programs, ...manner } = {
      ...{ programs: {}, ...stored, network },
      ...given({ time }),
    };
    const started = resolveCommand({ command, directory: resolve(cwd, directory), env, fileSystem, manner });
    const beside = Object.entries(programs).map(([name, program]) => [
      name,
      startedBeside(program, cwd, context.programEnv?.[name] ?? {}),
    ]);
    const whole = beside.length === 0 ? started : { ...started, programs: Object.fromEntries(beside) };
    return { target: '', process: whole, transport: 'http-library' };
  }
  const { module, transport } = stored;
  const recorded = resolve(cwd, module);
  if (target !== undefined && resolve(cwd, target) !== recorded) {
    throw new HarnessError(
      'TARGET_MISMATCH',
      `the counterexample is for target "${module}", got "${target}"; replay it without --target, or find the failure again for this target`,
    );
  }
  if (existsSync(recorded)) {
    const inRealTime = (context.cluster ?? counterexample.cluster ?? 'embedded') !== 'embedded';
    const started = inRealTime ? moduleAsProcess(recorded, counterexample.config.effects === true) : null;
    return { target: recorded, process: started, transport };
  }
  throw new HarnessError(
    'TARGET_MISMATCH',
    `the counterexample is for target "${module}", expected it at "${recorded}", where nothing is; replay it from the folder that it was recorded in`,
  );
}

/** Checks a stored history again, with the current properties and your own, without running anything. */
export function recheck(record: FindingRecord, own: readonly Property[] = []): CheckReport {
  return recheckRecord(record, [...properties, ...own]);
}

/** The result of one property for a recording. */
export interface RecordingResult {
  readonly property: string;
  readonly result: CheckResult;
  /** False if nothing in the recording could have violated the claim: the result "holds" means nothing then. */
  readonly exercised: boolean;
}

/** Checks a recording with each built-in property and each of the user's own. */
export function judgeRecording({ history }: Recording, own: readonly Property[] = []): readonly RecordingResult[] {
  return judge(history, [...properties, ...own]).map(({ property, result }) => ({
    property: property.name,
    result,
    exercised: property.exercised?.(history) ?? true,
  }));
}
