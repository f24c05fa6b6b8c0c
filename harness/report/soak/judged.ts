/** Combines what each start of a soak reports besides its batches: the corpus and the budgets. The worst result wins. */
import type { BudgetCheck } from '../../model/baseline.ts';
import type { CorpusSummary, CorpusSummaryEntry } from '../../model/corpus.ts';
import type { SoakLineOf } from '../../model/soak.ts';
import { saysNothing } from '../../model/corpus.ts';
import { failsRun } from '../corpus-summary.ts';

type Judged = SoakLineOf<'judged'>;

/** Combines results of the corpus; undefined without a corpus. */
export function keptOf(lines: readonly Judged[]): CorpusSummary | undefined {
  const entries = worst(
    lines.flatMap(({ kept }) => kept),
    (entry) => [failsRun(entry) ? 0 : 1, entry.regression ? 0 : 1, saysNothing(entry) ? 0 : 1],
  );
  return entries.length === 0 ? undefined : { budgetMs: null, elapsedMs: 0, entries };
}

/** Combines the checks of budgets; undefined without a baseline. */
export function budgetsOver(lines: readonly Judged[]): readonly BudgetCheck[] | undefined {
  const checks = worst(
    lines.flatMap(({ budgets }) => budgets),
    ({ exceeded, measured }) => [exceeded ? 0 : 1, -measured],
  );
  return checks.length === 0 ? undefined : checks;
}

/** Returns, for each name, the item with the smallest weights; of several with equal weights, the one with the smallest text. */
function worst<T extends BudgetCheck | CorpusSummaryEntry>(
  all: readonly T[],
  weigh: (one: T) => readonly number[],
): readonly T[] {
  const weighed = all.map((one) => ({ one, weights: weigh(one), text: JSON.stringify(one) }));
  weighed.sort((a, b) => {
    const at = a.weights.findIndex((weight, index) => weight !== b.weights[index]);
    return at < 0 ? (a.text < b.text ? -1 : Number(a.text > b.text)) : (a.weights[at] ?? 0) - (b.weights[at] ?? 0);
  });
  const byName = new Map<string, T>();
  for (const { one } of weighed) if (!byName.has(one.name)) byName.set(one.name, one);
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}
