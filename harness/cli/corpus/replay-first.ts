/** Replays the corpus before a search, and prints each result immediately. Start at {@link replayCorpus}. */
import { relative } from 'node:path';
import { realNow } from '../../determinism/real-time.ts';
import { storedTarget } from '../../execution/search/counterexample.ts';
import type { RunConfig } from '../../execution/config/run-config.ts';
import { isCoarse, type KnownCause } from '../../model/cause.ts';
import { signatureText } from '../../model/signature.ts';
import {
  isFailure,
  isSilent,
  notReached,
  type CorpusState,
  type NamedEntry,
  type Revisited,
} from '../../model/corpus.ts';
import type { CounterexampleTarget } from '../../model/counterexample.ts';
import { EXIT, type ExitCode } from '../../model/errors.ts';
import {
  corpusCounts,
  plain,
  revisitedText,
  summariseCorpus,
  type CorpusSummary,
} from '../../report/corpus-summary.ts';
import { redactRevisited } from '../../report/redaction/index.ts';
import { Vault } from '../../report/redaction/vault.ts';
import { countText } from '../../report/count-text.ts';
import { secretSources } from '../../execution/config/secret-sources.ts';
import type { Console } from '../console.ts';
import { revisitConfigured } from '../library.ts';

/** The order of replays: if time is short, regressions of fixed findings matter most. */
const ORDER: readonly CorpusState[] = ['fixed', 'open', 'quarantined'];

export interface CorpusReplay {
  readonly revisited: readonly Revisited[];
  readonly summary: CorpusSummary;
}

export interface ReplayManner {
  readonly console: Console;
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
  readonly budgetMs: number;
  /** Number of runs before an entry counts as holding. */
  readonly times?: number;
  /** Called with the results so far, before an error is thrown. */
  readonly onBroken?: (replay: CorpusReplay) => void;
}

/** Replays entries, the fixed ones first, and prints each result. Redacts everything that is printed or returned. */
export async function replayCorpus(
  entries: readonly NamedEntry[],
  config: RunConfig,
  { console, print, signal, budgetMs, times, onBroken }: ReplayManner,
): Promise<CorpusReplay> {
  const started = realNow();
  const folder = relative(console.cwd, config.corpus.folder);
  const within = Number.isFinite(budgetMs) ? `, for up to ${budgetMs / 1000} s` : '';
  print(`corpus: ${countText(entries.length, 'finding')} of ${folder} replayed${within}\n`);
  const vault = new Vault();
  const sources = secretSources(config);
  const hidden = new Map<string, Revisited>();
  const replayOf = (revisited: readonly Revisited[]): CorpusReplay => ({
    revisited,
    summary: summariseCorpus(revisited, { budgetMs, elapsedMs: realNow() - started }),
  });
  const found = await revisitConfigured(inOrder(entries), config, {
    signal,
    timeMs: budgetMs,
    ...(times === undefined ? {} : { times }),
    onCluster: (line) => print(`${line}\n`),
    onRevisited: (one) => {
      const redacted = redactRevisited(one, sources, vault);
      hidden.set(one.name, redacted);
      print(revisitedText(redacted, console));
    },
  }).catch((error: unknown) => {
    if (hidden.size > 0) onBroken?.(replayOf(inOrder(entries).map((one) => hidden.get(one.name) ?? notReached(one))));
    throw error;
  });
  const revisited = found.map((one) => hidden.get(one.name) ?? one);
  for (const one of revisited) if (one.outcome === 'not-reached') print(revisitedText(one, console));
  const replay = replayOf(revisited);
  print(`corpus: ${corpusCounts(revisited)}, in ${(replay.summary.elapsedMs / 1000).toFixed(1)} s\n`);
  if (revisited.length > 0 && revisited.every(({ outcome }) => outcome === 'other-target'))
    console.err(`warning: ${skippedText(revisited, folder, nameOf(storedTarget(config)))}\n`);
  return replay;
}

/** Warns if all entries were skipped, because the target may just have been renamed. */
function skippedText(revisited: readonly Revisited[], folder: string, mine: string): string {
  const about = revisited.map(({ entry }) => nameOf(entry.target));
  return plain(
    `no finding of ${folder} was replayed: ${countText(revisited.length, 'finding')} about ${[...new Set(about)].join(', ')}, and this run is about ${mine}; if that is the same, correct "target" in the files`,
  );
}

/** Returns the target's name without its arguments, which may contain secrets. */
function nameOf(target: CounterexampleTarget): string {
  return 'module' in target ? target.module : `${target.command[0] ?? ''} (in ${target.directory})`;
}

function inOrder(entries: readonly NamedEntry[]): readonly NamedEntry[] {
  return ORDER.flatMap((state) => entries.filter(({ entry }) => entry.state === state));
}

/** Returns the exit code: any failure counts, and an inconclusive entry is not a success. */
export function exitOfCorpus(revisited: readonly Revisited[]): ExitCode {
  if (revisited.some(isFailure)) return EXIT.violated;
  return revisited.some(isSilent) ? EXIT.inconclusive : EXIT.holds;
}

/**
 * Returns the causes that a search need not report again, because they failed here. An entry that fails the run covers its whole cause. An
 * entry that does not fail the run, or whose cause several bugs may share, only covers violations with its own signature; all others must
 * be reported.
 */
export function knownCauses(revisited: readonly Revisited[]): readonly KnownCause[] {
  return revisited.flatMap((one): readonly KnownCause[] => {
    const { outcome, entry } = one;
    if (outcome !== 'fails') return [];
    const signature = signatureText(entry.signature);
    const { cause } = entry;
    if (cause === undefined || isCoarse(cause) || !isFailure(one)) return [{ key: signature, signatures: [] }];
    return [{ key: cause.key, signatures: [signature] }];
  });
}
