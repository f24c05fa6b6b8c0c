import { describe, expect, it } from 'vitest';
import { DEFAULT_FAULT_KINDS } from '../../model/fault-kinds.ts';
import { batchRandom } from './place.ts';
import { drawBatch } from './swarm.ts';

const WRITERS = ['deleter', 'recreator', 'scale-writer', 'autoscaler'];
const CONFIG = { writers: WRITERS, faults: DEFAULT_FAULT_KINDS, process: null };

function draw(epoch: string, index: number, batch: number): ReturnType<typeof drawBatch> {
  return drawBatch(CONFIG, batch, batchRandom(epoch, { index }, batch));
}

describe('what a batch of a soak draws', () => {
  it('is the same wherever it runs, and another one for each shard, epoch and batch', () => {
    expect(draw('2026-11-22', 3, 5)).toEqual(draw('2026-11-22', 3, 5));
    const seeds = ['2026-11-22', '2026-11-23'].flatMap((epoch) =>
      [1, 2, 3].flatMap((index) => [0, 1, 2, 3].map((batch) => draw(epoch, index, batch).seed)),
    );
    expect(new Set(seeds).size).toBe(seeds.length);
  });

  it('is everything in three of four batches, and some of it in every fourth', () => {
    for (const batch of [0, 1, 2, 4, 5, 6])
      expect(draw('e', 1, batch)).toMatchObject({ writers: WRITERS, faults: DEFAULT_FAULT_KINDS, strategies: null });
    for (let batch = 3; batch < 200; batch += 4) {
      const { writers, strategies } = draw('e', 1, batch);
      expect(writers.length).toBeGreaterThan(0);
      expect(WRITERS).toEqual(expect.arrayContaining([...writers]));
      expect(strategies === null || strategies.length > 0).toBe(true);
    }
  });

  it('leaves each writer and fault off in some of those, and has each in some', () => {
    const draws = Array.from({ length: 100 }, (_, batch) => draw('e', 1, batch * 4 + 3));

    for (const one of WRITERS) {
      const share = draws.filter(({ writers }) => writers.includes(one)).length;
      expect(share).toBeGreaterThan(20);
      expect(share).toBeLessThan(80);
    }
    for (const one of DEFAULT_FAULT_KINDS) expect(draws.some(({ faults }) => !faults.includes(one))).toBe(true);
  });

  it('needs no writers and no faults', () => {
    expect(drawBatch({ ...CONFIG, writers: [], faults: [] }, 3, batchRandom('e', { index: 1 }, 3))).toMatchObject({
      writers: [],
      faults: [],
    });
  });
});
