/**
 * Reads and writes the file of a soak, `soak.jsonl`: lines that are appended and never changed, each on disk before it is
 * reported.
 *
 * A killed process or a full disk leaves at most one truncated line at the end; readers skip it, and the next line begins on a
 * line of its own. Owns: reading and appending lines. Does not own: which process may write to a folder
 * (`report/folder-lock.ts`), the format of a line (`schedule/codec/soak-line.ts`).
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
  /** Number of truncated lines, whose writer was killed. */
  readonly cut: number;
}

/**
 * Reads the complete lines.
 *
 * @param source - The name of the file in messages.
 * @throws {FORMAT_INVALID} {FORMAT_TOO_NEW} for JSON that is not a line of a soak, or for a line of a newer version.
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
   * Appends a line, and returns when it is on disk.
   *
   * @throws {OUTPUT_FAILED} with the file unchanged.
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

/** Removes an incomplete line. If the file cannot be truncated, readers skip that line. */
function cutBack(fd: number, size: number): void {
  try {
    ftruncateSync(fd, size);
  } catch {
    // Only the original failure is reported.
  }
}

function endsLine(fd: number): boolean {
  const { size } = fstatSync(fd);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last.toString() === '\n';
}

/** Flushes the folder's entry for the file, so that the file survives a crash of the machine; not all systems support this. */
function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, 'r');
    fsyncSync(fd);
    closeSync(fd);
  } catch {
    // Systems that cannot open a folder as a file flush its entries themselves.
  }
}
