/** Writes files atomically. */
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isMarkAlive, markOf, ourProcess } from 'stalemate-apiserver/processes/process-identity';
import { HarnessError } from '../model/errors.ts';
import { filesBelow } from './read-files.ts';

/**
 * Writes a text to a temporary file and renames it once it is complete; creates folders as needed.
 *
 * @param flag - The flag that names another folder, for the error message.
 * @throws {USAGE} if the folder is one of ours and has been replaced by a symbolic link.
 * @throws {OUTPUT_FAILED} with the path, if the disk is full, the folder is not writable, and so on. An existing file is then
 * untouched.
 */
export function writeWhole(path: string, text: string, mode = 0o666, flag = '--report-dir'): void {
  refuseLinks(dirname(path), flag);
  const temporary = partialOf(path);
  try {
    makeFolder(dirname(path));
    writeFileSync(temporary, text, { flush: true, mode });
    renameSync(temporary, path);
  } catch (error) {
    removeQuietly(temporary);
    throw writeFailure(path, error, flag);
  }
}

/** Makes the error for a failed write, with the reason and what to do about it. */
export function writeFailure(path: string, error: unknown, flag = '--report-dir'): HarnessError {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const reason = REASONS[code]?.replace('--report-dir', flag) ?? reasonOf(error);
  return new HarnessError('OUTPUT_FAILED', `could not write "${path}": ${reason}`, {
    cause: error,
    details: { path, code },
  });
}

/** Returns the path of the temporary file that this process writes before it replaces `path`. */
export function partialOf(path: string): string {
  return `${path}.${markOf(ourProcess())}.partial`;
}

/**
 * Checks before a long campaign that its findings can be written: creates the folder, and writes and removes a file in it. Also
 * removes unfinished files of killed processes.
 *
 * @throws {OUTPUT_FAILED} with the folder.
 */
export function checkFolder(folder: string): void {
  for (const name of OWN_FOLDERS) refuseLink(join(folder, name), '--report-dir');
  const probe = join(folder, `.write-test.${markOf(ourProcess())}`);
  writeWhole(probe, '');
  removeQuietly(probe);
  // An unreadable folder contains no files of ours.
  for (const name of filesBelow(folder, () => {})) {
    const [, partial, test] = UNFINISHED.exec(name) ?? [];
    const mark = partial ?? test;
    if (mark !== undefined && !isMarkAlive(mark)) removeQuietly(join(folder, name));
  }
}

/** All files that a run writes or replaces are in these folders. */
const OWN_FOLDERS = ['failures', 'records', 'recordings', 'reports', 'unproved', 'corpus'];
/** The default parent of {@link OWN_FOLDERS}. */
const HOME = '.stalemate';

/** Returns the report folder that a stored file is in; for a file that is elsewhere, such as in a repository's docs, the default one. */
export function reportFolderOf(file: string, cwd: string): string {
  const folder = dirname(resolve(cwd, file));
  // Only pages are in "reports", which is also a common name.
  const isOurs = basename(folder) !== 'reports' && OWN_FOLDERS.includes(basename(folder));
  return isOurs ? dirname(folder) : join(cwd, HOME);
}

/** Refuses symbolic links in place of our own folders: a repository may contain one, which would redirect writes and removals. */
export function refuseLinks(folder: string, flag: string): void {
  if (OWN_FOLDERS.includes(basename(folder))) refuseLink(folder, flag);
  for (const one of [folder, dirname(folder)]) if (basename(one) === HOME) refuseLink(one, flag);
}

function refuseLink(folder: string, flag: string): void {
  if (!isLink(folder)) return;
  throw new HarnessError(
    'USAGE',
    `"${folder}" is a symbolic link, expected a folder; remove the link, or name another folder with ${flag}`,
  );
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // Something is wrong with a parent folder; the write will report it.
    return false;
  }
}

/** Names of temporary files, which are never read. */
const UNFINISHED = /(?:\.([0-9a-f]{8}-\d+-\d*)\.partial|\.write-test\.([0-9a-f]{8}-\d+-\d*))$/;

/**
 * Creates folders level by level: if the system never allows a folder there (below /proc), the recursive form of mkdir loops
 * for ever.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Shards that start together share parent folders: another one may have created it first.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

const REASONS: { readonly [code: string]: string } = {
  ENOSPC: 'the disk is full; free some space or name another folder with --report-dir',
  EDQUOT: 'the disk quota is used up; free some space or name another folder with --report-dir',
  EROFS: 'the file system is read-only; name another folder with --report-dir',
  EACCES: 'no permission to write there; change the permission or name another folder with --report-dir',
  EPERM: 'the system does not permit it; name another folder with --report-dir',
  ENOENT: 'there can be no folder there; name another folder with --report-dir',
  ENOTDIR: 'a part of the path is a file, not a folder; name another folder with --report-dir',
  EEXIST: 'a part of the path is a file, not a folder; name another folder with --report-dir',
  EISDIR: 'a folder of that name is in the way; remove it or name another folder with --report-dir',
  EFBIG: 'the file is larger than the system allows; raise the limit or name another folder with --report-dir',
};

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Only the original failure is reported.
  }
}
