/**
 * Shrinking the lag of watches: one hold in the place of many steps, and no longer than it needs to be.
 *
 * Pure, like `shrink.ts`; but what may be held, and until when, only the failing run knows: the campaign brings that along.
 */
import type { Hold } from '../model/schedule.ts';
import type { Trial } from '../model/trial.ts';

type Shrinking = Generator<Trial, Trial, boolean>;

/** Fewer preemptions than these are a story of their own. */
const CHAIN_MIN = 3;
/** So many events of a stream may go by before it lags. */
const SHOWN_MAX = 8;

/**
 * Candidates in which the lag of one watch replaces a chain of preemptions: that an actor went on step by step, and heard of nothing
 * meanwhile, is said better by what it did not hear.
 *
 * @param streams Labels of the watches on which the target heard something in the failing run.
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
 * Candidates with less lag: holds that last until heal end at one of `moments` instead, labels in the order in which they happened in
 * the failing run. Bisects, as who fails with less lag fails with more.
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
