import { isAbsolute, relative, sep } from 'node:path';

/** Whether a path leads into a folder, or to that folder. Both are absolute; links in them are followed by the caller, where they matter. */
export function isWithin(path: string, folder: string): boolean {
  const from = relative(folder, path);
  return from !== '..' && !from.startsWith(`..${sep}`) && !isAbsolute(from);
}
