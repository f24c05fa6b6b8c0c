/** Replays the corpus before a search. */
import { realNow } from '../../determinism/real-time.ts';
import type { RunConfig } from '../../execution/config/run-config.ts';
import { BUDGET_MIN_MS, CORPUS_SHARE, timePlan, type TimePlan } from '../../execution/time-plan.ts';
import type { NamedEntry } from '../../model/corpus.ts';
import type { CorpusReplay, ReplayManner } from '../corpus/replay-first.ts';
import type { CommandContext } from '../command-context.ts';

/**
 * Replays known findings before the search for new ones.
 *
 * @param onBroken - Called with the results so far, before an error is thrown.
 */
export async function replayKept(
  kept: readonly NamedEntry[],
  config: RunConfig,
  { print, console, signal }: Pick<CommandContext, 'console' | 'signal'> & Pick<ReplayManner, 'print'>,
  onBroken: (replay: CorpusReplay) => void,
): Promise<CorpusReplay | undefined> {
  const chosen = new Set(config.properties.map(({ name }) => name));
  const mine = kept.filter(({ entry }) => chosen.has(entry.signature.property));
  if (mine.length < kept.length) {
    const left = kept.filter(({ entry }) => !chosen.has(entry.signature.property)).map(({ name }) => name);
    print(`corpus: skipped, as their properties are not judged in this run: ${left.join(', ')}\n`);
  }
  if (mine.length === 0) return undefined;
  const { replayCorpus } = await import('../corpus/replay-first.ts');
  return replayCorpus(mine, config, { console, print, signal, budgetMs: corpusTimeMs(config), onBroken });
}

/** Maximum time for the corpus, unless the corpus has a budget of its own. */
const CORPUS_MS_MAX = 60_000;

/** Returns the time for the corpus: its own budget if it has one (on top of the search's budget), else a share of the search's budget. */
export function corpusTimeMs({ corpus, budget }: Pick<RunConfig, 'corpus' | 'budget'>): number {
  if (corpus.budgetMs !== null) return corpus.budgetMs;
  if (budget.unit === 'runs') return CORPUS_MS_MAX;
  return Math.min(CORPUS_MS_MAX, CORPUS_SHARE * Math.max(budget.timeMs, BUDGET_MIN_MS));
}

/** Divides the time of a campaign. The time of the corpus is included, unless the corpus has a budget of its own. */
export function planOf(config: RunConfig, corpusMs: number, isAsked: boolean, enoughMs?: number): TimePlan {
  const { budget, corpus } = config;
  const timeMs = budget.unit === 'ms' ? budget.timeMs : Number.POSITIVE_INFINITY;
  const spentMs = corpus.budgetMs === null ? corpusMs : 0;
  return timePlan(timeMs, realNow() - spentMs, isAsked, enoughMs === undefined ? undefined : enoughMs + spentMs);
}
