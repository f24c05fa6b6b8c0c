/** Findings are written as two files: the counterexample, which replays, and the record, which has the history. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { kindOf, parseJson } from '../schedule/codec/format.ts';
import { usage } from './arguments.ts';
import type { Console } from './console.ts';
import { readText } from './read-text.ts';

/**
 * The record beside a counterexample, for there is nothing to read in the story without its history; else the file itself.
 *
 * @param use what is done with the record, as the end of a sentence: `the page is made of its record`.
 * @throws {USAGE} naming the record that is not there.
 */
export function recordBeside(file: string, use: string, { cwd, err }: Pick<Console, 'cwd' | 'err'>): string {
  const name = relative(cwd, file);
  const kind = kindOf(parseJson(readText(file, 'record'), name, 'record'));
  if (kind !== 'counterexample' && kind !== 'corpus-entry') return file;
  const record = join(dirname(dirname(file)), 'records', basename(file));
  const what = kind === 'counterexample' ? 'a counterexample' : 'a finding of the corpus';
  if (!existsSync(record)) {
    throw usage(
      `"${name}" is ${what} and holds no history, and its record "${relative(cwd, record)}" is not there; ` +
        `expected a record: copy it here, or see the story with "stalemate ${kind === 'counterexample' ? `replay ${name}` : `corpus run ${basename(file, '.json')}`}"`,
    );
  }
  err(`"${name}" is ${what}; ${use} "${relative(cwd, record)}"\n`);
  return record;
}
