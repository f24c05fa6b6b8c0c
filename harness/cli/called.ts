/**
 * How this process was called, as the commands that it prints begin: one can be copied, whatever way stalemate came onto this machine.
 *
 * For terminals only. Files and pages are read elsewhere, and say `npx stalemate`.
 */
import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { quoted } from '../report/shell-word.ts';

/** What files and pages say, and a process that another program has started. */
export const USUALLY_CALLED = 'npx stalemate';

const EXECUTABLE = 'harness/cli/bin.mjs';
const NAME = 'stalemate';

/**
 * @param script what was started, as Node has it (`process.argv[1]`): the name by which, not the file that a link leads to.
 * @param cwd where printed commands are given.
 * @param path where a shell looks for programs, `PATH`.
 */
export function calledAs(script: string | undefined, cwd: string, path = ''): string {
  if (script === undefined) return USUALLY_CALLED;
  if (basename(script) === NAME) {
    const folder = dirname(script);
    if (basename(folder) === '.bin') return USUALLY_CALLED;
    // The archive's own: a person started the launcher beside it, by its path or by a name that leads there.
    const launcher = join(folder, '..', 'bin', NAME);
    if (basename(folder) !== 'app' || isOnPath(launcher, path)) return NAME;
    return quoted(nearer(launcher, cwd));
  }
  if (!script.replaceAll('\\', '/').endsWith(`/${EXECUTABLE}`)) return USUALLY_CALLED;
  return `node ${quoted(nearer(script, cwd))}`;
}

/** The first program of that name is this one, or a link to it. */
function isOnPath(launcher: string, path: string): boolean {
  const found = path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, NAME))
    .find((file) => existsSync(file));
  return found !== undefined && existsSync(launcher) && realpathSync(found) === realpathSync(launcher);
}

/** A path from here where it is shorter than the whole one. */
function nearer(file: string, cwd: string): string {
  const near = relative(cwd, file);
  return near.length < file.length ? near : file;
}
