/** Reads files that a user names. */
import { readFileText, Unreadable } from '../report/read-files.ts';
import { usage } from './arguments.ts';

/** @throws {USAGE} if the file cannot be read. */
export function readText(path: string, expected: string): string {
  try {
    return readFileText(path);
  } catch (error) {
    if (error instanceof Unreadable) throw usage(`"${path}" ${error.message}, expected ${withArticle(expected)} file`);
    throw error;
  }
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
