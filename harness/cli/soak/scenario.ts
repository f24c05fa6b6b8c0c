/** Converts a soak to a scenario of the run document. */
import type { Scenario } from '../../report/run/document.ts';
import { makeScenario, type ScenarioFacts } from '../../report/run/make-document.ts';
import type { Soak } from '../../report/soak/merge.ts';
import { summarise, type Summary } from '../../report/summary.ts';
import { soakBudgetText } from '../../report/soak/text.ts';
import type { FindingKeeper } from '../finding-keeper.ts';
import type { InconclusiveKeeper } from '../inconclusive-keeper.ts';

/** Summarises a soak, with its corpus and budgets. */
export function soakSummary({ result, corpus, budgets }: Soak, pathOf: Parameters<typeof summarise>[1]): Summary {
  return summarise(result, pathOf, corpus, budgets);
}

/**
 * @param keeper - Provides the paths of the findings' files.
 * @param unjudged - Provides the pages of the inconclusive runs.
 */
export function soakScenario(soak: Soak, keeper: FindingKeeper, unjudged: InconclusiveKeeper): Scenario {
  const { about, budget, result, corpus } = soak;
  const { outcome } = soakSummary(soak, () => undefined);
  const facts: ScenarioFacts = {
    ...about,
    budget: soakBudgetText(budget, result.soak?.shards.length ?? 1),
    pathsOf: (finding) => keeper.pathsOf(finding),
    unjudgedPageOf: (reason) => unjudged.pageOf(reason),
  };
  return makeScenario({ ...result, outcome }, facts, corpus);
}
