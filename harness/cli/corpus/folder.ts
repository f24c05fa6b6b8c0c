/**
 * Reads and writes the folder of a corpus: one file per finding, named after its failure.
 *
 * Owns: reading all entries, with an error for each invalid file; writing and removing single entries. Files are written
 * atomically.
 */
import { readdirSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { readFileText, Unreadable } from '../../report/read-files.ts';
import { HarnessError } from '../../model/errors.ts';
import type { CorpusEntry, NamedEntry } from '../../model/corpus.ts';
import { refuseLinks, writeWhole } from '../../report/write-files.ts';
import { decodeCorpusEntry, encodeCorpusEntry } from '../../schedule/codec/corpus-entry.ts';
import { usage } from '../arguments.ts';

/** Maximum size of a file: a larger counterexample cannot be reviewed. */
const BYTES_MAX = 4 * 1024 * 1024;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export interface CorpusFiles {
  /** Sorted by name. */
  readonly entries: readonly NamedEntry[];
  /** One sentence for each invalid file. */
  readonly problems: readonly string[];
}

/** Reads all entries of a folder; a missing folder is an empty corpus. */
export function readCorpus(folder: string, cwd: string): CorpusFiles {
  const entries: NamedEntry[] = [];
  const problems: string[] = [];
  for (const file of namesIn(folder)) {
    const path = join(folder, file);
    try {
      entries.push({ name: file.slice(0, -'.json'.length), entry: readEntry(path, relative(cwd, path)) });
    } catch (error) {
      if (!(error instanceof HarnessError)) throw error;
      problems.push(error.message);
    }
  }
  return { entries, problems };
}

/**
 * Reads all entries, and fails if any file is invalid.
 *
 * @throws {FORMAT_INVALID} listing every invalid file.
 */
export function readWholeCorpus(folder: string, cwd: string): readonly NamedEntry[] {
  const { entries, problems } = readCorpus(folder, cwd);
  if (problems.length === 0) return entries;
  const rest = problems.length > 1 ? `; besides: ${problems.slice(1).join('; ')}` : '';
  throw new HarnessError('FORMAT_INVALID', `${problems[0] ?? ''}${rest}`);
}

/** @throws {OUTPUT_FAILED} with the old file unchanged. */
export function writeEntry(folder: string, name: string, entry: CorpusEntry): string {
  const path = join(folder, `${name}.json`);
  writeWhole(path, encodeCorpusEntry(entry), undefined, '--corpus');
  return path;
}

/**
 * @throws {USAGE} if the folder has been replaced by a symbolic link.
 * @throws {OUTPUT_FAILED}
 */
export function removeEntry(folder: string, name: string): void {
  const path = join(folder, `${name}.json`);
  refuseLinks(folder, '--corpus');
  try {
    rmSync(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HarnessError('OUTPUT_FAILED', `could not remove "${path}": ${reason}`, { cause: error });
  }
}

/** @throws {USAGE} if no entry has that name; the message lists all names. */
export function entryNamed(entries: readonly NamedEntry[], given: string): NamedEntry {
  const wanted = basename(given, '.json');
  const found = entries.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  const known = entries.map(({ name }) => name);
  const names = known.length === 0 ? 'the corpus is empty' : `expected one of ${known.join(', ')}`;
  throw usage(`got "${given}", which is not in the corpus; ${names}`);
}

function namesIn(folder: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return [];
    const reason = code === 'ENOTDIR' ? 'is a file, expected a folder of findings' : `cannot be read (${code})`;
    throw usage(`"${folder}" ${reason}; name another one with --corpus`);
  }
  return names.filter((name) => name.endsWith('.json')).sort();
}

function readEntry(path: string, source: string): CorpusEntry {
  if (!NAME.test(basename(path))) {
    throw new HarnessError(
      'FORMAT_INVALID',
      `${JSON.stringify(source)} has an unusual name, expected letters, digits, "-", "_" and "."; rename it`,
    );
  }
  try {
    return decodeCorpusEntry(readFileText(path, BYTES_MAX), source);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const doing = error.code === 'EFBIG' ? '; keep records elsewhere' : '';
    throw new HarnessError('FORMAT_INVALID', `"${source}" ${error.message}, expected a corpus entry${doing}`, {
      cause: error,
    });
  }
}
