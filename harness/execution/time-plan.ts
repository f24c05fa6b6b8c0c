/**
 * How the time of a budget is divided. A budget is a bound: a campaign ends within one and a half times its budget whatever its target
 * does, and what is under way when its part of the time is over is cut short and named.
 *
 * Owns: the parts. Does not own: who keeps to them (`worker/pulse.ts` cuts runs short, `search/` and `cli/` look at the clock). Start at
 * {@link timePlan}.
 */

/** Moments in real time, as `realNow()`; infinite where the budget is a number of runs. */
export interface TimePlan {
  /** Undisturbed runs that one can do without begin before that. */
  readonly spare: number;
  /** All undisturbed runs have ended. */
  readonly measured: number;
  /** Trials begin before that … */
  readonly search: number;
  /** … or for this long, in ms, where the undisturbed runs have left less than that … */
  readonly leastSearchMs: number;
  /** … but not after that. */
  readonly lastTrial: number;
  /** From then on, a search that has put enough to the test ends (`search/enough.ts`). */
  readonly enough: number;
  /** Once there is a finding that others are to be asked about, trials begin before that. */
  readonly searchFound: number;
  /** Trials have ended, and further looks at what they are suspected of. */
  readonly trials: number;
  /** Findings have been shrunk and proved. */
  readonly proved: number;
  /** The worker has ended; it is stopped where it has not. */
  readonly work: number;
  /** The base build and a real server have been asked. What is left is for writing reports and ending. */
  readonly asked: number;
}

/** What a campaign may take, as a multiple of its budget. */
export const BOUND = 1.5;
/** A smaller budget is bounded as if it were this one: a process of its own has to start, and a target to come to rest. */
export const BUDGET_MIN_MS = 10_000;
/** What the replay of kept findings gets of a budget, unless they have a budget of their own. */
export const CORPUS_SHARE = 0.3;

/** Parts, as multiples of the budget. */
const SPARE = 0.4;
const MEASURED = 1;
const LEAST_SEARCH = 0.3;
const LAST_TRIAL = 1.1;
const TRIALS = 1.15;
/** Where others are to be asked, searching ends sooner once there is something to ask about. A proof is worth more than their answer. */
const SEARCH_FOUND = 0.9;
/** Before the end: what reports and the end of the process take, at least so long … */
const ENDING = { share: 0.1, leastMs: 3_000 } as const;
/** … before that, what it takes to stop a worker, and before that, what a run takes to be cut short. */
const STOPPING = 0.03;
const CUTTING = 0.05;

/** Of a budget that is a number of runs. */
export const ENDLESS: TimePlan = {
  spare: Number.POSITIVE_INFINITY,
  measured: Number.POSITIVE_INFINITY,
  search: Number.POSITIVE_INFINITY,
  leastSearchMs: 0,
  lastTrial: Number.POSITIVE_INFINITY,
  enough: Number.POSITIVE_INFINITY,
  searchFound: Number.POSITIVE_INFINITY,
  trials: Number.POSITIVE_INFINITY,
  proved: Number.POSITIVE_INFINITY,
  work: Number.POSITIVE_INFINITY,
  asked: Number.POSITIVE_INFINITY,
};

/**
 * Divides a budget of `timeMs` that begins at `began`.
 *
 * @param isAsked Whether a base build or a real server is to be asked about findings.
 * @param enoughMs After how long a search may end that has put enough to the test; infinite for one that uses all of its budget.
 */
export function timePlan(
  timeMs: number,
  began: number,
  isAsked = false,
  enoughMs: number = Number.POSITIVE_INFINITY,
): TimePlan {
  if (!Number.isFinite(timeMs)) return ENDLESS;
  const counted = Math.max(timeMs, BUDGET_MIN_MS);
  const at = (share: number): number => began + share * counted;
  const asked = at(BOUND) - Math.max(ENDING.share * counted, ENDING.leastMs);
  const work = asked - STOPPING * counted;
  const proved = work - CUTTING * counted;
  const trials = Math.min(at(TRIALS), proved - CUTTING * counted);
  return {
    // A verdict that may come early does not wait for what one can do without.
    spare: began + SPARE * Math.min(counted, enoughMs),
    measured: at(MEASURED),
    search: began + timeMs,
    leastSearchMs: LEAST_SEARCH * timeMs,
    lastTrial: Math.min(at(LAST_TRIAL), trials),
    enough: began + enoughMs,
    searchFound: isAsked ? began + SEARCH_FOUND * timeMs : Number.POSITIVE_INFINITY,
    trials,
    proved,
    work,
    asked,
  };
}

/** The same plan by another clock, or told to one: threads count from different beginnings. */
export function shifted(plan: TimePlan, byMs: number): TimePlan {
  const { leastSearchMs, ...moments } = plan;
  const moved = Object.entries(moments).map(([name, at]) => [name, at + byMs] as const);
  return { ...(Object.fromEntries(moved) as typeof moments), leastSearchMs };
}

/** Until when trials begin, once the undisturbed runs have ended. */
export function searchUntil({ search, leastSearchMs, lastTrial }: TimePlan, measuredAt: number): number {
  return Math.max(search, Math.min(measuredAt + leastSearchMs, lastTrial));
}

/** Makes a run end at a moment, wherever it waits: it rejects with `CutShort` then. */
export type CutAt = <T>(until: number, work: () => Promise<T>) => Promise<T>;
