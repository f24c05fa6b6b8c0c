/** Options of one run: its start, its criteria of rest, and the probes made at rest. Start at {@link resolveTrial}. */
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
import { wrapped } from './pump.ts';
import type { Stopwatch } from './stopwatch.ts';

export interface TrialOptions {
  readonly start: TrialStart;
  readonly settle: TrialSettle;
  readonly probe: TrialProbe;
}

/** The options up to the end of contention. */
export interface TrialStart {
  readonly host: Host;
  readonly snapshot: ClusterState;
  readonly workload: Workload;
  readonly decide: Decide;
  readonly stepsMax: number;
  readonly serialised: boolean;
  readonly seed: number;
  /** Offset of the run's clock from the run epoch, in ms. */
  readonly clockOffsetMs: number;
  /** The names that the target itself generates at random. */
  readonly drawnNames: DrawnNames;
  /** The names that the target uses in several namespaces, as `resource/name`. */
  readonly sharedNames: readonly string[];
  /** What the undisturbed target did before contention, if known for this kind of start. */
  readonly habit: Habit | undefined;
  readonly seedObjects: readonly KubeObject[] | undefined;
  /** Measures the real time of the run by part. */
  readonly stopwatch: Stopwatch;
}

/** Creates the scheduler for contention, which records its decisions through `note`. */
export type Decide = (note: Recorder['decision']) => {
  readonly scheduler: Scheduler;
  /** Returns the labels of the schedule that never occurred; called once contention is over. */
  readonly missed: () => readonly string[];
};

/** The criteria by which a run is at rest. */
export interface TrialSettle {
  /** Whether reads postpone rest. With `when-new`, a read does so only until it has been repeated several times since the last change. */
  readonly readsAreActivity: boolean | 'when-new';
  /** How long the target may be silent, in ms, before it continues by itself. */
  readonly pauseMs: number;
  /** How long the target has to be silent to count as at rest, in ms. */
  readonly windowMs: number;
  /** How long the target has to be silent if its pauses have already been waited out, in ms. */
  readonly waitedWindowMs: number;
  /** The number of windows after which settling ends even if activity continues. */
  readonly windowsMax: number;
  /** The number of items after which settling ends. */
  readonly stepsMax: number;
  /** The real time at which settling ends even if activity continues; absent: not limited. */
  readonly untilReal?: number;
  /** The number of items that the undisturbed target needs from its start to rest: that many items without a pause are not yet a loop. */
  readonly workItems: number;
  /** Whether watch events of the target's own writes are withheld from it. */
  readonly withholdEcho: boolean;
}

/** Options of the probes made once a run has come to rest. */
export interface TrialProbe {
  /** Additional run time in ms in which the harness does nothing. */
  readonly idleMs: number;
  readonly afterRest: readonly Program[];
  /** Whether a fresh incarnation replaces the target and settles as well. */
  readonly freshIncarnation: boolean;
  readonly atRest: ((live: Live) => Promise<void>) | undefined;
}

/**
 * What a target does when it starts and when the sample is applied, as measured by the references. On a loaded machine, a process may pause
 * for longer than the settle window in the middle of this.
 */
export interface Habit {
  /** The number of watches that the target opens. */
  readonly watches: number;
  /** The number of changes that the target makes after the sample is applied; absent until runs that start settled have measured it. */
  readonly changes?: number;
}

/** The measured behaviour of a target. */
export interface Habits {
  /** Whether reads count as activity; false for a target that normally polls. */
  readsAreActivity: boolean;
  /** How long the target may be silent before it continues by itself, in ms; 0 until measured. */
  pauseMs: number;
  /** The number of items of the target's undisturbed work; absent until measured. */
  workItems?: number;
  /** The names that the target itself generates at random. */
  drawnNames: DrawnNames;
  /** The names that the target uses in several namespaces, as `resource/name`. */
  sharedNames: readonly string[];
  /** What the target does before contention; absent until measured. */
  habit?: Habit;
}

/** Options of one run that do not follow from its trial, its settings and the measured behaviour of the target. */
export type TrialVariant = NamespacedOptions &
  Partial<
    Pick<TrialStart, 'seed' | 'clockOffsetMs'> &
      Pick<TrialSettle, 'readsAreActivity' | 'pauseMs' | 'windowsMax' | 'withholdEcho'> &
      Pick<TrialProbe, 'idleMs' | 'freshIncarnation'>
  > & {
    /** The settle window in ms, whatever the settings and the target's pauses; used when a suspect runs again. */
    readonly settleWindowMs?: number | undefined;
    /** Whether to ignore the crashes in the schedule. */
    readonly withoutCrashes?: boolean;
  };

/** The number of windows after which settling ends, however long activity lasts. */
const SETTLE_WINDOWS_MAX = 6;

/** Returns the options of a run, with defaults for options that the variant does not set. */
export function resolveTrial(
  start: Pick<TrialStart, 'host' | 'snapshot' | 'workload' | 'decide' | 'stopwatch'>,
  settings: RunSettings,
  { habit, drawnNames, sharedNames, workItems = 0, ...habits }: Habits,
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
      sharedNames,
      // If all objects of the target exist from the start, its usual behaviour does not apply.
      habit: seedObjects === undefined ? habit : undefined,
      seedObjects,
    },
    settle: {
      readsAreActivity: variant.readsAreActivity ?? habits.readsAreActivity,
      pauseMs,
      windowMs: settleWindowMs ?? Math.max(leastMs, pauseMs),
      waitedWindowMs: settleWindowMs ?? leastMs,
      windowsMax: variant.windowsMax ?? SETTLE_WINDOWS_MAX,
      // After a crash at the end of contention, a program repeats all its work while it settles.
      stepsMax: settings.settleStepsMax + (start.host.mode.measuresPauses ? workItems : 0),
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

/** Returns a `decide` whose scheduler ignores crash faults. */
function withoutCrashFaults(decide: Decide): Decide {
  return (note) => {
    const { scheduler, missed } = decide(note);
    const next: Scheduler['next'] = (view) => {
      const choice = scheduler.next(view);
      return choice?.fault?.do === 'crash' ? { item: choice.item } : choice;
    };
    return { scheduler: wrapped(scheduler, next), missed };
  };
}
