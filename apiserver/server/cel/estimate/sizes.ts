/** Ranges of sizes, and costs: integers that saturate at 64 bits. */

/**
 * The value that stands for "no bound"; sums and products saturate at it. A double is precise enough, because any value near it exceeds
 * every limit.
 */
export const UNBOUNDED: number = 2 ** 64;

/** The number of items, entries, characters or bytes of a value. */
export interface Size {
  readonly min: number;
  readonly max: number;
}

export const UNKNOWN: Size = { min: 0, max: UNBOUNDED };

export function exactly(size: number): Size {
  return { min: size, max: size };
}

export function plus(...costs: readonly number[]): number {
  let sum = 0;
  for (const cost of costs) sum += cost;
  return Math.min(sum, UNBOUNDED);
}

export function times(left: number, right: number): number {
  return left === 0 || right === 0 ? 0 : Math.min(left * right, UNBOUNDED);
}

/** Returns a product with a fraction, rounded up. */
export function scaled(value: number, factor: number): number {
  return Math.min(Math.ceil(value * factor), UNBOUNDED);
}

export function addSizes(left: Size, right: Size): Size {
  return { min: plus(left.min, right.min), max: plus(left.max, right.max) };
}

export function multiplySizes(left: Size, right: Size): Size {
  return { min: times(left.min, right.min), max: times(left.max, right.max) };
}

export function unite(left: Size, right: Size): Size {
  return { min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) };
}
