/**
 * Decides whether a figure grows from run to run, by a statistical test.
 *
 * The first half of each process's runs is ignored (caches fill, code is compiled, heaps reach their size). In the rest, the
 * Mann-Kendall test decides whether later values are larger more often than by chance, and the median of all slopes between two
 * runs (Theil-Sen) gives the amount: neither depends on outliers or on the distribution of the figure. Pure. Start at
 * {@link trendOf}.
 */

export type Trend =
  | { readonly verdict: 'grows'; readonly perRun: number; readonly runs: number }
  | { readonly verdict: 'steady'; readonly runs: number }
  /** No series is long enough: `runs` is the length of the longest. */
  | { readonly verdict: 'too-few-runs'; readonly runs: number };

/** The minimum that counts as growth. */
export interface Least {
  /** Minimum growth over the later half. */
  readonly growth: number;
  /** Minimum number of runs of one process. */
  readonly runs: number;
}

/** Maximum length of a series, because every pair of values is compared; of a longer series, every k-th value is used. */
const LOOKED_AT_MAX = 1_000;
/** Threshold in standard deviations: one in a thousand series without a trend exceeds it by chance. */
const SURE = 3.1;

/** Tests all series, one for each process, together. */
export function trendOf(series: readonly (readonly number[])[], least: Least): Trend {
  const enough = series.filter(({ length }) => length >= least.runs);
  if (enough.length === 0) return { verdict: 'too-few-runs', runs: Math.max(0, ...series.map(({ length }) => length)) };
  const runs = enough.reduce((sum, { length }) => sum + length, 0);
  const halves = enough.map((one) => one.slice(Math.floor(one.length / 2)));
  const step = Math.ceil(Math.max(...halves.map(({ length }) => length)) / LOOKED_AT_MAX);
  const long = halves.map((one) => one.filter((_, index) => index % step === 0));
  let score = 0;
  let variance = 0;
  const slopes: number[] = [];
  for (const one of long) {
    variance += varianceOf(one);
    one.forEach((later, at) => {
      for (let before = 0; before < at; before++) {
        const rise = later - (one[before] ?? later);
        score += Math.sign(rise);
        slopes.push(rise / (at - before));
      }
    });
  }
  const perRun = medianOf(slopes) / step;
  const span = (medianOf(long.map(({ length }) => length)) - 1) * step;
  const isSure = variance > 0 && (score - 1) / Math.sqrt(variance) > SURE;
  return isSure && perRun * span >= least.growth ? { verdict: 'grows', perRun, runs } : { verdict: 'steady', runs };
}

/** Returns the variance of the Mann-Kendall score without a trend, corrected for equal values. */
function varianceOf(values: readonly number[]): number {
  const times = new Map<number, number>();
  for (const value of values) times.set(value, (times.get(value) ?? 0) + 1);
  const part = (n: number): number => n * (n - 1) * (2 * n + 5);
  return (part(values.length) - [...times.values()].reduce((sum, n) => sum + part(n), 0)) / 18;
}

/** Returns the median; zero for an empty list. */
export function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
