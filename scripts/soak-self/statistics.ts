/** Medians and other summaries of small samples. */

/** Returns the value below which the given share of the sample lies; NaN for an empty sample. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** For example `3.2`, or `-` for a value that is not finite. */
export function shown(value: number, digits = 1): string {
  return Number.isFinite(value) ? value.toFixed(digits).replace(/\.0$/, '') : '-';
}
