/** A trial: one workload under one schedule. Values are immutable; results of a run are kept separately. */
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
  | 'late-list'
  | 'lost-lock'
  | 'gap'
  | 'unobserved-state';

/** Lets a seeded search strategy make the decisions; if the run is worth keeping, they are stored as a labelled schedule. */
export interface Search {
  readonly strategy: StrategyName;
  readonly seed: number;
  /** After this many items, choices are uniformly random (fair tail). */
  readonly fairAfter: number;
  /**
   * Enabled fault kinds, with the chance per item in 1/10000 (swarm testing switches whole kinds off); 0 for kinds that only the strategy
   * itself may request.
   */
  readonly faults: { readonly [kind: string]: number };
}

export interface Trial {
  readonly workload: Workload;
  readonly schedule: Schedule;
  /** Present in a search; absent in a replay. */
  readonly search?: Search;
}

/** Reports whether nothing disturbs the target: no other writer, no edit by a user, no deviation from the default order. */
export function isUndisturbed({ workload, schedule, search }: Trial): boolean {
  return search === undefined && workload.programs.every(({ ops }) => ops.length === 0) && scheduleSize(schedule) === 0;
}
