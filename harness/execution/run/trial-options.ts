/** How one run is made: what is there when it begins, when it is at rest, and what is asked of it then. Start at {@link resolveTrial}. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ClusterState } from '../../clusters/cluster.ts';
import type { Recorder } from '../../gate/recorder.ts';
import type { RunSettings } from '../../model/counterexample.ts';
import type { Scheduler } from '../../model/item.ts';
import type { DrawnNames } from '../../model/reference.ts';
import type { Program, Workload } from '../../model/workload.ts';
import type { Host } from './host.ts';
import type { Live } from './live.ts';
import type { NamespacedOptions } from './namespaced-options.ts';
import type { Stopwatch } from './stopwatch.ts';
import type { WarmPlace } from './warm-place.ts';

export interface TrialOptions {
  readonly start: TrialStart;
  readonly settle: TrialSettle;
  readonly probe: TrialProbe;
}

/** What a run begins with, up to the end of contention. */
export interface TrialStart {
  readonly host: Host;
  readonly snapshot: ClusterState;
  readonly workload: Workload;
  readonly decide: Decide;
  readonly stepsMax: number;
  readonly serialised: boolean;
  readonly seed: number;
  /** Run time at which the clock starts, after the epoch. */
  readonly clockOffsetMs: number;
  /** Names that the target draws itself. */
  readonly drawnNames: DrawnNames;
  /** What the target has done undisturbed before contention begins, where that is known of this start. */
  readonly habit: Habit | undefined;
  readonly seedObjects: readonly KubeObject[] | undefined;
  /** Where a target is kept that lives through many runs; it is started there when none is. */
  readonly place: WarmPlace | undefined;
  /** Measures the phases of the run. */
  readonly stopwatch: Stopwatch;
}

/** Makes what decides during contention; it notes what it decides. */
export type Decide = (note: Recorder['decision']) => {
  readonly scheduler: Scheduler;
  /** Labels of the schedule that never came up, asked once contention is over. */
  readonly missed: () => readonly string[];
};

/** When a run is at rest. */
export interface TrialSettle {
  /** Whether reads put off rest; `when-new`: those that have not been asked several times since anything changed. */
  readonly readsAreActivity: boolean | 'when-new';
  /** How long the target may be silent, in ms, before it goes on by itself. */
  readonly pauseMs: number;
  /** How long the target has to be silent … */
  readonly windowMs: number;
  /** … and how long where its pauses have been waited out already. */
  readonly waitedWindowMs: number;
  /** However long activity lasts, settling ends after so many windows of waiting for more … */
  readonly windowsMax: number;
  /** … or after so many items. */
  readonly stepsMax: number;
  /** Items that the target's work takes undisturbed, from its start to rest: so many without a pause are no loop. */
  readonly workItems: number;
  /** The target is not shown its own writes. */
  readonly withholdEcho: boolean;
}

/** What happens once a run has come to rest. */
export interface TrialProbe {
  /** This much more run time passes with nothing to do. */
  readonly idleMs: number;
  readonly afterRest: readonly Program[];
  /** A fresh incarnation takes over and settles too. */
  readonly freshIncarnation: boolean;
  readonly atRest: ((live: Live) => Promise<void>) | undefined;
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

/** How a target goes about its work. */
export interface Habits {
  /** Reads do not count as activity for a target that polls by nature. */
  readsAreActivity: boolean;
  /** How long it may be silent before it goes on by itself, in ms; 0 until measured. */
  pauseMs: number;
  /** Items that its work takes undisturbed; absent until measured. */
  workItems?: number;
  /** Names that it draws itself. */
  drawnNames: DrawnNames;
  /** What it does before contention; absent until measured. */
  habit?: Habit;
}

/** What one run has that does not follow from its trial, its settings and what is known of the target. */
export type TrialVariant = NamespacedOptions &
  Partial<
    Pick<TrialStart, 'seed' | 'clockOffsetMs'> &
      Pick<TrialSettle, 'readsAreActivity' | 'pauseMs' | 'windowsMax' | 'withholdEcho'> &
      Pick<TrialProbe, 'idleMs' | 'freshIncarnation'>
  > & {
    /** No window is taken but this one, for suspects. */
    readonly settleWindowMs?: number | undefined;
    /** The target lives through the crashes of the schedule. */
    readonly withoutCrashes?: boolean;
    readonly place?: WarmPlace;
  };

/** However long activity lasts, settling ends after this many windows of waiting for more. */
const SETTLE_WINDOWS_MAX = 6;

/** Fills in what a variant leaves open. */
export function resolveTrial(
  start: Pick<TrialStart, 'host' | 'snapshot' | 'workload' | 'decide' | 'stopwatch'>,
  settings: RunSettings,
  { habit, drawnNames, workItems = 0, ...habits }: Habits,
  variant: TrialVariant,
): TrialOptions {
  const { pauseMs = habits.pauseMs, settleWindowMs, seedObjects } = variant;
  const leastMs = Math.max(settings.settleWindowMs, start.host.pace.settleWindowMs);
  return {
    start: {
      ...start,
      decide: variant.withoutCrashes === true ? withoutCrashFaults(start.decide) : start.decide,
      stepsMax: settings.stepsMax,
      serialised: settings.serialised === true,
      seed: variant.seed ?? settings.seed,
      clockOffsetMs: variant.clockOffsetMs ?? 0,
      drawnNames,
      // Of a target that finds everything there, nobody knows what it will do.
      habit: seedObjects === undefined ? habit : undefined,
      seedObjects,
      place: variant.place,
    },
    settle: {
      readsAreActivity: variant.readsAreActivity ?? habits.readsAreActivity,
      pauseMs,
      windowMs: settleWindowMs ?? Math.max(leastMs, pauseMs),
      waitedWindowMs: settleWindowMs ?? leastMs,
      windowsMax: variant.windowsMax ?? SETTLE_WINDOWS_MAX,
      stepsMax: settings.settleStepsMax,
      workItems,
      withholdEcho: variant.withholdEcho === true,
    },
    probe: {
      idleMs: variant.idleMs ?? 0,
      afterRest: variant.afterRest ?? [],
      freshIncarnation: variant.freshIncarnation === true,
      atRest: variant.atRest,
    },
  };
}

/** Strips crash faults. */
function withoutCrashFaults(decide: Decide): Decide {
  return (note) => {
    const { scheduler, missed } = decide(note);
    const next: Scheduler['next'] = (view) => {
      const choice = scheduler.next(view);
      return choice?.fault?.do === 'crash' ? { item: choice.item } : choice;
    };
    return { scheduler: { holding: () => scheduler.holding(), next }, missed };
  };
}
