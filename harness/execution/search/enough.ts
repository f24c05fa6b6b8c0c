/** Decides whether a search without findings has tested enough for a verdict. Pure. */

/** The minimum number of runs: a bug that shows in one of seven runs shows in 95 % of campaigns with this many. */
export const RUNS_MIN = 20;
/** The minimum number of conflicts, and of writes after a stale read: fewer may be luck, and another seed may have none. */
export const MET_MIN = 10;

/** The counters of a search that show how much it has tested. */
export interface PutToTest {
  readonly runs: number;
  /** The number of these runs without a verdict. */
  readonly inconclusiveRuns: number;
  /** The number of times each situation occurred, by counter (`conflicts`, `staleReads`). */
  readonly contention: { readonly [counter: string]: number };
}

/** A situation that has to occur often enough in a search. */
export type Situation = 'conflict' | 'stale read';

export function isEnough(tested: PutToTest): boolean {
  const { conflicts, stale } = metIn(tested);
  return tested.runs - tested.inconclusiveRuns >= RUNS_MIN && conflicts >= MET_MIN && stale >= MET_MIN;
}

/**
 * Returns how many conflicts and stale writes occurred. A target that sends no resource versions never gets a 409: for such a target, a
 * foreign write between its read and its write counts as the conflict.
 */
export function metIn({ contention }: Pick<PutToTest, 'contention'>): {
  readonly conflicts: number;
  readonly stale: number;
} {
  const { conflicts = 0, foreignWritesBetweenReadAndWrite: overtaken = 0, staleReads: stale = 0 } = contention;
  return { conflicts: Math.max(conflicts, overtaken), stale };
}

/** Returns the situation that has occurred too rarely so far, if the other one has occurred often enough. */
export function lackOf(tested: Pick<PutToTest, 'contention'>): Situation | undefined {
  const { conflicts, stale } = metIn(tested);
  if (conflicts >= MET_MIN === stale >= MET_MIN) return undefined;
  return conflicts < MET_MIN ? 'conflict' : 'stale read';
}
