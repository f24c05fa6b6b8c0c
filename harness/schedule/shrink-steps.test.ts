import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ddmin } from './shrink-steps.ts';

/** Drives the generator; returns the result and the number of candidates tried. */
function minimise(
  list: readonly number[],
  fails: (list: readonly number[]) => boolean,
): { smallest: readonly number[]; tried: number } {
  const candidates = ddmin(list);
  let tried = 0;
  let next = candidates.next();
  while (next.done !== true) {
    tried++;
    next = candidates.next(fails(next.value));
  }
  return { smallest: next.value, tried };
}

describe('delta debugging', () => {
  it('keeps exactly the elements that the failure needs, wherever they stand', () => {
    const lists = fc.integer({ min: 1, max: 40 }).chain((length) =>
      fc.record({
        length: fc.constant(length),
        needed: fc.uniqueArray(fc.integer({ min: 0, max: length - 1 }), { maxLength: 4 }),
      }),
    );
    fc.assert(
      fc.property(lists, ({ length, needed }) => {
        const all = Array.from({ length }, (_, index) => index);

        const { smallest } = minimise(all, (list) => needed.every((element) => list.includes(element)));

        expect([...smallest]).toEqual(needed.toSorted((a, b) => a - b));
      }),
      { seed: 3, numRuns: 300 },
    );
  });

  it('finds out first whether anything is needed at all', () => {
    expect(minimise([1, 2, 3], () => true)).toEqual({ smallest: [], tried: 1 });
  });

  it('needs about twice the logarithm for a single needed element', () => {
    const all = Array.from({ length: 32 }, (_, index) => index);

    const { smallest, tried } = minimise(all, (list) => list.includes(21));

    expect(smallest).toEqual([21]);
    expect(tried).toBeLessThanOrEqual(20);
  });
});
