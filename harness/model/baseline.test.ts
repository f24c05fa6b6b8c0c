import { describe, expect, it } from 'vitest';
import { checkBudgets, type Baseline } from './baseline.ts';

const BASELINE: Baseline = {
  version: 1,
  kind: 'baseline',
  target: { module: 'a.ts', transport: 'http-library' },
  conditions: { cluster: 'embedded', writers: [], faults: [] },
  runs: 100,
  ratio: 1.5,
  ratios: { requestsPerRun: 3 },
  measures: { requestsUndisturbed: 10, idleWritesPerMinute: 0, requestsPerRun: 20 },
};

describe('checkBudgets', () => {
  it('allows the ratio, and one more where that is little', () => {
    const checks = checkBudgets(BASELINE, { requestsUndisturbed: 15, idleWritesPerMinute: 1 }, 100, true);

    expect(checks).toEqual([
      { name: 'requestsUndisturbed', measured: 15, baseline: 10, limit: 15, exceeded: false },
      { name: 'idleWritesPerMinute', measured: 1, baseline: 0, limit: 1, exceeded: false },
    ]);
  });

  it('tells what is over, each by its own ratio', () => {
    const measured = { requestsUndisturbed: 15.1, idleWritesPerMinute: 2, requestsPerRun: 59 };

    expect(checkBudgets(BASELINE, measured, 100, true).map(({ exceeded }) => exceeded)).toEqual([true, true, false]);
  });

  it.each([
    ['of too few runs', 49, true],
    ['under other conditions', 100, false],
  ])('compares no averages %s', (_, runs, same) => {
    const names = checkBudgets(BASELINE, { requestsUndisturbed: 1, requestsPerRun: 900 }, runs, same);

    expect(names.map(({ name }) => name)).toEqual(['requestsUndisturbed']);
  });
});
