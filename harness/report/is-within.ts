import { isAbsolute, relative, sep } from 'node:path';

/**
 * Reports whether a path is inside a folder, or is that folder. Both are absolute; callers resolve symbolic links themselves
 * where that matters.
 */
export function isWithin(path: string, folder: string): boolean {
  const from = relative(folder, path);
  return from !== '..' && !from.startsWith(`..${sep}`) && !isAbsolute(from);
}
