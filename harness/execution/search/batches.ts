/**
 * Batches of trials: drawn from the arbitrary, run up to the first that fails.
 *
 * Owns: how many run at once. Does not own: what a trial is, when a search is over (`search.ts`).
 */
import * as fc from 'fast-check';
import type { Trial } from '../../model/trial.ts';
import { inLanes } from '../run/lanes.ts';

/** Trials of one batch; between two the budget is looked at anew. */
const BATCH = 200;

/** Runs a batch drawn with a seed; answers what failed. */
export type TryBatch<F> = (seed: number) => Promise<readonly F[]>;

/** One trial after the other, as fast-check does it. */
export function oneByOne<F>(
  trials: fc.Arbitrary<Trial>,
  over: () => boolean,
  tryOne: (trial: Trial) => Promise<F | undefined>,
): TryBatch<F> {
  return async (seed) => {
    const failures: F[] = [];
    const property = fc.asyncProperty(trials, async (trial) => {
      if (over()) return true;
      const failed = await tryOne(trial);
      if (failed !== undefined) failures.push(failed);
      return failed === undefined;
    });
    const checked = await fc.check(property, { seed, numRuns: BATCH, endOnFailure: true });
    // The predicate never throws over a violation: this is ours, or a target that cannot be steered.
    if (checked.failed && failures.length === 0) throw checked.errorInstance;
    return failures;
  };
}

/** Several at a time: whatever is under way when the first one fails is still looked at. `runsMax` counts over all batches. */
export function sideBySide<L, F>(
  source: (seed: number, size: number) => Iterable<Trial>,
  over: () => boolean,
  runsMax: number,
  lanes: readonly L[],
  tryOne: (lane: L, trial: Trial) => Promise<F | undefined>,
): TryBatch<F> {
  let begun = 0;
  return async (seed) => {
    const failures: F[] = [];
    function* due(): Generator<Trial> {
      for (const trial of source(seed, BATCH)) {
        if (over() || failures.length > 0 || begun >= runsMax) return;
        begun++;
        yield trial;
      }
    }
    await inLanes(lanes, due(), async (lane, trial) => {
      const failed = await tryOne(lane, trial);
      if (failed !== undefined) failures.push(failed);
    });
    return failures;
  };
}
