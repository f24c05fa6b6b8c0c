/** Steps that a campaign skipped because its budget ran out. */

export const LEFT_OUT = [
  /** Not all undisturbed runs were completed, so nothing was searched. */
  'measuring',
  /** Undisturbed runs in which the spec changes. */
  'changes',
  /** Runs that were interrupted. */
  'runs',
  /** Violations that occurred once and were not rerun. */
  'unproved',
  /** The finding may not be minimal. */
  'shrink',
  /** The finding was rerun less often than usual, or was not rerun without each of its deviations. */
  'proof',
  /** The finding was not run on the base build. */
  'base',
  /** The finding was not run on a real server. */
  'confirm',
  /** Corpus entries were not replayed. */
  'corpus',
] as const;

export interface LeftOut {
  readonly what: (typeof LEFT_OUT)[number];
  readonly count: number;
  /** The finding that was affected, formatted by `signatureText`. */
  readonly signature?: string;
}

/** Merges equal entries by adding their counts, in the order of {@link LEFT_OUT}. */
export function addedUp(left: readonly LeftOut[]): readonly LeftOut[] {
  const sums = new Map<string, LeftOut>();
  for (const one of left) {
    const key = `${one.what} ${one.signature ?? ''}`;
    const before = sums.get(key);
    // A finding is listed once, so its counts are not added.
    const count = one.signature === undefined ? (before?.count ?? 0) + one.count : one.count;
    sums.set(key, { ...one, count });
  }
  return [...sums.values()].toSorted((a, b) => LEFT_OUT.indexOf(a.what) - LEFT_OUT.indexOf(b.what));
}
