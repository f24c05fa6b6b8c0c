/** Files that a user names. */
import { readFileSync } from 'node:fs';
import { usage } from './arguments.ts';

/** @throws {USAGE} when it cannot be read. */
export function readText(path: string, expected: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reason =
      code === 'ENOENT' ? 'does not exist' : code === 'EISDIR' ? 'is a folder' : `cannot be read (${code})`;
    throw usage(`"${path}" ${reason}, expected a ${expected} file`);
  }
}
