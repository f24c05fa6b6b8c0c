/**
 * The file of a soak, `soak.jsonl`: lines that are added and never changed, each on disk before anything is said of it.
 *
 * A process that is killed, or a disk that is full, leaves at most a last line that was cut off; it is passed over, and the next line
 * begins on a line of its own. Owns: reading and adding lines. Does not own: who may write to a folder (`report/folder-lock.ts`), what a
 * line is (`schedule/codec/soak-line.ts`).
 */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SoakEntry, SoakLine } from '../../model/soak.ts';
import { writeFailure } from '../../report/write-files.ts';
import { decodeSoakLine, encodeSoakLine } from '../../schedule/codec/soak-line.ts';
import { readText } from '../read-text.ts';

export const SOAK_FILE = 'soak.jsonl';

export interface SoakFile {
  readonly entries: readonly SoakEntry[];
  /** Lines that are not whole: their writer was killed. */
  readonly cut: number;
}

/**
 * Reads the lines that are whole.
 *
 * @param source names the file in messages.
 * @throws {FORMAT_INVALID} {FORMAT_TOO_NEW} for a line of something else, or of a newer version.
 */
export function readSoakFile(path: string, source: string): SoakFile {
  const entries: SoakEntry[] = [];
  let cut = 0;
  const lines = readText(path, 'soak').split('\n');
  for (const [index, text] of lines.entries()) {
    if (text.trim() === '') continue;
    if (!isJson(text)) cut++;
    else entries.push({ line: decodeSoakLine(text, `${source}:${index + 1}`), text });
  }
  return { entries, cut };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export class SoakLog {
  readonly path: string;
  readonly #fd: number;

  /** @throws {OUTPUT_FAILED} */
  constructor(folder: string) {
    this.path = join(folder, SOAK_FILE);
    try {
      this.#fd = openSync(this.path, 'a+');
      if (!endsLine(this.#fd)) writeFileSync(this.#fd, '\n');
      syncFolder(dirname(this.path));
    } catch (error) {
      throw writeFailure(this.path, error);
    }
  }

  /**
   * Adds a line, and returns when it is on disk.
   *
   * @throws {OUTPUT_FAILED} The file is then as it was before.
   */
  append(line: SoakLine): SoakEntry {
    const text = encodeSoakLine(line);
    const { size } = fstatSync(this.#fd);
    try {
      writeFileSync(this.#fd, `${text}\n`);
      fsyncSync(this.#fd);
    } catch (error) {
      cutBack(this.#fd, size);
      throw writeFailure(this.path, error);
    }
    return { line, text };
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** What cannot even be shortened is skipped by readers. */
function cutBack(fd: number, size: number): void {
  try {
    ftruncateSync(fd, size);
  } catch {
    // The failure that led here is the one to report.
  }
}

function endsLine(fd: number): boolean {
  const { size } = fstatSync(fd);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last.toString() === '\n';
}

/** So that the file itself is found again after the machine went down; not all systems can. */
function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, 'r');
    fsyncSync(fd);
    closeSync(fd);
  } catch {
    // A folder that cannot be opened as a file keeps its entries in its own time.
  }
}
