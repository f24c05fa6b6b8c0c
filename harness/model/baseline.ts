/**
 * Budgets: the load on the API server that a user once measured and accepted, and how far it may grow.
 *
 * Owns: what is measured, and when a measurement exceeds its budget. Budgets are ratios to the measured values; there are no absolute
 * limits.
 */
import { roleOf } from './actor.ts';
import type { ClusterKind } from './cluster.ts';
import type { CounterexampleTarget } from './counterexample.ts';
import { isWrite, type History } from './history.ts';

/** Measures by name. Those that end in `PerRun` are averages over the runs of a campaign, the others come from undisturbed runs. */
export const MEASURES = {
  requestsUndisturbed: 'requests of an undisturbed run',
  writesUndisturbed: 'writes of an undisturbed run',
  idleRequestsPerMinute: 'requests per minute with nothing to do',
  idleWritesPerMinute: 'writes per minute with nothing to do',
  largestBurst: 'most requests that one event led to, undisturbed',
  requestsPerRun: 'requests per disturbed run',
  writesPerRun: 'writes per disturbed run',
  refusedPerRun: 'writes refused per disturbed run',
} as const;

export type MeasureName = keyof typeof MEASURES;
export type Measures = { readonly [name in MeasureName]?: number };

export const MEASURE_NAMES: readonly MeasureName[] = Object.keys(MEASURES).map((name) => name as MeasureName);

/** The settings that averages over disturbed runs depend on: such averages are comparable only if these are equal. */
export interface BaselineConditions {
  readonly cluster: ClusterKind;
  readonly writers: readonly string[];
  readonly faults: readonly string[];
  /** Present if measured in a soak, where each run uses fewer writers and faults. */
  readonly soak?: true;
}

/** The baseline file that a project checks in. */
export interface Baseline {
  readonly version: 1;
  readonly kind: 'baseline';
  readonly target: CounterexampleTarget;
  readonly conditions: BaselineConditions;
  /** The number of runs in the measured campaign. */
  readonly runs: number;
  /** The largest accepted multiple of the baseline. */
  readonly ratio: number;
  /** Overrides of `ratio` for single measures. */
  readonly ratios?: { readonly [name in MeasureName]?: number };
  readonly measures: Measures;
}

export interface BudgetCheck {
  readonly name: MeasureName;
  readonly measured: number;
  readonly baseline: number;
  readonly limit: number;
  readonly exceeded: boolean;
}

export const BASELINE_RATIO = 1.5;
/** The fewest runs for a meaningful average. */
export const BASELINE_RUNS_MIN = 50;
/** The absolute growth that is always accepted: going from 0 to 1 request is not a trend, whatever the ratio. */
const GROWTH_MIN = 1;

/**
 * Compares the measures that the baseline and the campaign have in common; averages only if the conditions are the same and both cover
 * enough runs.
 */
export function checkBudgets(
  { measures, ratio, ratios = {}, runs: runsBefore }: Baseline,
  measured: Measures,
  runs: number,
  sameConditions: boolean,
): readonly BudgetCheck[] {
  const isEnough = sameConditions && Math.min(runs, runsBefore) >= BASELINE_RUNS_MIN;
  return MEASURE_NAMES.flatMap((name) => {
    const [baseline, now] = [measures[name], measured[name]];
    if (baseline === undefined || now === undefined || (name.endsWith('PerRun') && !isEnough)) return [];
    const limit = Math.max(baseline * (ratios[name] ?? ratio), baseline + GROWTH_MIN);
    return [{ name, measured: now, baseline, limit, exceeded: now > limit }];
  });
}

/** Rounds a measure to the two decimal digits that are stored. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The requests of the target in a run. Watches are not counted, since they are closed and reopened routinely. */
export interface Load {
  readonly requests: number;
  readonly writes: number;
  /** Writes rejected with 409. */
  readonly refused: number;
}

export function loadOf({ operations }: History): Load {
  let [requests, writes, refused] = [0, 0, 0];
  for (const { actor, verb, outcome } of operations) {
    if (verb === 'watch' || roleOf(actor) !== 'target') continue;
    requests++;
    if (!isWrite(verb)) continue;
    writes++;
    if (outcome.type === 'fail' && outcome.code === 409) refused++;
  }
  return { requests, writes, refused };
}
