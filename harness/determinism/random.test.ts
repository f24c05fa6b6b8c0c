import { describe, expect, it } from 'vitest';
import { batchSeed, Random } from './random.ts';

function draws(random: Random, count = 5): readonly number[] {
  return Array.from({ length: count }, () => random.next());
}

describe('Random', () => {
  it('draws the same numbers from the same seed, for ever', () => {
    expect(draws(new Random(42))).toEqual(draws(new Random(42)));
    expect(draws(new Random(1), 3)).toEqual([3_820_265_097, 3_878_146_265, 261_769_252]);
  });

  it('draws other numbers from other seeds, also beyond 32 bits', () => {
    const firsts = [0, 1, 2, -1, 2 ** 32, 2 ** 32 + 1, 2 ** 52].map((seed) => new Random(seed).next());

    expect(new Set(firsts).size).toBe(firsts.length);
  });

  it('gives children that do not depend on what was drawn before', () => {
    const fresh = new Random(7);
    const used = new Random(7);
    draws(used, 100);

    expect(draws(used.child('writer-1'))).toEqual(draws(fresh.child('writer-1')));
  });

  it('gives different children to different names and different parents', () => {
    const root = new Random(7);
    const firsts = [
      root,
      root.child('a'),
      root.child('b'),
      root.child('ab'),
      root.child('a').child('b'),
      new Random(8).child('a'),
    ];

    expect(new Set(firsts.map((random) => random.next())).size).toBe(firsts.length);
  });

  it('stays within bounds and reaches every value', () => {
    const random = new Random(3);
    const drawn = new Set(Array.from({ length: 500 }, () => random.int(7)));

    expect([...drawn].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(random.int(0)).toBe(0);
    expect(random.int(1)).toBe(0);
  });

  it('spreads draws evenly', () => {
    const random = new Random(11);
    const means = Array.from({ length: 20 }, (_, index) => {
      const child = random.child(`${index}`);
      return Array.from({ length: 2_000 }, () => child.float()).reduce((sum, value) => sum + value, 0) / 2_000;
    });

    expect(Math.min(...means)).toBeGreaterThan(0.47);
    expect(Math.max(...means)).toBeLessThan(0.53);
  });

  it('shuffles without losing anything and leaves the original alone', () => {
    const items = [1, 2, 3, 4, 5, 6, 7, 8];

    const shuffled = new Random(5).shuffle(items);

    expect(shuffled).not.toEqual(items);
    expect([...shuffled].sort((a, b) => a - b)).toEqual(items);
    expect(items).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('refuses to pick from nothing', () => {
    expect(() => new Random(1).pick([])).toThrow('empty list');
  });

  it('makes UUIDs of version 4 and suffixes as the API server makes them', () => {
    const random = new Random(9);
    const uuids = Array.from({ length: 200 }, () => random.uuid());
    const suffixes = Array.from({ length: 200 }, () => random.suffix());

    expect(
      uuids.every((uuid) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuid)),
    ).toBe(true);
    expect(new Set(uuids).size).toBe(200);
    expect(suffixes.every((suffix) => /^[bcdfghjklmnpqrstvwxz2456789]{5}$/.test(suffix))).toBe(true);
  });

  it('fills a part of a buffer and nothing around it', () => {
    const bytes = new Uint8Array(12);

    new Random(2).fillBytes(bytes.subarray(3, 9));

    expect([...bytes.subarray(0, 3), ...bytes.subarray(9)]).toEqual([0, 0, 0, 0, 0, 0]);
    expect(bytes.subarray(3, 9).some((byte) => byte !== 0)).toBe(true);
  });
});

describe('the seed of a batch', () => {
  it('is another one for each batch of a campaign, and the same one for ever', () => {
    const seeds = Array.from({ length: 10_000 }, (_, at) => batchSeed(7, at));

    expect(new Set(seeds).size).toBe(10_000);
    expect([batchSeed(1, 0), batchSeed(1, 1)]).toEqual([-1_640_531_535, 606_290_972]);
  });
});
