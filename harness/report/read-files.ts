/**
 * Reads files that a user names, within limits: reading a pipe would block for ever, and a file that is too large would exhaust
 * memory.
 *
 * Owns: the limits, and the reason why something cannot be read. Does not own: the rest of the error message, which each caller
 * words for its users.
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

/** Maximum size of a file. Records of long runs have tens of megabytes. */
const BYTES_MAX = 256 * 1024 * 1024;

/** The reason why a file cannot be read, to be appended to its name in a sentence: `is a named pipe`. */
export class Unreadable extends Error {
  readonly code: string;

  constructor(reason: string, code: string, cause?: unknown) {
    super(reason, { cause });
    this.code = code;
  }
}

/**
 * Reads the text of a regular file of at most `bytesMax`.
 *
 * @throws {Unreadable}
 */
export function readFileText(path: string, bytesMax: number = BYTES_MAX): string {
  return readFileBytes(path, bytesMax).toString('utf8');
}

function readFileBytes(path: string, bytesMax: number): Buffer {
  try {
    // Checked before the file is opened, because opening a device may have effects; and again afterwards, because another file
    // may have replaced it.
    requireFile(statSync(path), bytesMax);
    // O_NONBLOCK: if a named pipe has replaced the file in between, opening it does not block, and it is refused below.
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

/** Returns why a path cannot be read as a file, to be appended to the path in a sentence; undefined if it can. Opens nothing. */
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

/** Reads up to the end of the file, whatever size was reported: files of /proc report size 0, and other files grow. */
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

/** Lists a folder, sorted by name, or returns why it cannot be read, to be appended to the folder's name in a sentence. */
export function entriesOf(folder: string): readonly Dirent[] | { readonly reason: string } {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

/**
 * Lists the paths of all files below a folder, relative to it. Symbolic links to folders are not followed: they may form
 * cycles, or lead anywhere. `unreadable` is called for each folder that cannot be read.
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
