/** How one run is made. */
import type { ClusterState } from '../../clusters/cluster.ts';
import type { RunSettings } from '../../model/counterexample.ts';
import type { Scheduler } from '../../model/item.ts';
import type { DrawnNames } from '../../model/reference.ts';
import type { Workload } from '../../model/workload.ts';
import type { NamespacedOptions } from './namespaced-options.ts';
import type { Stopwatch } from './stopwatch.ts';
import type { WarmPlace } from './warm-place.ts';
import type { Host } from './host.ts';

export interface TrialOptions extends NamespacedOptions {
  readonly host: Host;
  readonly snapshot: ClusterState;
  readonly settings: RunSettings;
  readonly workload: Workload;
  /** Decides during contention. */
  readonly scheduler: Scheduler;
  /** Labels of the schedule that never came up, asked once contention is over. */
  readonly missed?: () => readonly string[];
  /** Whether reads put off rest; `when-new`: those that have not been asked several times since anything changed. */
  readonly readsAreActivity?: boolean | 'when-new';
  /** What the target has done undisturbed before contention begins. */
  readonly habit?: Habit;
  /** How long the target may be silent, in ms, before it goes on by itself: no window is shorter, unless one is asked for. */
  readonly pauseMs?: number;
  /** Items that its work takes undisturbed, from its start to rest: so many without a pause are no loop. */
  readonly workItems?: number;
  /** Names that the target draws itself. */
  readonly drawnNames?: DrawnNames;
  /** Seeds other than the settings' own, for references. */
  readonly seed?: number;
  /** Run time at which the clock starts, after the epoch; for references. */
  readonly clockOffsetMs?: number;
  /** Overrides the settle window, for suspects. */
  readonly settleWindowMs?: number;
  /** However long activity lasts, settling ends after so many windows of waiting for more. */
  readonly settleWindowsMax?: number;
  /** From settle on, the target is not shown its own writes. */
  readonly withholdEcho?: boolean;
  /** The target lives through the crashes of the schedule. */
  readonly withoutCrashes?: boolean;
  /** After settling, a fresh incarnation takes over and settles too. */
  readonly freshIncarnation?: boolean;
  /** After settling, this much more run time passes with nothing to do. */
  readonly idleMs?: number;
  /** Measures the phases of the run. */
  readonly stopwatch?: Stopwatch;
  /** Where a target is kept that lives through many runs; it is started there when none is. */
  readonly place?: WarmPlace;
}

/**
 * What a target does when it starts and when the sample is applied, as the references saw it. On a busy machine a process may pause
 * in the middle of that for longer than it is given to be at rest.
 */
export interface Habit {
  /** Watches that it opens. */
  readonly watches: number;
  /** Changes that it makes of the sample; absent until runs that begin with it have shown. */
  readonly changes?: number;
}
