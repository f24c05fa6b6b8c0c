/**
 * Shrinks the lag of watches: one hold instead of many steps, and no longer than needed.
 *
 * Pure, like `shrink.ts`; but which streams can be held, and until when, is known only from the failing run, so the campaign passes that
 * in.
 */
import type { Hold } from '../model/schedule.ts';
import type { Trial } from '../model/trial.ts';

type Shrinking = Generator<Trial, Trial, boolean>;

/** The fewest preemptions to replace; fewer are a clear story as they are. */
const CHAIN_MIN = 3;
/** The most events that a stream delivers before the hold begins. */
const SHOWN_MAX = 8;

/**
 * Yields candidates in which one lagging watch replaces a chain of preemptions: a story in which an actor missed events is clearer than one
 * in which it ran step by step.
 *
 * @param streams - Labels of the watches that delivered something to the target in the failing run.
 */
export function* lagInstead(trial: Trial, streams: readonly string[]): Shrinking {
  if (trial.schedule.preemptions.length < CHAIN_MIN) return trial;
  for (const stream of streams) {
    const lagging = (shown: number): Trial => {
      const hold: Hold = { stream, from: `@${shown}`, until: 'heal' };
      return { ...trial, schedule: { ...trial.schedule, preemptions: [], holds: [hold] } };
    };
    if (!(yield lagging(0))) continue;
    let shown = 0;
    while (shown < SHOWN_MAX && (yield lagging(shown + 1))) shown++;
    return lagging(shown);
  }
  return trial;
}

/**
 * Yields candidates with less lag: holds that last until heal end at one of `moments` instead, which are labels in the order of the failing
 * run. The search bisects, assuming that a target that fails with less lag also fails with more.
 */
export function* shortenHolds(trial: Trial, moments: readonly string[]): Shrinking {
  let current = trial;
  for (const [index, hold] of trial.schedule.holds.entries()) {
    if (hold.until !== 'heal' || hold.stream.includes('!')) continue;
    let [low, high] = [0, moments.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const until = moments[middle] ?? 'heal';
      const holds = current.schedule.holds.with(index, { ...hold, until });
      const candidate: Trial = { ...current, schedule: { ...current.schedule, holds } };
      if (yield candidate) [current, high] = [candidate, middle];
      else low = middle + 1;
    }
  }
  return current;
}
