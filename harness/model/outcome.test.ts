import { expect, it } from 'vitest';
import { outcomeBesides, type RunsMade } from './outcome.ts';

const MADE: RunsMade = {
  ...{ runs: 1_000, interrupted: false, diverged: false, inconclusiveRuns: 0, contended: true, left: [] },
  ...{ contention: { conflicts: 9 }, perProperty: {} },
};

it('is inconclusive where a violation was seen and not reproduced, however many runs hold', () => {
  expect(outcomeBesides(MADE)).toBe('holds');
  expect(outcomeBesides({ ...MADE, left: [{ what: 'runs', count: 1 }] })).toBe('holds');
  expect(outcomeBesides({ ...MADE, left: [{ what: 'unproved', count: 1 }] })).toBe('inconclusive');
});

it('lets one run in a hundred be without an opinion', () => {
  expect(outcomeBesides({ ...MADE, inconclusiveRuns: 10 })).toBe('holds');
  expect(outcomeBesides({ ...MADE, inconclusiveRuns: 11 })).toBe('inconclusive');
  expect(outcomeBesides({ ...MADE, runs: 20, inconclusiveRuns: 1 })).toBe('holds');
  expect(outcomeBesides({ ...MADE, runs: 20, inconclusiveRuns: 2 })).toBe('inconclusive');
  expect(outcomeBesides({ ...MADE, runs: 19, inconclusiveRuns: 1 })).toBe('inconclusive');
  expect(outcomeBesides({ ...MADE, runs: 0 })).toBe('inconclusive');
});
