/**
 * Aligns two lists of steps: steps with the same label share a row, the rest have rows of their own.
 *
 * A label names a request by its content and is unique in a run, so the longest common subsequence of labels is what both runs
 * did in the same order. Pure, and independent of what a step contains.
 */

/** One row: a step of one run, or the same step of both. */
export interface Aligned<T> {
  readonly left?: T;
  readonly right?: T;
}

/** Merges both lists and keeps the order of each. Steps that are only in the left list come before those that are only in the right one. */
export function align<T>(left: readonly T[], right: readonly T[], keyOf: (step: T) => string): readonly Aligned<T>[] {
  const a = left.map(keyOf);
  const b = right.map(keyOf);
  const common = commonLengths(a, b);
  const rows: Aligned<T>[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const [one, other] = [left[i], right[j]];
    if (one !== undefined && other !== undefined && a[i] === b[j]) {
      rows.push({ left: one, right: other });
      i++;
      j++;
    } else if (one !== undefined && (j >= b.length || lengthAt(common, i + 1, j) >= lengthAt(common, i, j + 1))) {
      rows.push({ left: one });
      i++;
    } else if (other !== undefined) {
      rows.push({ right: other });
      j++;
    }
  }
  return rows;
}

interface Lengths {
  readonly width: number;
  readonly lengths: Int32Array;
}

/** Computes, for each pair of suffixes of the lists, the number of steps in common. */
function commonLengths(a: readonly string[], b: readonly string[]): Lengths {
  const width = b.length + 1;
  const lengths = new Int32Array((a.length + 1) * width);
  const table: Lengths = { width, lengths };
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengthAt(table, i + 1, j + 1) + 1
          : Math.max(lengthAt(table, i + 1, j), lengthAt(table, i, j + 1));
    }
  }
  return table;
}

function lengthAt({ width, lengths }: Lengths, i: number, j: number): number {
  return lengths[i * width + j] ?? 0;
}
