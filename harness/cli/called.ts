/**
 * Determines how this process was invoked, so that printed commands can be copied, however stalemate was installed.
 *
 * For terminals only. Files and pages may be read on another machine, so they use `npx stalemate`.
 */
import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { quoted } from '../report/shell-word.ts';

/** The invocation that files and pages show, and that is assumed if another program has started this process. */
export const USUALLY_CALLED = 'npx stalemate';

const EXECUTABLE = 'harness/cli/bin.mjs';
const NAME = 'stalemate';

/**
 * @param script - The started script, as in `process.argv[1]`: the path that was typed, without following links.
 * @param cwd - The folder in which printed commands will be run.
 * @param path - Where a shell searches for programs, `PATH`.
 */
export function calledAs(script: string | undefined, cwd: string, path = ''): string {
  if (script === undefined) return USUALLY_CALLED;
  if (basename(script) === NAME) {
    const folder = dirname(script);
    if (basename(folder) === '.bin') return USUALLY_CALLED;
    // The script of the release archive: the user ran its launcher (`bin/stalemate`), by its path or by a link to it.
    const launcher = join(folder, '..', 'bin', NAME);
    if (basename(folder) !== 'app' || isOnPath(launcher, path)) return NAME;
    return quoted(shorterPath(launcher, cwd));
  }
  if (!script.replaceAll('\\', '/').endsWith(`/${EXECUTABLE}`)) return USUALLY_CALLED;
  return `node ${quoted(shorterPath(script, cwd))}`;
}

/** Reports whether the first program called `stalemate` on PATH is this launcher, or a link to it. */
function isOnPath(launcher: string, path: string): boolean {
  const found = path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, NAME))
    .find((file) => existsSync(file));
  return found !== undefined && existsSync(launcher) && realpathSync(found) === realpathSync(launcher);
}

/** Returns the relative path if it is shorter than the absolute one. */
function shorterPath(file: string, cwd: string): string {
  const relativePath = relative(cwd, file);
  return relativePath.length < file.length ? relativePath : file;
}
