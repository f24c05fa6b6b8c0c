/**
 * Run modes: what the harness does differently for a module, for a program in virtual time and for a program in real time.
 *
 * Runs of a module can be repeated exactly and take milliseconds. Runs of a program differ, take about a second, and are judged while the
 * program is still running. In real time, waiting is expensive too. Owns: every policy that follows from these facts, as values for the
 * rest of the code. Does not own: which mode a target has; its host selects it (`hosts/`).
 */
import type { StrategyName } from '../../model/trial.ts';
import { EXTENDED_SETTLE_MS } from '../../oracle/rest.ts';
import { PROCESS_MIX, STRATEGY_MIX } from '../../schedule/arbitrary.ts';
import type { Pace } from './pace.ts';

export interface RunMode {
  /** The time limits, except those that the target's author sets. */
  readonly pace: Omit<Pace, 'readyWithinMs' | 'graceMs'>;
  /** Whether waiting takes real time, and it is unknown what ends a wait. If not, the clock jumps to the next timer or other due event. */
  readonly waitsForReal: boolean;
  /** Whether a run is judged before it is torn down. If not, it is judged afterwards, and each requested probe is a separate run. */
  readonly judgesLive: boolean;
  /** Whether the schedule of a searched run is derived while the run is made. If not, the run is made again once its schedule is needed. */
  readonly derivesAtOnce: boolean;
  /** Whether two runs of a trial must have the same history. If so, a sample of trials is run twice; a difference ends the campaign. */
  readonly comparesRuns: boolean;
  /** Returns the number of parallel runs. */
  readonly laneCount: (processors: number) => number;
  /** Whether a check run determines if the target can be controlled, and how it comes to rest. */
  readonly checksControl: boolean;
  /** Whether every request that the target sends while it starts postpones rest. */
  readonly startIsActivity: boolean;
  /**
   * Whether references measure how long the target pauses and what it does before contention; one observation at rest is then enough. If
   * not, each reference run is observed at rest.
   */
  readonly measuresPauses: boolean;
  /** Limits of observing a target at rest; `null` if it is not observed. */
  readonly lookOn: { readonly itemsMax: number; readonly realMs: number } | null;
  /** The strategies that a search draws from by default. */
  readonly strategies: readonly StrategyName[];
  /**
   * Whether writers aim at the objects that the target writes, and every other trial is a single deviation from an undisturbed run. This
   * saves trials.
   */
  readonly aims: boolean;
  readonly proof: ProofPolicy;
  /** Whether a replay that never reproduces the finding is repeated with its anchors moved to other labels. */
  readonly reanchors: boolean;
}

/** How findings are shrunk and reproduced. */
export interface ProofPolicy {
  /** The number of runs that reproduce a finding. */
  readonly times: number;
  /** For each deviation of the finding, the number of runs without that deviation. */
  readonly timesWithout: number;
  /** When the trial as found counts as failing; otherwise it is not shrunk. */
  readonly first: FailRule;
  /** Returns when a smaller form counts as failing, given how often the trial as found failed. */
  readonly smaller: (first: Tried) => FailRule;
  /** The number of larger forms that are reproduced too if the smallest fails too rarely. */
  readonly stepsBack: number;
  /** Returns the limit for shrinking one finding, in ms of real time. `searchMs` is the time left for the search. */
  readonly shrinkMs: (searchMs: number) => number;
  /**
   * Whether a search first tests enough for a verdict and then shrinks the violations that it has seen: proving one takes as long as dozens
   * of runs.
   */
  readonly exploresFirst: boolean;
  /** Whether runs are cut short when the time for proving a finding is up; false if runs are too short to need that. */
  readonly isTimed: boolean;
  /** Whether a finding that did not fail again is reported. If not, its run counts as inconclusive. */
  readonly reportsUnreproduced: boolean;
}

/** When a form counts as failing: in `need` of `of` runs. */
export interface FailRule {
  readonly need: number;
  readonly of: number;
}

/** The result of repeating a trial: it failed in `k` of `n` runs. */
export interface Tried {
  readonly k: number;
  readonly n: number;
}

/** The maximum number of lanes, however many processors there are: each lane has a separate process. */
const LANES_MAX = 5;

/** The limit for shrinking a module's finding, in ms of real time; after that, the finding is reported in the size reached. */
const SHRINK_MS = 10_000;
/** The limit for shrinking a program's finding, in ms of real time: each run takes a second. */
const SHRINK_PROGRAM_MS = 90_000;
/** The share of the remaining search time for shrinking a program's finding while the search continues, and the minimum in ms. */
const SEARCH_SHARE = { share: 1 / 3, leastMs: 15_000 } as const;

/** The rule for modes in which runs of the same trial never differ. */
const ONCE: FailRule = { need: 1, of: 1 };
/** The rule if runs differ and one failure proves nothing: a form that fails in one of ten runs could pass for one that always fails. */
const TWICE: FailRule = { need: 2, of: 2 };
/** If the trial as found fails less often than this, smaller forms get an additional run. */
const TWICE_RATE_MIN = 0.8;
const FLICKERING: FailRule = { need: 2, of: 3 };
/** A finding must fail in two of eight runs; otherwise it is dropped. */
const FIRST: FailRule = { need: 2, of: 8 };

/** A module in this process, in virtual time: everything can be repeated exactly. */
export const MODULE_MODE: RunMode = {
  // The idle window is longer than a resync period of half a minute, and short enough to be cheap.
  pace: {
    setupWindowMs: 2_000,
    contentionWaitMs: 2_000,
    rewatchMs: 0,
    busyMs: 0,
    settleWindowMs: 0,
    idleMs: 60_000,
    suspectMs: EXTENDED_SETTLE_MS,
    againMs: EXTENDED_SETTLE_MS,
  },
  waitsForReal: false,
  judgesLive: false,
  derivesAtOnce: false,
  comparesRuns: true,
  laneCount: () => 1,
  checksControl: true,
  startIsActivity: false,
  measuresPauses: false,
  // The number of items is limited, because observing a target blocks the worker: both run in this process. Real time is not limited, so
  // that the idle hours are the same on every machine.
  lookOn: { itemsMax: 1_000, realMs: Number.POSITIVE_INFINITY },
  strategies: STRATEGY_MIX,
  aims: false,
  proof: {
    times: 5,
    timesWithout: 1,
    first: ONCE,
    smaller: () => ONCE,
    stepsBack: 0,
    shrinkMs: () => SHRINK_MS,
    exploresFirst: false,
    isTimed: false,
    reportsUnreproduced: true,
  },
  reanchors: true,
};

/** The policies that all programs share, in virtual and in real time. */
const PROGRAM = {
  judgesLive: true,
  derivesAtOnce: true,
  comparesRuns: false,
  checksControl: false,
  startIsActivity: true,
  measuresPauses: true,
  strategies: PROCESS_MIX,
  aims: true,
  proof: {
    // A program does not behave the same way every time.
    times: 10,
    timesWithout: 3,
    first: FIRST,
    smaller: ({ k, n }) => (k >= n * TWICE_RATE_MIN ? TWICE : FLICKERING),
    stepsBack: 2,
    // The first finding must not use up the time to search for other bugs.
    shrinkMs: (searchMs) =>
      searchMs <= 0
        ? SHRINK_PROGRAM_MS
        : Math.min(SHRINK_PROGRAM_MS, Math.max(SEARCH_SHARE.leastMs, searchMs * SEARCH_SHARE.share)),
    exploresFirst: true,
    isTimed: true,
    reportsUnreproduced: false,
  },
  reanchors: false,
} satisfies Partial<RunMode>;

/** A program with a steered clock. Silence is cheap here: the clock jumps to the next timer or other event. */
export const VIRTUAL_MODE: RunMode = {
  ...PROGRAM,
  pace: {
    setupWindowMs: 1_000,
    contentionWaitMs: 2_000,
    rewatchMs: 5_000,
    busyMs: 0,
    firstWindowMs: 10_000,
    settleWindowMs: 3_000,
    idleMs: 60_000,
    suspectMs: 60_000,
    // This is client-go's longest back-off, 1000 s, with jitter.
    backOffMs: 1_100_000,
    // This covers resyncs and intervals of half an hour, by which operators repair things. Servers end watches after half an hour to an hour,
    // and clients that list again then would repair what they have missed.
    aloneMs: 1_900_000,
    againMs: 60_000,
  },
  waitsForReal: false,
  // A program hardly waits, and several programs on one processor only evict each other's caches. One more lane uses the moments in which
  // no program computes.
  laneCount: (processors) => Math.min(LANES_MAX, processors + 1),
  // A target that renews a lock every two seconds reaches the limit of items long before the end of the look.
  lookOn: { itemsMax: 8_000, realMs: 3_000 },
};

/** A program in real time. The windows suit a program that reacts within milliseconds; the settle window covers slower ones. */
export const REAL_MODE: RunMode = {
  ...PROGRAM,
  pace: {
    setupWindowMs: 150,
    contentionWaitMs: 200,
    rewatchMs: 5_000,
    busyMs: 8_000,
    firstWindowMs: 3_000,
    settleWindowMs: 0,
    idleMs: 2_000,
    suspectMs: 60_000,
    againMs: 8_000,
  },
  waitsForReal: true,
  // A program waits most of the time, without using a processor. Two processors make the five runs of a replay at once.
  laneCount: (processors) => Math.min(LANES_MAX, 2 * processors + 1),
  lookOn: null,
};
