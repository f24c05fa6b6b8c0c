/** What a campaign would also have done, had its budget been longer. */

export const LEFT_OUT = [
  /** The undisturbed runs did not all end: nothing was searched. */
  'measuring',
  /** Undisturbed runs with a change of the spec. */
  'changes',
  /** Runs that were cut short. */
  'runs',
  /** Violations that were seen once, and not run again. */
  'unproved',
  /** The finding may be larger than it need be. */
  'shrink',
  /** It was run again less often than usual, or not without each of its deviations. */
  'proof',
  /** The build before the change was not asked about it. */
  'base',
  /** No real server was asked about it. */
  'confirm',
  /** Kept findings were not replayed. */
  'corpus',
] as const;

export interface LeftOut {
  readonly what: (typeof LEFT_OUT)[number];
  readonly count: number;
  /** The finding that it is about, as `signatureText` writes it. */
  readonly signature?: string;
}

/** The same with counts added up, in the order of {@link LEFT_OUT}. */
export function addedUp(left: readonly LeftOut[]): readonly LeftOut[] {
  const sums = new Map<string, LeftOut>();
  for (const one of left) {
    const key = `${one.what} ${one.signature ?? ''}`;
    const before = sums.get(key);
    // Of a finding it is said once.
    const count = one.signature === undefined ? (before?.count ?? 0) + one.count : one.count;
    sums.set(key, { ...one, count });
  }
  return [...sums.values()].toSorted((a, b) => LEFT_OUT.indexOf(a.what) - LEFT_OUT.indexOf(b.what));
}
