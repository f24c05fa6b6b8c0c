/**
 * Divides the time of a budget. A budget is a bound: a campaign ends within one and a half times its budget whatever its target does; work
 * that is still in progress at the end of its part is cut short, and the report says so.
 *
 * Owns: the parts. Does not own: enforcing them (`worker/pulse.ts` cuts runs short, `search/` and `cli/` check the clock). Start at {@link
 * timePlan}.
 */

/** Moments in real time, on the clock of `realNow()`; infinite if the budget is a number of runs. */
export interface TimePlan {
  /** The moment after which no optional undisturbed run begins. */
  readonly spare: number;
  /** The moment by which all undisturbed runs have ended. */
  readonly measured: number;
  /** The moment after which no trial begins, apart from the exception for `leastSearchMs`. */
  readonly search: number;
  /**
   * The least time for the search, in ms: if the undisturbed runs leave less than this until `search`, trials may still begin after
   * `search`.
   */
  readonly leastSearchMs: number;
  /** The moment after which no trial begins in any case. */
  readonly lastTrial: number;
  /** The moment at which a search that has tested enough may end (`search/enough.ts`). */
  readonly enough: number;
  /** The latest start of a trial once there is a finding, if findings are also checked on a base build or a real server (see `asked`). */
  readonly searchFound: number;
  /** The moment by which trials and the probes of their suspects have ended. */
  readonly trials: number;
  /** The moment by which findings have been shrunk and reproduced. */
  readonly proved: number;
  /** The moment by which the worker has ended; a worker that has not is stopped. */
  readonly work: number;
  /** The moment by which findings have been checked on the base build and a real server; the rest is for writing reports and exiting. */
  readonly asked: number;
}

/** The limit of a campaign's duration, as a multiple of its budget. */
export const BOUND = 1.5;
/** For smaller budgets, the bound is computed from this budget, in ms: a worker has to start, and a target has to come to rest. */
export const BUDGET_MIN_MS = 10_000;
/** The share of a budget for replaying the corpus, unless the corpus has a budget of its own. */
export const CORPUS_SHARE = 0.3;

/** The ends of the parts of a budget, as multiples of the budget. */
const SPARE = 0.4;
const MEASURED = 1;
const LEAST_SEARCH = 0.3;
const LAST_TRIAL = 1.1;
const TRIALS = 1.15;
/**
 * The moment at which the search ends once there is a finding, if findings are to be checked on a base build or a real server. Reproducing
 * a finding takes precedence over that check.
 */
const SEARCH_FOUND = 0.9;
/** The share of the budget at the end for reports and exiting, and its minimum in ms. */
const ENDING = { share: 0.1, leastMs: 3_000 } as const;
/** Shares of the budget just before {@link ENDING}: for stopping a worker and, before that, for cutting a run short. */
const STOPPING = 0.03;
const CUTTING = 0.05;

/** The plan for a budget that is a number of runs. */
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
 * @param isAsked Whether findings are to be checked on a base build or a real server.
 * @param enoughMs The time after which a search that has tested enough may end; `Infinity` for a search that uses its whole budget.
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
    // If the search may end early, optional runs must not delay the verdict.
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

/** Returns the plan with its moments converted to another clock, since the clocks of threads have different origins. */
export function shifted(plan: TimePlan, byMs: number): TimePlan {
  const { leastSearchMs, ...moments } = plan;
  const moved = Object.entries(moments).map(([name, at]) => [name, at + byMs] as const);
  return { ...(Object.fromEntries(moved) as typeof moments), leastSearchMs };
}

/** Returns the moment until which trials begin, given when the undisturbed runs ended. */
export function searchUntil({ search, leastSearchMs, lastTrial }: TimePlan, measuredAt: number): number {
  return Math.max(search, Math.min(measuredAt + leastSearchMs, lastTrial));
}

/** Runs `work`. A run in it that waits at `until` or later rejects with `CutShort`. */
export type CutAt = <T>(until: number, work: () => Promise<T>) => Promise<T>;
