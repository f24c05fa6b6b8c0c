/** Explains why a first run without failures proves too little. Pure. */
import { isEnough, MET_MIN, metIn, RUNS_MIN } from '../../execution/search/enough.ts';
import { countText } from '../../report/count-text.ts';
import type { Summary } from '../../report/summary.ts';

/** Returns what a passing run lacks and how to get that, in one sentence; undefined if the run is sufficient or has not passed. */
export function lackingText(summary: Summary, called: string): string | undefined {
  const { outcome, runs, elapsedMs } = summary;
  if (outcome !== 'holds' || isEnough({ ...summary, inconclusiveRuns: summary.inconclusive.count })) return undefined;
  const { conflicts, stale } = metIn(summary);
  const had = `${countText(runs, 'run')}, ${countText(conflicts, 'conflict')} and ${countText(stale, 'stale read')} are too few to say that it holds (${RUNS_MIN}, ${MET_MIN} and ${MET_MIN} are enough)`;
  // If only time was short, a longer run is expected to suffice.
  const expected = (Math.min(conflicts, stale) * MORE_MS) / Math.max(1, elapsedMs);
  return expected >= MET_MIN
    ? `${had}; give it more time: ${called} run --budget 10m`
    : `${had}; add a sample that makes it change objects that other writers change too: ${called} init --force --sample FILE`;
}

/** Duration of the suggested campaign, in ms. */
const MORE_MS = 600_000;
