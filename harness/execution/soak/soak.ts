/**
 * Runs a soak: campaigns one after the other until the budget is used up, each with its own seed and its own draw of settings.
 *
 * Owns: the length of a batch, which batch is next, which lines are written and when. All state is in the lines, which outlive the process:
 * after a kill, the next process continues from them. Does not own: the campaign (`campaign/campaign.ts`), the file (`cli/soak/`), merging
 * lines (`report/soak/merge.ts`). Start at {@link runSoak}.
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
import { given } from '../../model/given.ts';
import { batchRandom } from './place.ts';
import { drawBatch } from './swarm.ts';
import type { SoakState } from './soak-state.ts';

/**
 * The length of a batch: long enough that loading and measuring the target is a small part of it, short enough that little is lost if it
 * fails.
 */
const BATCH_MS = { module: 60_000, process: 300_000 } as const;
const BATCH_RUNS = { module: 10_000, process: 300 } as const;
/** The minimum number of batches: a short budget is divided too, but each batch first has to measure the target. */
const BATCHES_MIN = 4;
const BATCH_MS_MIN = { module: 5_000, process: 120_000 } as const;
/** If less than this share of a batch remains in the budget, the remainder is added to the last batch. */
const REST = 0.5;
/** The size limit of a stored inconclusive run, in characters: the runs of all shards are loaded together. */
const RECORDING_MAX = 5_000_000;
/** The number of consecutive failed batches that ends a soak. */
const FAILED_MAX = 3;

export interface BatchContext {
  /** The strategies to search with; absent for the search's default mix. */
  readonly strategies?: readonly StrategyName[];
  /** How runs start; absent if both kinds of start are allowed. */
  readonly start?: Workload['start'];
  readonly expected: readonly KnownCause[];
  readonly signal: AbortSignal;
  readonly events: CampaignEvents;
}

export interface SoakOptions {
  readonly shard: Shard;
  readonly place: SoakPlace;
  readonly state: SoakState;
  /** Causes that were known before the soak. */
  readonly expected: readonly KnownCause[];
  /** Runs one campaign; its events and result contain no secrets. */
  readonly campaign: (config: RunConfig, context: BatchContext) => Promise<CampaignResult>;
  /** Writes a line durably. */
  readonly append: (line: SoakLine) => SoakEntry;
  readonly onFinding: (finding: Finding, news: 'new' | 'smaller') => void;
  /** Called when a batch fails, and before giving up. */
  readonly onWarning: (text: string) => void;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

/** Continues a soak from its state until the budget is used up, enough is found, the user stops it, or too many batches have failed. */
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
      // A target that cannot be controlled or ends its workers will do the same in later batches.
      if (failed < FAILED_MAX || signal.aborted) continue;
      options.onWarning(
        `${FAILED_MAX} batches in a row ended long before their time, so the search ends here; start it again to continue`,
      );
      return;
    } catch (error) {
      // A soak must survive a loaded machine or a cluster that was briefly unavailable, but an error in the files ends it.
      const mayPass =
        error instanceof HarnessError && error.exitCode === EXIT.inconclusive && error.code !== 'OUTPUT_FAILED';
      if (!mayPass) throw error;
      put(options, { line: 'failed', batch, message: error.message });
      if (++failed >= FAILED_MAX) throw error;
      options.onWarning(`a batch failed, the next one starts: ${error.message}`);
    }
  }
}

/** Reports whether a campaign ended long before its time. */
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
      // The finding is still reported, but searching on is useless if nothing can be written.
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

/** Returns the budget of the next batch; undefined if nothing is left. */
function nextBudget(config: Pick<RunConfig, 'budget' | 'process'>, state: SoakState): Budget | undefined {
  const left = leftOf(config, state);
  const batch = batchOf(config);
  if (left <= 0) return undefined;
  const size = left < batch * (1 + REST) ? left : batch;
  return config.budget.unit === 'ms' ? { unit: 'ms', timeMs: size } : { unit: 'runs', runs: size };
}

/**
 * Returns the remaining budget, in the budget's own unit. An interrupted batch counts in full, so that a machine that crashes repeatedly
 * still reaches the end. For a budget of runs, only completed runs count.
 */
export function leftOf(config: Pick<RunConfig, 'budget' | 'process'>, state: SoakState): number {
  const { budget } = config;
  if (budget.unit === 'runs') return Math.max(0, budget.runs - state.runs);
  return Math.max(0, budget.timeMs - state.spentMs - state.cutShort * batchOf(config));
}

/** Returns the length of a batch, in the unit of the budget. */
function batchOf({ budget, process }: Pick<RunConfig, 'budget' | 'process'>): number {
  const kind = process === null ? 'module' : 'process';
  const [whole, most, least] =
    budget.unit === 'ms' ? [budget.timeMs, BATCH_MS[kind], BATCH_MS_MIN[kind]] : [budget.runs, BATCH_RUNS[kind], 1];
  return Math.max(least, Math.ceil(Math.min(most, whole / BATCHES_MIN)));
}

/** Returns the progress of the whole soak. */
function overall(facts: Progress, config: RunConfig, batch: Budget, state: SoakState): Progress {
  const { remainingMs, ...rest } = facts;
  const left =
    batch.unit === 'ms' && remainingMs !== undefined
      ? { remainingMs: leftOf(config, state) - batch.timeMs + remainingMs }
      : {};
  return { ...rest, ...left, runs: state.runs + facts.runs, findings: state.causes };
}

/** Writes a line and updates the state. Returns whether the line contains a new or a smaller finding; undefined if it contains neither. */
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
    ...given({ symptoms: result.seen?.symptoms, remarks: result.remarks, waived: result.waived, use }),
  };
}
