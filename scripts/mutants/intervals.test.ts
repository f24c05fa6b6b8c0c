import { expect, it } from 'vitest';
import { wilson } from './intervals.ts';

it('matches the textbook bounds', () => {
  const { low, high } = wilson(8, 10);
  expect(low).toBeCloseTo(0.4902, 3);
  expect(high).toBeCloseTo(0.9433, 3);
});

it('is wide for all or none of a small sample', () => {
  expect(wilson(5, 5).low).toBeLessThan(0.6);
  expect(wilson(5, 5).high).toBeCloseTo(1);
  expect(wilson(0, 5).low).toBeCloseTo(0);
  expect(wilson(0, 5).high).toBeGreaterThan(0.4);
});

it('covers everything for an empty sample', () => {
  expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
});
