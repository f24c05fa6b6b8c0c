/**
 * Batches of trials, run up to the first that fails.
 *
 * Owns: how many run at once. Does not own: what a trial is, when a search is over (`search.ts`).
 */
import type { Trial } from '../../model/trial.ts';
import { inLanes } from '../run/lanes.ts';

/** Trials of one batch; between two the budget is looked at anew. */
const BATCH = 200;

/** One at a time in each lane: whatever is under way when the first one fails is still looked at. `runsMax` counts over all batches. */
export function sideBySide<L, F>(
  source: (seed: number, size: number) => Iterable<Trial>,
  over: () => boolean,
  runsMax: number,
  lanes: readonly L[],
  tryOne: (lane: L, trial: Trial) => Promise<F | undefined>,
): (seed: number) => Promise<readonly F[]> {
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
