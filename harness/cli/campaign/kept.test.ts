import { expect, it } from 'vitest';
import type { RunConfig } from '../../execution/config/run-config.ts';
import { planOf } from './kept.ts';

it.each([
  ['is part of the budget', null, 5_000],
  ['has a budget of its own', 60_000, 0],
])('lets a search end that long after a corpus that %s', (_, budgetMs, countedMs) => {
  const config = { budget: { unit: 'ms', timeMs: 120_000 }, corpus: { folder: '', budgetMs } };
  const { enough, search } = planOf(config as unknown as RunConfig, 5_000, false, 30_000);

  // The budget starts before the corpus is replayed, so it includes that time.
  expect(enough - (search - 120_000)).toBeCloseTo(30_000 + countedMs, 0);
});
