/** How a line of somebody's code is named in messages and histories: relative to where the command runs, so that it means the same elsewhere. */
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The file system path of a stack frame's file name or URL. */
export function sourcePath(fileOrUrl: string): string {
  return fileOrUrl.startsWith('file:') ? fileURLToPath(fileOrUrl) : fileOrUrl;
}

/** Relative, with forward slashes, when it lies below the working directory; else as it is. */
export function shortPath(fileOrUrl: string): string {
  const path = sourcePath(fileOrUrl);
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short.split(sep).join('/');
}
