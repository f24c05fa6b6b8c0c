/**
 * A soak: campaigns that follow one another until the budget ends, each with a seed and a draw of its own.
 *
 * Owns: how long a batch is, which one is next, what is written down and when. All that is known is in the lines, which outlive the
 * process: after a kill the next one goes on behind them. Does not own: the campaign (`campaign/campaign.ts`), the file (`cli/soak/`), how lines
 * add up (`report/soak/merge.ts`). Start at {@link runSoak}.
 */
import { realDate } from '../../determinism/real-time.ts';
import { causeKey, type KnownCause } from '../../model/cause.ts';
import { EXIT, HarnessError } from '../../model/errors.ts';
import type { CampaignResult, Finding, InconclusiveRun } from '../../model/finding.ts';
import type { BatchResult, Draw, Shard, SoakEntry, SoakLine, SoakPlace, SoakRecord } from '../../model/soak.ts';
import type { StrategyName } from '../../model/trial.ts';
import type { Workload } from '../../model/workload.ts';
import { useColumns } from '../../report/soak/use.ts';
import { recordingOf, recordOf } from '../../report/record.ts';
import { packRecording } from '../../schedule/codec/recording.ts';
import type { CampaignEvents, Progress } from '../api.ts';
import type { Budget, RunConfig } from '../config/run-config.ts';
import { defined } from '../defined.ts';
import { batchRandom } from './place.ts';
import { drawBatch } from './swarm.ts';
import type { SoakState } from './soak-state.ts';

/** Long enough that loading and measuring the target is a small part of it, short enough that little is lost with it. */
const BATCH_MS = { module: 60_000, process: 300_000 } as const;
const BATCH_RUNS = { module: 10_000, process: 300 } as const;
/** A short budget is divided too, but measuring the target comes first in each part. */
const BATCHES_MIN = 4;
const BATCH_MS_MIN = { module: 5_000, process: 120_000 } as const;
/** A rest that is shorter than that part of a batch goes with the one before it. */
const REST = 0.5;
/** Characters of a run that nothing can be said about: those of all shards are read at once. */
const RECORDING_MAX = 5_000_000;
/** So many batches in a row that come to nothing end a soak. */
const FAILED_MAX = 3;

export interface BatchContext {
  /** Absent: the search's own mix. */
  readonly strategies?: readonly StrategyName[];
  /** Absent: either. */
  readonly start?: Workload['start'];
  readonly expected: readonly KnownCause[];
  readonly signal: AbortSignal;
  readonly events: CampaignEvents;
}

export interface SoakOptions {
  readonly shard: Shard;
  readonly place: SoakPlace;
  readonly state: SoakState;
  /** Causes that are known from elsewhere. */
  readonly expected: readonly KnownCause[];
  /** Makes one campaign; what it tells and hands back holds no secret. */
  readonly campaign: (config: RunConfig, context: BatchContext) => Promise<CampaignResult>;
  /** Writes a line where it outlives this process. */
  readonly append: (line: SoakLine) => SoakEntry;
  readonly onFinding: (finding: Finding, news: 'new' | 'smaller') => void;
  /** Hears of a batch that came to nothing, and of giving up. */
  readonly onWarning: (text: string) => void;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

/** Goes on where the state stands, until the budget is used up, enough is found, somebody stops it, or it gives up. */
export async function runSoak(config: RunConfig, options: SoakOptions): Promise<void> {
  const { state, signal } = options;
  let failed = 0;
  while (!signal.aborted) {
    const budget = nextBudget(config, state);
    if (budget === undefined || state.causes >= config.stopAfter) {
      put(options, { line: 'ended' });
      return;
    }
    const batch = state.next;
    const draw = drawBatch(config, batch, batchRandom(options.place.epoch, options.shard, batch));
    put(options, { line: 'begun', batch });
    try {
      const result = await oneBatch(config, budget, draw, batch, options);
      put(options, { line: 'batch', batch, result });
      failed = isCutShort(result, budget) ? failed + 1 : 0;
      // A target that cannot be controlled, or takes its workers down, makes no better batches later.
      if (failed < FAILED_MAX || signal.aborted) continue;
      options.onWarning(
        `${FAILED_MAX} batches in a row ended long before their time, so the search ends here; start it again to continue`,
      );
      return;
    } catch (error) {
      // A machine that was busy or a cluster that was gone for a moment ends no night; what is wrong with the files does.
      const mayPass =
        error instanceof HarnessError && error.exitCode === EXIT.inconclusive && error.code !== 'OUTPUT_FAILED';
      if (!mayPass) throw error;
      put(options, { line: 'failed', batch, message: error.message });
      if (++failed >= FAILED_MAX) throw error;
      options.onWarning(`a batch failed, the next one starts: ${error.message}`);
    }
  }
}

/** Whether a campaign gave up long before its time. */
function isCutShort({ runs, elapsedMs }: BatchResult, budget: Budget): boolean {
  return budget.unit === 'ms' ? elapsedMs < budget.timeMs / 2 : runs < budget.runs / 2;
}

async function oneBatch(
  config: RunConfig,
  budget: Budget,
  { seed, writers, faults, strategies, start }: Draw,
  batch: number,
  options: SoakOptions,
): Promise<BatchResult> {
  const { state } = options;
  const stop = new AbortController();
  let broken: unknown;
  const onFinding = (finding: Finding): void => {
    try {
      const { also } = finding;
      const names = also === undefined ? {} : { also };
      const news = put(options, { line: 'finding', batch, record: recordOf(finding) as SoakRecord, ...names });
      if (news !== undefined) options.onFinding(finding, news);
    } catch (error) {
      // It is told all the same; but what cannot be written down any more need not be searched for.
      broken ??= error;
      options.onFinding(finding, 'new');
      stop.abort();
    }
  };
  const onInconclusive = (run: InconclusiveRun): void => {
    if (broken !== undefined || !state.isToKeep(run)) return;
    try {
      const recording = recordingOf(run);
      if (JSON.stringify(packRecording(recording)).length <= RECORDING_MAX)
        put(options, { line: 'inconclusive', batch, recording });
    } catch (error) {
      broken = error;
      stop.abort();
    }
  };
  const stopAfter = config.stopAfter - state.causes;
  const result = await options.campaign(
    { ...config, budget, seed, writers, faults, stopAfter },
    {
      ...(strategies === null ? {} : { strategies }),
      ...(start === null ? {} : { start }),
      expected: [...options.expected, ...(Number.isFinite(stopAfter) ? state.known() : state.settled())],
      signal: AbortSignal.any([options.signal, stop.signal]),
      events: {
        onFinding,
        onInconclusive,
        onProgress: (facts) => options.onProgress(overall(facts, config, budget, state)),
      },
    },
  );
  if (broken !== undefined) throw broken;
  return batchResult(result, { seed, writers, faults, strategies, start });
}

/** Undefined when nothing is left. */
function nextBudget(config: Pick<RunConfig, 'budget' | 'process'>, state: SoakState): Budget | undefined {
  const left = leftOf(config, state);
  const batch = batchOf(config);
  if (left <= 0) return undefined;
  const size = left < batch * (1 + REST) ? left : batch;
  return config.budget.unit === 'ms' ? { unit: 'ms', timeMs: size } : { unit: 'runs', runs: size };
}

/**
 * What is left of the budget, in its own unit. A batch that was cut short takes its whole time of it: a machine that goes down again and
 * again comes to an end too. Runs are asked for by number, and only those that were made count.
 */
export function leftOf(config: Pick<RunConfig, 'budget' | 'process'>, state: SoakState): number {
  const { budget } = config;
  if (budget.unit === 'runs') return Math.max(0, budget.runs - state.runs);
  return Math.max(0, budget.timeMs - state.spentMs - state.cutShort * batchOf(config));
}

/** How long a batch is, in the unit of the budget. */
function batchOf({ budget, process }: Pick<RunConfig, 'budget' | 'process'>): number {
  const kind = process === null ? 'module' : 'process';
  const [whole, most, least] =
    budget.unit === 'ms' ? [budget.timeMs, BATCH_MS[kind], BATCH_MS_MIN[kind]] : [budget.runs, BATCH_RUNS[kind], 1];
  return Math.max(least, Math.ceil(Math.min(most, whole / BATCHES_MIN)));
}

/** How far the whole soak is. */
function overall(facts: Progress, config: RunConfig, batch: Budget, state: SoakState): Progress {
  const { remainingMs, ...rest } = facts;
  const left =
    batch.unit === 'ms' && remainingMs !== undefined
      ? { remainingMs: leftOf(config, state) - batch.timeMs + remainingMs }
      : {};
  return { ...rest, ...left, runs: state.runs + facts.runs, findings: state.causes };
}

/** Writes a line down and learns from it. */
function put({ place, append, state }: SoakOptions, line: PlacelessLine): 'new' | 'smaller' | undefined {
  const at = realDate().toISOString();
  return state.take(append({ version: 1, kind: 'soak-line', ...place, at, ...line }));
}

type Placeless<L> = L extends SoakLine ? Omit<L, 'version' | 'kind' | 'at' | keyof SoakPlace> : never;
type PlacelessLine = Placeless<SoakLine>;

function batchResult(result: CampaignResult, draw: Draw): BatchResult {
  const { distinctBehaviours: _, ...contention } = result.contention;
  const use = useColumns(result);
  const found = result.findings.map(({ violation, stats }) => [causeKey(violation), stats.count]);
  return {
    ...draw,
    interrupted: result.besides === 'interrupted',
    diverged: result.diverged === true,
    runs: result.runs,
    verified: result.verified,
    elapsedMs: result.elapsedMs,
    contention,
    counts: { ...result.seenAgain, ...(Object.fromEntries(found) as { readonly [cause: string]: number }) },
    perProperty: result.perProperty,
    inconclusive: result.inconclusive,
    warnings: result.warnings,
    measures: result.measures ?? {},
    behaviours: result.seen?.behaviours ?? [],
    situations: result.seen?.situations ?? [],
    ...defined({ symptoms: result.seen?.symptoms, remarks: result.remarks, waived: result.waived, use }),
  };
}
