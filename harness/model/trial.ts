/** A trial: one workload under one schedule. Values are immutable; what a run did with them lives beside them. */
import { scheduleSize, type Schedule } from './schedule.ts';
import type { Workload } from './workload.ts';

export type StrategyName =
  | 'random-walk'
  | 'pos'
  | 'conflict-pct'
  | 'starvation'
  | 'lag'
  | 'collide'
  | 'intermediate-state'
  | 'stale-state'
  | 'unobserved-state';

/** Asks the search strategy, seeded, to make the decisions; the trace becomes a labelled schedule when it is worth keeping. */
export interface Search {
  readonly strategy: StrategyName;
  readonly seed: number;
  /** After this many items, uniformly random (fair tail). */
  readonly fairAfter: number;
  /**
   * Fault kinds that may occur, and the chance per item in 1/10000 (swarm switches whole kinds off); 0 for what only the strategy
   * itself may ask for.
   */
  readonly faults: { readonly [kind: string]: number };
}

export interface Trial {
  readonly workload: Workload;
  readonly schedule: Schedule;
  /** Present while searching; absent in a replay. */
  readonly search?: Search;
}

/** Whether nothing disturbs the target in it: no other writer, no edit by a user, no deviation from the default order. */
export function isUndisturbed({ workload, schedule, search }: Trial): boolean {
  return search === undefined && workload.programs.every(({ ops }) => ops.length === 0) && scheduleSize(schedule) === 0;
}
