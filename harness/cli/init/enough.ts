/** What a first run in which nothing failed lacks to be a verdict, in words. Pure. */
import { isEnough, MET_MIN, metIn, RUNS_MIN } from '../../execution/search/enough.ts';
import { countText } from '../../report/count-text.ts';
import type { Summary } from '../../report/summary.ts';

/** What a run that holds lacks, in one sentence, and how to get it; undefined where it is enough, or where it does not hold. */
export function lackingText(summary: Summary, called: string): string | undefined {
  const { outcome, runs, elapsedMs } = summary;
  if (outcome !== 'holds' || isEnough({ ...summary, inconclusiveRuns: summary.inconclusive.count })) return undefined;
  const { conflicts, stale } = metIn(summary);
  const had = `${countText(runs, 'run')}, ${countText(conflicts, 'conflict')} and ${countText(stale, 'stale read')} are too few to say that it holds (${RUNS_MIN}, ${MET_MIN} and ${MET_MIN} are enough)`;
  // More of the same brings what is short where time is all that it lacks.
  const expected = (Math.min(conflicts, stale) * MORE_MS) / Math.max(1, elapsedMs);
  return expected >= MET_MIN
    ? `${had}; give it more time: ${called} run --budget 10m`
    : `${had}; add a sample that makes it change objects that other writers change too: ${called} init --force --sample FILE`;
}

/** Of the campaign that is suggested. */
const MORE_MS = 600_000;
