/** Formats source locations for messages and histories: relative to the working directory, so that they are the same on every machine. */
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the file system path of a stack frame's file name or URL. */
export function sourcePath(fileOrUrl: string): string {
  return fileOrUrl.startsWith('file:') ? fileURLToPath(fileOrUrl) : fileOrUrl;
}

const MODULES = `${sep}node_modules${sep}`;

/**
 * Returns the path with forward slashes: relative to the working directory if it is below that; from `node_modules` on for a dependency
 * elsewhere, which is the same on every machine; otherwise unchanged.
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
