/**
 * Whether a figure grows from run to run: a plain verdict with a test behind it.
 *
 * Of each process the first half of its runs is passed over (caches fill, code is compiled, heaps find their size). In the rest, the
 * Mann-Kendall test says whether later values are larger more often than chance would have it, and the median of all slopes between
 * two runs (Theil-Sen) by how much: neither minds outliers, nor what the figure is distributed like. Pure. Start at {@link trendOf}.
 */

export type Trend =
  | { readonly verdict: 'grows'; readonly perRun: number; readonly runs: number }
  | { readonly verdict: 'steady'; readonly runs: number }
  /** No series is long enough: the longest has so many runs. */
  | { readonly verdict: 'too-few-runs'; readonly runs: number };

/** What it takes to speak of growth. */
export interface Least {
  /** By so much over the later half. */
  readonly growth: number;
  /** The runs of one process that it takes, at the least. */
  readonly runs: number;
}

/** Every pair of them is compared: of a longer series every k-th value says as much. */
const LOOKED_AT_MAX = 1_000;
/** Standard deviations: one series in a thousand without a trend looks as if it had one. */
const SURE = 3.1;

/** Looks at the series, one for each process, together. */
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

/** Of the Mann-Kendall score where nothing grows; equal values count for less. */
function varianceOf(values: readonly number[]): number {
  const times = new Map<number, number>();
  for (const value of values) times.set(value, (times.get(value) ?? 0) + 1);
  const part = (n: number): number => n * (n - 1) * (2 * n + 5);
  return (part(values.length) - [...times.values()].reduce((sum, n) => sum + part(n), 0)) / 18;
}

/** Zero of nothing. */
export function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
