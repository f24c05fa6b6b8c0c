/** Whether a first run in which nothing failed says anything: with less than this behind it, it is no verdict. Pure. */
import { countText } from '../../report/count-text.ts';
import type { Summary } from '../../report/summary.ts';

/** What fails in one of seven runs shows in 95 of 100 campaigns of so many. */
const RUNS_MIN = 20;
/** Of conflicts, and of writes from a stale read: fewer are luck, and another seed has none. */
const MET_MIN = 10;

/** What a run that holds lacks, in one sentence, and how to get it; undefined where it is enough, or where it does not hold. */
export function lackingText({ outcome, runs, contention, elapsedMs }: Summary, called: string): string | undefined {
  if (outcome !== 'holds') return undefined;
  const [conflicts, stale] = [contention['conflicts'] ?? 0, contention['staleReads'] ?? 0];
  if (runs >= RUNS_MIN && conflicts >= MET_MIN && stale >= MET_MIN) return undefined;
  const had = `${countText(runs, 'run')}, ${countText(conflicts, 'conflict')} and ${countText(stale, 'stale read')} are too few to say that it holds (${RUNS_MIN}, ${MET_MIN} and ${MET_MIN} are enough)`;
  // More of the same brings what is short where time is all that it lacks.
  const expected = (Math.min(conflicts, stale) * MORE_MS) / Math.max(1, elapsedMs);
  return expected >= MET_MIN
    ? `${had}; give it more time: ${called} run --budget 10m`
    : `${had}; add a sample that makes it change objects that other writers change too: ${called} init --force --sample FILE`;
}

/** Of the campaign that is suggested. */
const MORE_MS = 600_000;
