import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import { sideBySide } from './search.ts';
import { inLanes } from '../run/lanes.ts';
import { workload } from '../run/testing.ts';

const TRIALS = (seed: number, size: number): readonly Trial[] =>
  fc.sample(fc.constant({ workload: workload(), schedule: EMPTY_SCHEDULE }), { seed, numRuns: size });

test('keeps every lane busy, and the answers in order', async () => {
  const waiting: (() => void)[] = [];
  const busy = new Set<string>();
  const working = inLanes(['a', 'b'], [1, 2, 3], async (lane, of) => {
    busy.add(lane);
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
    });
    return of * 10;
  });

  expect([...busy]).toEqual(['a', 'b']);
  // The second run finishes first, and its lane takes the third trial.
  waiting[1]?.();
  while (waiting.length < 3) await Promise.resolve();
  waiting[2]?.();
  waiting[0]?.();

  expect(await working).toEqual([10, 20, 30]);
});

test('begins nothing more once a trial has failed, and answers all that did', async () => {
  let begun = 0;
  const tryBatch = sideBySide(
    TRIALS,
    () => false,
    100,
    ['a', 'b', 'c'],
    async (lane) => {
      begun++;
      await Promise.resolve();
      return lane === 'c' ? undefined : lane;
    },
  );

  expect(await tryBatch(1)).toEqual(['a', 'b']);
  expect(begun).toBe(3);
});

test('runs no more trials than it may, over all batches', async () => {
  let begun = 0;
  const tryBatch = sideBySide(
    TRIALS,
    () => false,
    250,
    ['a', 'b'],
    async () => {
      begun++;
      return Promise.resolve(undefined);
    },
  );

  await tryBatch(1);
  expect(begun).toBe(200);
  await tryBatch(2);
  expect(begun).toBe(250);
});
