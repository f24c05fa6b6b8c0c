import { expect, it } from 'vitest';
import { inLanes } from './lanes.ts';
import { REAL_MODE, VIRTUAL_MODE } from './run-mode.ts';

it('keeps the order of the answers, whichever lane is done first', async () => {
  const turns = (n: number): Promise<void> =>
    n === 0 ? Promise.resolve() : Promise.resolve().then(() => turns(n - 1));

  const answers = await inLanes(['a', 'b'], [9, 1, 2], async (_, n) => {
    await turns(n);
    return n * 10;
  });

  expect(answers).toEqual([90, 10, 20]);
});

it('begins nothing more once one has failed, and throws when the others have ended', async () => {
  const heard: string[] = [];
  const other = Promise.withResolvers<void>();

  const all = inLanes(['a', 'b'], [1, 2, 3, 4], async (_, n) => {
    heard.push(`begin ${n}`);
    if (n === 1) {
      other.resolve();
      throw new Error('lost');
    }
    await other.promise;
    heard.push(`end ${n}`);
  });

  await expect(all).rejects.toThrow('lost');
  expect(heard).toEqual(['begin 1', 'begin 2', 'end 2']);
});

it('has one lane more than processors in virtual time, and two for each and one more in real time, at most five', () => {
  expect([1, 2, 3, 8].map((processors) => VIRTUAL_MODE.laneCount(processors))).toEqual([2, 3, 4, 5]);
  expect([1, 2, 3, 8].map((processors) => REAL_MODE.laneCount(processors))).toEqual([3, 5, 5, 5]);
});
