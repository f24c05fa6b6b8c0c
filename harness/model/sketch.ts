/**
 * How many different things were seen, by the smallest of their hashes: adds up over machines in any order, twice or not at all.
 *
 * A set of millions need not be kept to be counted: of n hashes spread evenly over a range, the k-th smallest tells n. Exact below
 * {@link SKETCH_SIZE}, about 4 % off above. (Bar-Yossef et al., "Counting distinct elements in a data stream", 2002.)
 */

/** Increasing 32-bit hashes, the smallest ones that were seen. */
export type Sketch = readonly number[];

export const SKETCH_SIZE = 512;
const RANGE = 2 ** 32;

export function sketchOf(hashes: Iterable<number>): Sketch {
  return [...new Set([...hashes].map(spread))].sort((a, b) => a - b).slice(0, SKETCH_SIZE);
}

/** Of all that either has seen. */
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

/** Hashes of short texts crowd together; the finaliser of MurmurHash3 spreads them. */
function spread(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
