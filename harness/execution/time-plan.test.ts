import { describe, expect, it } from 'vitest';
import { BOUND, BUDGET_MIN_MS, ENDLESS, searchUntil, shifted, timePlan } from './time-plan.ts';

describe('the division of a budget', () => {
  it.each([1_000, 10_000, 20_000, 60_000, 3_600_000])('ends %i ms within the bound, part after part', (timeMs) => {
    const began = 500;
    const { spare, measured, search, lastTrial, trials, proved, work, asked } = timePlan(timeMs, began);
    const parts = [spare, measured, lastTrial, trials, proved, work, asked];

    expect(parts).toEqual(parts.toSorted((a, b) => a - b));
    expect(search).toBe(began + timeMs);
    expect(asked - began).toBeLessThan(BOUND * Math.max(timeMs, BUDGET_MIN_MS));
  });

  it('lets trials begin until the budget ends, and for a while after undisturbed runs that took nearly all of it', () => {
    const plan = timePlan(60_000, 0);

    expect(searchUntil(plan, 10_000)).toBe(60_000);
    expect(searchUntil(plan, 45_000)).toBe(63_000);
    expect(searchUntil(plan, 60_000)).toBe(plan.lastTrial);
  });

  it('has no end where the budget is a number of runs, told to whichever clock', () => {
    expect(timePlan(Number.POSITIVE_INFINITY, 7)).toEqual(ENDLESS);
    expect(shifted(ENDLESS, -7)).toEqual(ENDLESS);
  });

  it('ends the search sooner where others are to be asked about findings', () => {
    const plan = timePlan(60_000, 0, true);

    expect(plan.searchFound).toBeLessThan(plan.search);
    expect(plan.lastTrial).toBeLessThanOrEqual(plan.trials);
    expect(plan.trials).toBeLessThan(plan.proved);
    expect(plan.proved).toBe(timePlan(60_000, 0).proved);
  });

  it('may end a search early that has put enough to the test, and skips what would delay that', () => {
    const plan = timePlan(120_000, 1_000, false, 30_000);

    expect(plan.enough).toBe(31_000);
    expect(plan.spare).toBe(timePlan(30_000, 1_000).spare);
    expect(plan.search).toBe(121_000);
    expect(timePlan(120_000, 1_000).enough).toBe(Number.POSITIVE_INFINITY);
  });

  it('is the same by another clock', () => {
    expect(shifted(timePlan(60_000, 900), -900)).toEqual(timePlan(60_000, 0));
  });
});
