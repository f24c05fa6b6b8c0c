/**
 * Writes the files that `init` has planned: only inside the project, and without overwriting files that were created in the
 * meantime.
 */
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HarnessError } from '../../model/errors.ts';
import type { Console } from '../console.ts';
import type { PlannedFile } from './plan.ts';
import { leadsInto } from './repository.ts';

/**
 * @throws {USAGE} for a path on which a symbolic link leads out of the project.
 * @throws {OUTPUT_FAILED}
 */
export function writePlan(files: readonly PlannedFile[], { cwd, called }: Pick<Console, 'cwd' | 'called'>): void {
  for (const { path, text, does } of files) {
    if (does === 'keep') continue;
    if (leadsOut(path, cwd))
      throw new HarnessError(
        'USAGE',
        `"${path}" leads out of the project by a symbolic link, expected a file of the project; remove the link and run "${called} init" again`,
      );
    try {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      // `wx` fails if the file was created after it was planned.
      writeFileSync(join(cwd, path), text, { flag: { write: 'wx', extend: 'a', replace: 'w' }[does] });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST')
        throw new HarnessError(
          'OUTPUT_FAILED',
          `"${path}" was created by another program while this command ran, expected a path that stays free; it is left as it is: look at it and run "${called} init --force" or "${called} run"`,
          { cause: error },
        );
      throw new HarnessError(
        'OUTPUT_FAILED',
        `"${path}" could not be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'}), expected a folder of yours; what was written before it stays`,
        { cause: error },
      );
    }
  }
}

/**
 * Reports whether any part of the path is a symbolic link out of the project. A dangling link counts: writing would create its
 * target.
 */
function leadsOut(path: string, cwd: string): boolean {
  const parts = path.split('/');
  return parts.some((_, index) => {
    const place = join(cwd, ...parts.slice(0, index + 1));
    return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true && !leadsInto(cwd, place);
  });
}
