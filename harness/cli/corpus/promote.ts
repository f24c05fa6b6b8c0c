/**
 * `corpus promote`: a counterexample becomes an entry; an entry gets another state.
 *
 * Owns: what may follow what. Nothing is called fixed that still fails, or that no longer says anything.
 */
import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { realDate } from '../../determinism/real-time.ts';
import type { CorpusConfig, RunConfig } from '../../execution/run-config.ts';
import { corpusEntryOf, type CorpusState, type NamedEntry } from '../../model/corpus.ts';
import { EXIT, type ExitCode } from '../../model/errors.ts';
import { redactCounterexample } from '../../report/redaction/index.ts';
import { fileStem } from '../../report/title.ts';
import { decodeReplayable } from '../../schedule/codec/record.ts';
import { usage } from '../arguments.ts';
import type { CommandContext } from '../main.ts';
import { readText } from '../read-text.ts';
import { entryNamed, readWholeCorpus, writeEntry } from './folder.ts';
import { exitOfCorpus, replayCorpus } from './replay-first.ts';

export interface PromoteWishes {
  readonly state?: CorpusState;
  readonly reason?: string;
}

/** `config` is asked for where something has to be run. */
export async function promote(
  what: string,
  { state, reason }: PromoteWishes,
  { folder }: CorpusConfig,
  config: () => Promise<RunConfig>,
  context: CommandContext,
): Promise<ExitCode> {
  const { console } = context;
  const kept = readWholeCorpus(folder, console.cwd);
  const isFile = what.includes('/') || existsSync(what);
  const before = isFile ? undefined : entryNamed(kept, what);
  const wanted = state ?? (before?.entry.state === 'open' ? 'fixed' : 'open');
  if (wanted === 'quarantined' && (reason ?? '').trim() === '') {
    throw usage('got no reason, expected one for an entry that is put aside; add --reason "waits for issue 217"');
  }
  const facts = { state: wanted, reason: reason ?? '', since: realDate().toISOString().slice(0, 10) };
  const after =
    before === undefined ? entryFrom(what, facts) : { name: before.name, entry: { ...before.entry, ...facts } };
  const known = kept.find(({ name }) => name === after.name);
  // As it was until now: one that still fails was never mended.
  const now = known ?? { ...after, entry: { ...after.entry, state: 'open' as const } };
  if (wanted === 'fixed' && !(await isMended(now, await config(), context))) {
    console.err(`stalemate: "${after.name}" is left as it was: an entry is fixed once it is replayed and holds\n`);
    return EXIT.violated;
  }
  const path = relative(console.cwd, writeEntry(folder, after.name, after.entry));
  console.out(`${path}: ${known === undefined ? wanted : `${known.entry.state} → ${wanted}`}\n`);
  return EXIT.holds;
}

function entryFrom(file: string, facts: Pick<NamedEntry['entry'], 'state' | 'reason' | 'since'>): NamedEntry {
  const counterexample = redactCounterexample(decodeReplayable(readText(file, 'counterexample'), basename(file)));
  return { name: fileStem(counterexample.signature), entry: corpusEntryOf(counterexample, facts) };
}

async function isMended(named: NamedEntry, config: RunConfig, { console, signal }: CommandContext): Promise<boolean> {
  const manner = { console, tell: console.err, signal, budgetMs: Number.POSITIVE_INFINITY };
  const { revisited } = await replayCorpus([named], config, manner);
  return exitOfCorpus(revisited) === EXIT.holds && revisited.every(({ outcome }) => outcome === 'holds');
}

export function pathIn(folder: string, name: string, cwd: string): string {
  return relative(cwd, join(folder, `${name}.json`));
}
