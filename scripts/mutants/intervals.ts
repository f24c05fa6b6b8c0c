/** Confidence intervals for proportions in a small sample. */

/** The number of standard deviations below which 97.5 % of a normal distribution lies. */
const Z = 1.959964;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Returns the Wilson score interval at 95 %. It is also correct for small samples, and if none or all are hits. */
export function wilson(hits: number, of: number): Interval {
  if (of === 0) return { low: 0, high: 1 };
  const share = hits / of;
  const spread = Z ** 2 / of;
  const middle = (share + spread / 2) / (1 + spread);
  const half = (Z / (1 + spread)) * Math.sqrt((share * (1 - share)) / of + spread / (4 * of));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}
