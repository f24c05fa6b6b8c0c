import { expect, it } from 'vitest';
import { slackAfter } from './program-waits.ts';

it.each([
  [0, 0],
  [1_000, 50],
  [60_000, 3_000],
  [500_000, 5_000],
  [600_000, 30_000],
  [36_000_000, 120_000],
])('lets timers be late after %i ms of nothing else: by %i ms', (waitedMs, slackMs) => {
  expect(slackAfter(waitedMs, false)).toBe(slackMs);
});

it('keeps a lock up however long it has been waited', () => {
  expect(slackAfter(36_000_000, true)).toBe(1_000);
});
