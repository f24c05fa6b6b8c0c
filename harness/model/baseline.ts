/**
 * Budgets: what a target took of the API server when somebody last looked and found it right, and how much more it may take.
 *
 * Owns: what is measured, and when a measure is over its budget. Ratios to what was measured, no constants of our own.
 */
import { roleOf } from './actor.ts';
import type { ClusterKind } from './cluster.ts';
import type { CounterexampleTarget } from './counterexample.ts';
import { isWrite, type History } from './history.ts';

/** Measures by name; those `perRun` are averages over the runs of a campaign, the others come from undisturbed runs. */
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

/** What the averages over disturbed runs depend on. */
export interface BaselineConditions {
  readonly cluster: ClusterKind;
  readonly writers: readonly string[];
  readonly faults: readonly string[];
  /** Taken from a soak, whose runs have fewer of either at a time. */
  readonly soak?: true;
}

/** The checked-in file. */
export interface Baseline {
  readonly version: 1;
  readonly kind: 'baseline';
  readonly target: CounterexampleTarget;
  readonly conditions: BaselineConditions;
  /** Runs of the campaign that it was taken from. */
  readonly runs: number;
  /** How many times the baseline a measure may reach. */
  readonly ratio: number;
  /** The same for single measures. */
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
/** Averages over fewer runs say little. */
export const BASELINE_RUNS_MIN = 50;
/** A small number may grow by one, whatever its ratio: the next request after none is no trend. */
const GROWTH_MIN = 1;

/** Compares what both have; averages only where enough runs stand behind both. */
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

/** A measure as it is stored: two digits are as much as it means. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** What the target asked of the server in a run: watches are not counted, which come and go by nature. */
export interface Load {
  readonly requests: number;
  readonly writes: number;
  /** Writes answered 409. */
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
