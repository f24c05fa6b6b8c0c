/** How a line of somebody's code is named in messages and histories: relative to where the command runs, so that it means the same elsewhere. */
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The file system path of a stack frame's file name or URL. */
export function sourcePath(fileOrUrl: string): string {
  return fileOrUrl.startsWith('file:') ? fileURLToPath(fileOrUrl) : fileOrUrl;
}

const MODULES = `${sep}node_modules${sep}`;

/**
 * With forward slashes, relative to the working directory where it lies below that; a dependency elsewhere from its `node_modules` on,
 * which is the same on every machine; else as it is.
 */
export function shortPath(fileOrUrl: string): string {
  const path = sourcePath(fileOrUrl);
  const short = relative(process.cwd(), path);
  if (!short.startsWith('..')) return short.split(sep).join('/');
  const at = path.lastIndexOf(MODULES);
  return at < 0
    ? path
    : path
        .slice(at + 1)
        .split(sep)
        .join('/');
}
