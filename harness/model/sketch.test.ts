import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countOf, SKETCH_SIZE, sketchOf, united } from './sketch.ts';

describe('a sketch of what was seen', () => {
  it('is exact for few', () => {
    expect(countOf(sketchOf([7, 8, 7]))).toEqual({ count: 2, exact: true });
  });

  it('tells many to a tenth', () => {
    const { count, exact } = countOf(sketchOf(Array.from({ length: 50_000 }, (_, index) => index)));

    expect(exact).toBe(false);
    expect(count).toBeGreaterThan(45_000);
    expect(count).toBeLessThan(55_000);
  });

  it('is the same however parts are put together, and however often', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.nat(5_000), { maxLength: 900 }), { maxLength: 5 }),
        fc.nat(4),
        (parts, again) => {
          const sketches = parts.map(sketchOf);
          const whole = sketchOf(parts.flat());
          expect(united(sketches)).toEqual(whole);
          expect(united([...sketches.toReversed(), sketches[again] ?? []])).toEqual(whole);
          expect(whole.length).toBeLessThanOrEqual(SKETCH_SIZE);
        },
      ),
      { numRuns: 50 },
    );
  });
});
