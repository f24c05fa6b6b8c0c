/**
 * `corpus promote`: turns a counterexample into an entry, or changes the state of an entry.
 *
 * Owns: which state may follow which. An entry that still fails, or has become inconclusive, cannot become fixed.
 */
import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { realDate } from '../../determinism/real-time.ts';
import { targetFrom } from '../../execution/search/counterexample.ts';
import type { CorpusConfig, RunConfig } from '../../execution/config/run-config.ts';
import { corpusEntryOf, type CorpusEntry, type CorpusState, type NamedEntry } from '../../model/corpus.ts';
import { EXIT, type ExitCode } from '../../model/errors.ts';
import { stateText } from '../../report/corpus-summary.ts';
import { redactCounterexample } from '../../report/redaction/index.ts';
import { decodeReplayable } from '../../schedule/codec/record.ts';
import { usage } from '../arguments.ts';
import type { CommandContext } from '../command-context.ts';
import { readText } from '../read-text.ts';
import { entryNamed, readWholeCorpus, writeEntry } from './folder.ts';
import { exitOfCorpus, replayCorpus } from './replay-first.ts';
import { freeName, keptAs } from './same-finding.ts';

export interface PromoteWishes {
  readonly state?: CorpusState;
  readonly reason?: string;
}

/** Promotes a counterexample or an entry. Calls `config` only if something must be run. */
export async function promote(
  what: string,
  { state, reason }: PromoteWishes,
  { folder, home }: CorpusConfig,
  config: () => Promise<RunConfig>,
  context: CommandContext,
): Promise<ExitCode> {
  const { console } = context;
  const kept = readWholeCorpus(folder, console.cwd);
  const isFile = what.includes('/') || existsSync(what);
  const named = isFile ? undefined : entryNamed(kept, what);
  const given = named?.entry ?? entryFrom(what, console.cwd, home);
  const known = named ?? keptAs(kept, given);
  const name = known?.name ?? freeName(kept, given);
  const wanted = state ?? nextState(known, isFile);
  // The reason and date of a state are kept as long as the state does not change.
  const same = known?.entry.state === wanted ? known.entry : undefined;
  const why = reason ?? same?.reason ?? '';
  if (wanted === 'quarantined' && why.trim() === '') {
    throw usage('got no reason, expected one for a quarantined entry; add --reason "waits for issue 217"');
  }
  const since = same?.since ?? realDate().toISOString().slice(0, 10);
  // The entry is replayed with its old state but the new content: if it still fails, it was never fixed.
  const now = { name, entry: { ...given, state: known?.entry.state ?? ('open' as const) } };
  if (wanted === 'fixed' && !(await isFixed(now, await config(), context))) {
    const as = known === undefined ? 'is not kept' : 'is left as it was';
    console.err(`stalemate: "${name}" ${as}: an entry is fixed once it is replayed and holds\n`);
    return EXIT.violated;
  }
  const after = { ...given, state: wanted, reason: why, since };
  const path = relative(console.cwd, writeEntry(folder, name, after));
  console.out(`${path}: ${known === undefined ? wanted : `${known.entry.state} → ${wanted}`}\n`);
  return EXIT.holds;
}

/**
 * Returns the next state if none is given: a new finding becomes open, an open entry becomes fixed.
 *
 * @throws {USAGE} if that would undo a decision of the user.
 */
function nextState(known: NamedEntry | undefined, isFile: boolean): CorpusState {
  if (known === undefined) return 'open';
  if (known.entry.state === 'open') return isFile ? 'open' : 'fixed';
  throw usage(
    `got no state for "${known.name}", which is ${stateText(known.entry)}, expected what it is from now on; add --state open, fixed or quarantined`,
  );
}

/** Makes an entry from a file, whose paths are relative to the working directory; those of the entry are relative to the project. */
function entryFrom(file: string, cwd: string, home: string): CorpusEntry {
  const counterexample = redactCounterexample(decodeReplayable(readText(file, 'counterexample'), basename(file)));
  return {
    ...corpusEntryOf(counterexample, { state: 'open', reason: '', since: '' }),
    target: targetFrom(counterexample.target, cwd, home),
  };
}

async function isFixed(named: NamedEntry, config: RunConfig, { console, signal }: CommandContext): Promise<boolean> {
  const manner = { console, print: console.err, signal, budgetMs: Number.POSITIVE_INFINITY };
  const { revisited } = await replayCorpus([named], config, manner);
  return exitOfCorpus(revisited) === EXIT.holds && revisited.every(({ outcome }) => outcome === 'holds');
}

export function pathIn(folder: string, name: string, cwd: string): string {
  return relative(cwd, join(folder, `${name}.json`));
}
