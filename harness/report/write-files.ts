/** Files written whole or not at all. */
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isMarkAlive, markOf, ourProcess } from 'stalemate-apiserver/processes/process-identity';
import { HarnessError } from '../model/errors.ts';
import { filesBelow } from './read-files.ts';

/**
 * Writes a text under its final name only when all of it is on disk; folders are made as needed.
 *
 * @param flag the one that names another folder, for the message.
 * @throws {USAGE} when the folder is one of ours and a link is in its place.
 * @throws {OUTPUT_FAILED} naming the path, when the disk is full, the folder cannot be written to, and so on. What was at the
 * path before is untouched.
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

/** Why something could not be written, and what to do about it. */
export function writeFailure(path: string, error: unknown, flag = '--report-dir'): HarnessError {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const reason = REASONS[code]?.replace('--report-dir', flag) ?? reasonOf(error);
  return new HarnessError('OUTPUT_FAILED', `could not write "${path}": ${reason}`, {
    cause: error,
    details: { path, code },
  });
}

/** Where a text is until all of it is on disk. */
export function partialOf(path: string): string {
  return `${path}.${markOf(ourProcess())}.partial`;
}

/**
 * Finds out before a long campaign whether its findings could be kept: makes the folder and writes and removes a file in it. What
 * processes that were killed had not finished writing is removed.
 *
 * @throws {OUTPUT_FAILED} naming the folder.
 */
export function checkFolder(folder: string): void {
  for (const name of OWN_FOLDERS) refuseLink(join(folder, name), '--report-dir');
  const probe = join(folder, `.write-test.${markOf(ourProcess())}`);
  writeWhole(probe, '');
  removeQuietly(probe);
  // Where nothing can be read, nothing of ours is.
  for (const name of filesBelow(folder, () => {})) {
    const [, partial, test] = UNFINISHED.exec(name) ?? [];
    const mark = partial ?? test;
    if (mark !== undefined && !isMarkAlive(mark)) removeQuietly(join(folder, name));
  }
}

/** All that is written is in these, and so is what a run replaces. */
const OWN_FOLDERS = ['failures', 'records', 'recordings', 'reports', 'unproved', 'corpus'];
/** Around them, unless another folder is named. */
const HOME = '.stalemate';

/** A link in place of a folder of ours, which a repository may bring along, would lead writes and removals to elsewhere. */
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
    // What is wrong with the path above it, the write says.
    return false;
  }
}

/** Under these names nothing is ever read. */
const UNFINISHED = /(?:\.([0-9a-f]{8}-\d+-\d*)\.partial|\.write-test\.([0-9a-f]{8}-\d+-\d*))$/;

/** Level by level: where the system says that a folder can never be (below /proc), the recursive form tries for ever. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Shards that start together share the folders above their own: another one may have been faster.
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
    // The failure that led here is the one to report.
  }
}
