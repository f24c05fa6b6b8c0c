/** Whether a search that found nothing says anything: with less than this behind it, it is no verdict. Pure. */

/** What fails in one of seven runs shows in 95 of 100 campaigns of so many. */
export const RUNS_MIN = 20;
/** Of conflicts, and of writes from a stale read: fewer are luck, and another seed has none. */
export const MET_MIN = 10;

/** What a search has put to the test. */
export interface PutToTest {
  readonly runs: number;
  /** Of these, those without a verdict. */
  readonly inconclusiveRuns: number;
  /** How often something was met, by counter (`conflicts`, `staleReads`). */
  readonly contention: { readonly [counter: string]: number };
}

export function isEnough(tested: PutToTest): boolean {
  const { conflicts, stale } = metIn(tested);
  return tested.runs - tested.inconclusiveRuns >= RUNS_MIN && conflicts >= MET_MIN && stale >= MET_MIN;
}

/**
 * What was met of each. A write of a target that sends no versions is never refused: where another writer overtook it, that was the
 * conflict.
 */
export function metIn({ contention }: Pick<PutToTest, 'contention'>): {
  readonly conflicts: number;
  readonly stale: number;
} {
  const { conflicts = 0, foreignWritesBetweenReadAndWrite: overtaken = 0, staleReads: stale = 0 } = contention;
  return { conflicts: Math.max(conflicts, overtaken), stale };
}
