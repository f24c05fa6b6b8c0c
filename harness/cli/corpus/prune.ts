/** `corpus prune`: removes entries. The repository's history still contains them. */
import type { CorpusConfig, RunConfig } from '../../execution/config/run-config.ts';
import { EXIT, type ExitCode } from '../../model/errors.ts';
import { usage } from '../arguments.ts';
import type { CommandContext } from '../command-context.ts';
import { entryNamed, readWholeCorpus, removeEntry } from './folder.ts';
import { pathIn } from './promote.ts';
import { replayCorpus } from './replay-first.ts';
import { doublesIn } from './same-finding.ts';

export interface PruneWishes {
  readonly stale?: boolean;
  readonly doubles?: boolean;
  readonly dryRun?: boolean;
}

/** Removes entries. Calls `config` only if something must be run. */
export async function prune(
  named: readonly string[],
  { stale = false, doubles = false, dryRun = false }: PruneWishes,
  { folder }: CorpusConfig,
  config: () => Promise<RunConfig>,
  { console, signal }: CommandContext,
): Promise<ExitCode> {
  if (named.length === 0 && !stale && !doubles) {
    throw usage('got nothing to prune, expected names of entries, --stale or --doubles; see "stalemate corpus list"');
  }
  const kept = readWholeCorpus(folder, console.cwd);
  const out = new Map<string, string>();
  for (const name of named) out.set(entryNamed(kept, name).name, 'named');
  if (doubles) for (const { name } of doublesIn(kept)) out.set(name, 'the same as a smaller one');
  if (stale) {
    const manner = { console, print: console.err, signal, budgetMs: Number.POSITIVE_INFINITY };
    const { revisited } = await replayCorpus(kept, await config(), manner);
    for (const { name, outcome } of revisited) if (outcome === 'stale') out.set(name, 'stale');
  }
  for (const [name, why] of out) {
    if (!dryRun) removeEntry(folder, name);
    console.out(`${dryRun ? 'would remove' : 'removed'} ${pathIn(folder, name, console.cwd)}: ${why}\n`);
  }
  if (out.size === 0) console.out('nothing to remove\n');
  return EXIT.holds;
}
