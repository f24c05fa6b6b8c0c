/** `corpus run`: replays the corpus, and prints the stories of failures. */
import { join, relative } from 'node:path';
import type { RunConfig } from '../../execution/config/run-config.ts';
import { isFailure, type Revisited } from '../../model/corpus.ts';
import { EXIT, type ExitCode } from '../../model/errors.ts';
import type { CommandContext } from '../command-context.ts';
import { entryNamed, readWholeCorpus, writeEntry } from './folder.ts';
import { exitOfCorpus, replayCorpus } from './replay-first.ts';
import { storyOf } from './story.ts';

export interface CorpusRunFlags {
  readonly times?: number;
  readonly budget?: number;
  readonly update?: boolean;
  readonly json?: boolean;
}

export async function runCorpus(
  named: readonly string[],
  config: RunConfig,
  flags: CorpusRunFlags,
  { console, signal }: CommandContext,
): Promise<ExitCode> {
  const { folder } = config.corpus;
  const all = readWholeCorpus(folder, console.cwd);
  const entries = named.length === 0 ? all : named.map((name) => entryNamed(all, name));
  const json = flags.json === true;
  if (entries.length === 0) {
    console.err(
      `the corpus is empty; add a finding with: ${console.called} corpus promote .stalemate/failures/NAME.json\n`,
    );
    if (!json) return EXIT.holds;
  }
  const { revisited, summary } = await replayCorpus(entries, config, {
    console,
    print: json ? console.err : console.out,
    signal,
    budgetMs: flags.budget ?? Number.POSITIVE_INFINITY,
    ...(flags.times === undefined ? {} : { times: flags.times }),
  });
  if (json) console.out(`${JSON.stringify({ version: 1, ...summary }, null, 2)}\n`);
  else for (const one of revisited) if (isFailure(one)) console.out(storyOf(one, config, console));
  if (flags.update === true) for (const one of revisited) keepMoved(one, folder, console);
  return exitOfCorpus(revisited);
}

/** If an entry only fails with moved labels, stores it with these labels. */
function keepMoved(
  { name, entry, reanchored }: Revisited,
  folder: string,
  { err, cwd }: CommandContext['console'],
): void {
  if (reanchored === undefined) return;
  writeEntry(folder, name, { ...entry, schedule: reanchored.schedule });
  err(`updated ${relative(cwd, join(folder, `${name}.json`))}: ${reanchored.moves.length} labels moved\n`);
}
