/**
 * Estimates the number of distinct values seen from the smallest of their hashes. Sketches of many machines can be merged in any order,
 * repeatedly.
 *
 * Counting millions does not require keeping them: of n hashes spread evenly over a range, the k-th smallest determines n. The estimate is
 * exact below {@link SKETCH_SIZE} and about 4 % off above. (Bar-Yossef et al., "Counting distinct elements in a data stream", 2002.)
 */

/** The smallest 32-bit hashes seen, in increasing order. */
export type Sketch = readonly number[];

export const SKETCH_SIZE = 512;
const RANGE = 2 ** 32;

export function sketchOf(hashes: Iterable<number>): Sketch {
  return [...new Set([...hashes].map(spread))].sort((a, b) => a - b).slice(0, SKETCH_SIZE);
}

/** Merges sketches. */
export function united(sketches: readonly Sketch[]): Sketch {
  return [...new Set(sketches.flat())].sort((a, b) => a - b).slice(0, SKETCH_SIZE);
}

export interface Estimate {
  readonly count: number;
  readonly exact: boolean;
}

export function countOf(sketch: Sketch): Estimate {
  const last = sketch[SKETCH_SIZE - 1];
  if (last === undefined) return { count: sketch.length, exact: true };
  return { count: Math.round((SKETCH_SIZE - 1) / (last / RANGE)), exact: false };
}

/** Distributes hashes evenly with the finaliser of MurmurHash3: hashes of short texts cluster. */
function spread(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
