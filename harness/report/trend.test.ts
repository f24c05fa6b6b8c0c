import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trendOf, type Least } from './trend.ts';

const LEAST: Least = { growth: 2, runs: 40 };

function series(length: number, at: (index: number) => number): readonly number[] {
  return Array.from({ length }, (_, index) => at(index));
}

describe('a trend', () => {
  it('is a growth with its slope', () => {
    expect(trendOf([series(60, (at) => 10 + at)], LEAST)).toEqual({ verdict: 'grows', perRun: 1, runs: 60 });
  });

  it('is found in a slow leak', () => {
    expect(trendOf([series(100, (at) => 10 + Math.floor(at / 4))], LEAST)).toMatchObject({ verdict: 'grows' });
  });

  it('is the same in a series too long to compare every pair of it', () => {
    expect(trendOf([series(50_000, (at) => 10 + at / 2)], LEAST)).toEqual({
      verdict: 'grows',
      perRun: 0.5,
      runs: 50_000,
    });
  });

  it('is steady once a process has found its size', () => {
    expect(trendOf([series(100, (at) => Math.min(40, 10 + at))], LEAST)).toEqual({ verdict: 'steady', runs: 100 });
  });

  it('is steady where it grows by too little to matter', () => {
    expect(trendOf([series(100, (at) => 10 + Math.floor(at / 60))], LEAST)).toMatchObject({ verdict: 'steady' });
  });

  it('adds up what several processes show', () => {
    const leaking = series(40, (at) => 5 + at / 5);

    expect(trendOf([leaking, leaking, series(3, () => 900)], LEAST)).toMatchObject({ verdict: 'grows', runs: 80 });
  });

  it('is not told from too few runs, however steep', () => {
    expect(trendOf([series(39, (at) => at * 100), series(12, (at) => at)], LEAST)).toEqual({
      verdict: 'too-few-runs',
      runs: 39,
    });
  });

  it('is seen in no more than a few of a thousand series of noise', () => {
    const noise = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 80, maxLength: 80 });
    const grown = fc
      .sample(noise, { numRuns: 1000, seed: 7 })
      .filter((one) => trendOf([one], { growth: 0, runs: 40 }).verdict === 'grows');

    expect(grown.length).toBeLessThan(10);
  });
});
