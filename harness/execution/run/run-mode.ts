/**
 * Run modes: what the harness does differently for a module, for a program in virtual time and for a program in real time.
 *
 * Runs of a module can be repeated exactly and take milliseconds. Runs of a program differ, take about a second, and are judged while the
 * program is still there. In real time silence costs what it lasts on top of that. Owns: every policy that follows from these facts, as
 * values that the rest of the code reads. Does not own: which mode a target has, which its host knows (`hosts/`).
 */
import type { StrategyName } from '../../model/trial.ts';
import { EXTENDED_SETTLE_MS } from '../../oracle/rest.ts';
import { PROCESS_MIX, STRATEGY_MIX } from '../../schedule/arbitrary.ts';
import type { Pace } from './pace.ts';

export interface RunMode {
  /** How long the target is given, beside what its author says of it. */
  readonly pace: Omit<Pace, 'readyWithinMs' | 'graceMs'>;
  /** Waiting takes as long as it says, and nobody knows what it will bring. Else time is set to the next moment at which something happens. */
  readonly waitsForReal: boolean;
  /** A run is judged before it is torn down. Else afterwards, and the further runs that properties ask for are made from its beginning. */
  readonly judgesLive: boolean;
  /** A searched run is expressed as a schedule while it is made. Else by making it again, once its schedule is needed. */
  readonly derivesAtOnce: boolean;
  /** Two runs of one trial must have the same history: a sample of trials is run twice, and a difference ends the campaign. */
  readonly comparesRuns: boolean;
  /** How many runs go on at once. */
  readonly laneCount: (processors: number) => number;
  /** The check run finds out whether the target can be controlled, and when it is at rest. */
  readonly checksControl: boolean;
  /** All that the target asks for while it starts postpones rest. */
  readonly startIsActivity: boolean;
  /** References measure how long the target pauses, and what it does before contention; one look at rest is enough. Else each looks on. */
  readonly measuresPauses: boolean;
  /** How long a target at rest is watched for what it does by itself; `null`: not at all. */
  readonly lookOn: { readonly itemsMax: number; readonly realMs: number } | null;
  /** What a search draws from, where the user does not say. */
  readonly strategies: readonly StrategyName[];
  /** Trials are expensive: their writers aim at what the target writes, and every other one deviates once from an undisturbed run. */
  readonly aims: boolean;
  readonly proof: ProofPolicy;
  /** A replay in which nothing comes back is tried with its labels moved. */
  readonly reanchors: boolean;
}

/** How findings are shrunk and reproduced. */
export interface ProofPolicy {
  /** Runs that reproduce a finding. */
  readonly times: number;
  /** Runs with each one of its deviations left out. */
  readonly timesWithout: number;
  /** When the trial as it was found fails; where it does not, it is not shrunk. */
  readonly first: FailRule;
  /** When a smaller form fails, by how often the trial did as it was found. */
  readonly smaller: (first: Tried) => FailRule;
  /** So many larger forms are reproduced as well where the smallest fails too seldom. */
  readonly stepsBack: number;
  /** Real time for shrinking one finding, in ms. `searchMs`: what is left of the search. */
  readonly shrinkMs: (searchMs: number) => number;
  /** Runs are cut short when the time for the proof is over. Else they are too short for that. */
  readonly isTimed: boolean;
  /** A finding that did not fail again is reported all the same. Else its run counts as inconclusive. */
  readonly reportsUnreproduced: boolean;
}

/** When a form counts as failing: in `need` of `of` runs. */
export interface FailRule {
  readonly need: number;
  readonly of: number;
}

/** It failed in `k` of `n` runs. */
export interface Tried {
  readonly k: number;
  readonly n: number;
}

/** However many processors there are: each lane has a process of its own. */
const LANES_MAX = 4;

/** A finding that cannot be shrunk in this much real time stays as large as it is. */
const SHRINK_MS = 10_000;
/** The same for a program, whose every run takes a second. */
const SHRINK_PROGRAM_MS = 90_000;
/** While the search is to go on, a finding of a program gets this much of what is left of it, but at least so long. */
const SEARCH_SHARE = { share: 1 / 3, leastMs: 15_000 } as const;

/** Where the same trial is always the same run. */
const ONCE: FailRule = { need: 1, of: 1 };
/** Where runs differ, one failure is no proof: what fails in one of ten runs would be taken for what fails in all. */
const TWICE: FailRule = { need: 2, of: 2 };
/** What failed less often than this when it was tried first gets another chance each time. */
const STEADY = 0.8;
const FLICKERING: FailRule = { need: 2, of: 3 };
/** So often a finding is tried before it is given up. */
const FIRST: FailRule = { need: 2, of: 8 };

/** A module in this process, in virtual time: everything can be repeated exactly. */
export const MODULE_MODE: RunMode = {
  // An idle window longer than a resync of half a minute, shorter than boredom.
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
  // It computes in this process, and keeps the worker from all else. It lives its hours in the same way on every machine.
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
    isTimed: false,
    reportsUnreproduced: true,
  },
  reanchors: true,
};

/** What programs have in common, whatever their clock is. */
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
    // A program does not take the same way every time.
    times: 10,
    timesWithout: 3,
    first: FIRST,
    smaller: ({ k, n }) => (k >= n * STEADY ? TWICE : FLICKERING),
    stepsBack: 2,
    // The first bug that is met must not keep the search from all others.
    shrinkMs: (searchMs) =>
      searchMs <= 0
        ? SHRINK_PROGRAM_MS
        : Math.min(SHRINK_PROGRAM_MS, Math.max(SEARCH_SHARE.leastMs, searchMs * SEARCH_SHARE.share)),
    isTimed: true,
    reportsUnreproduced: false,
  },
  reanchors: false,
} satisfies Partial<RunMode>;

/** A program whose clock is steered. Silence costs little here, and only what comes by itself ends it. */
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
    // client-go's longest, 1000 s, with jitter.
    backOffMs: 1_100_000,
    againMs: 60_000,
  },
  waitsForReal: false,
  // It hardly waits: several on one processor only take its caches from each other. One more fills the moments in which nobody computes.
  laneCount: (processors) => Math.min(LANES_MAX, processors + 1),
  // One that renews a lock every two seconds fills that in minutes.
  lookOn: { itemsMax: 8_000, realMs: 3_000 },
};

/** A program whose clock is the wall's. Long enough for one that answers within milliseconds; a slower one is found by the settle window. */
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
  // It waits most of the time, and needs no processor then.
  laneCount: (processors) => Math.min(LANES_MAX, 2 * processors),
  lookOn: null,
};
