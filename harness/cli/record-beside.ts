/**
 * Finds the record of a finding, which is written as two files: the counterexample, which can be replayed, and the record,
 * which contains the history.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { kindOf, parseJson } from '../schedule/codec/format.ts';
import { usage } from './arguments.ts';
import type { Console } from './console.ts';
import { readText } from './read-text.ts';

/**
 * Returns the record beside a counterexample, because its story needs the history; for any other file, returns the file itself.
 *
 * @param use - How the record is used, as the first words of a message that ends with the record's path: `the page is made of its record`.
 * @throws {USAGE} with the name of the missing record.
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
