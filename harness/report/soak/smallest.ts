/** Chooses between two examples of the same finding: the more credible one, then the shorter one. */
import type { Grade } from '../../model/finding.ts';
import type { SoakRecord } from '../../model/soak.ts';

const GRADES: readonly Grade[] = ['everyday', 'restart-or-HA', 'pathological'];
/** The share of failing replays above which one replay is enough. */
const STEADY = 0.9;

/** Returns a negative number if the first example is better. Compares the texts last, so that every reader chooses the same one. */
export function compareExamples(
  a: { readonly record: SoakRecord; readonly text: string },
  b: { readonly record: SoakRecord; readonly text: string },
): number {
  const [ours, theirs] = [sizesOf(a.record), sizesOf(b.record)];
  for (const [index, size] of ours.entries()) {
    const other = theirs[index] ?? 0;
    if (size !== other) return size - other;
  }
  return a.text.length - b.text.length || (a.text < b.text ? -1 : Number(a.text > b.text));
}

/** Reports whether an example is so small that searching for a smaller one is not worth the time. */
export function isSmall({ stats: { preemptions, holds, faults, stepsAfter } }: SoakRecord): boolean {
  return preemptions + holds + faults <= 1 && stepsAfter <= 30;
}

function sizesOf({ stats, counterexample: { confirmed } }: SoakRecord): readonly number[] {
  const { grade, reproduced, preemptions, holds, faults, heldItems, actorsAfter, stepsAfter } = stats;
  const isSteady = reproduced.k >= reproduced.n * STEADY;
  return [
    GRADES.indexOf(grade),
    isSteady ? 0 : 1,
    preemptions + holds + faults,
    actorsAfter,
    stepsAfter,
    heldItems,
    reproduced.n - reproduced.k,
    // Prefers, between equal examples, one that was tried on a real server.
    confirmed === undefined ? 1 : 0,
  ];
}
