/**
 * Files that a user names, read with care: what is no file would keep a program waiting for ever, what is too large would end it.
 *
 * Owns: the bounds, and why something cannot be read. Does not own: the sentence around that, which each reader words for its user.
 */
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';

/** Records of long runs have some tens of megabytes. */
const BYTES_MAX = 256 * 1024 * 1024;

/** Why a file cannot be read, as the rest of a sentence that its name begins: `is a named pipe`. */
export class Unreadable extends Error {
  readonly code: string;

  constructor(reason: string, code: string, cause?: unknown) {
    super(reason, { cause });
    this.code = code;
  }
}

/**
 * The text of a regular file of at most `bytesMax`.
 *
 * @throws {Unreadable}
 */
export function readFileText(path: string, bytesMax: number = BYTES_MAX): string {
  return readFileBytes(path, bytesMax).toString('utf8');
}

function readFileBytes(path: string, bytesMax: number): Buffer {
  try {
    // Looked at before it is opened, because opening a device may do something; and after, because it may be another one by then.
    requireFile(statSync(path), bytesMax);
    // A named pipe that takes its place in between is opened all the same, and refused.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      requireFile(fstatSync(file), bytesMax);
      return contentOf(file, bytesMax);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new Unreadable(REASONS[code] ?? `cannot be read (${code})`, code, error);
  }
}

/** Why a path cannot be read as a file, as the rest of a sentence that it begins; undefined where it can. Opens nothing. */
export function whyNoFile(path: string): string | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() ? undefined : `is ${kindOf(stats)}`;
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? `cannot be read (${code})`;
}

const REASONS: { readonly [code: string]: string } = {
  ENOENT: 'does not exist',
  ELOOP: 'is a loop of symbolic links',
  EISDIR: 'is a folder',
  ENOTDIR: 'is below a path that is not a folder',
  ENAMETOOLONG: 'has too long a name',
};

function requireFile(stats: Stats, bytesMax: number): void {
  if (!stats.isFile()) throw new Unreadable(`is ${kindOf(stats)}`, stats.isDirectory() ? 'EISDIR' : 'ENOTSUP');
  if (stats.size > bytesMax) throw tooLarge(`has ${stats.size} bytes`, bytesMax);
}

function tooLarge(size: string, bytesMax: number): Unreadable {
  return new Unreadable(`${size}, more than the ${bytesMax} that are read`, 'EFBIG');
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

const PIECE_BYTES = 1024 * 1024;

/** Reads to the end, wherever that is: files of the system say that they are empty, and others grow. */
function contentOf(file: number, bytesMax: number): Buffer {
  const pieces: Buffer[] = [];
  for (let size = 0; ;) {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    const count = readSync(file, piece);
    if (count === 0) return Buffer.concat(pieces, size);
    pieces.push(piece.subarray(0, count));
    size += count;
    if (size > bytesMax) throw tooLarge('is longer', bytesMax);
  }
}

/** What a folder holds, in the order of the names. `reason` is the rest of a sentence that the folder begins. */
export function entriesOf(folder: string): readonly Dirent[] | { readonly reason: string } {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

/**
 * Paths of all files below a folder, relative to it. Links to folders are not followed: they may lead in circles, or anywhere.
 * `unreadable` is called for each folder that cannot be read.
 */
export function filesBelow(folder: string, unreadable: (folder: string, reason: string) => void): readonly string[] {
  const files: string[] = [];
  const open = [''];
  for (let inner = open.pop(); inner !== undefined; inner = open.pop()) {
    const entries = entriesOf(join(folder, inner));
    if ('reason' in entries) unreadable(join(folder, inner), entries.reason);
    else for (const entry of entries) (entry.isDirectory() ? open : files).push(join(inner, entry.name));
  }
  return files;
}
