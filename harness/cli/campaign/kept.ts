/** Findings that are kept, before a search. */
import type { RunConfig } from '../../execution/config/run-config.ts';
import type { NamedEntry } from '../../model/corpus.ts';
import type { CorpusReplay, ReplayManner } from '../corpus/replay-first.ts';
import type { CommandContext } from '../main.ts';

/**
 * What is known is looked at before anything new is searched for.
 *
 * @param onBroken hears, before it throws, what became of those that were replayed until then.
 */
export async function replayKept(
  kept: readonly NamedEntry[],
  config: RunConfig,
  { tell, console, signal }: Pick<CommandContext, 'console' | 'signal'> & Pick<ReplayManner, 'tell'>,
  onBroken: (replay: CorpusReplay) => void,
): Promise<CorpusReplay | undefined> {
  const chosen = new Set(config.properties.map(({ name }) => name));
  const mine = kept.filter(({ entry }) => chosen.has(entry.signature.property));
  if (mine.length < kept.length) {
    const left = kept.filter(({ entry }) => !chosen.has(entry.signature.property)).map(({ name }) => name);
    tell(`corpus: left out, for their properties are not judged in this run: ${left.join(', ')}\n`);
  }
  if (mine.length === 0) return undefined;
  const { replayCorpus } = await import('../corpus/replay-first.ts');
  return replayCorpus(mine, config, { console, tell, signal, budgetMs: config.corpus.budgetMs, onBroken });
}
