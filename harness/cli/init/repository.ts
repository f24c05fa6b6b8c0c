/** Lists a project's files as `init` sees them: names, and texts on demand. Downloaded and generated folders are skipped. */
import { existsSync, readdirSync, realpathSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { isWithin } from '../../report/is-within.ts';
import { readFileText } from '../../report/read-files.ts';

export interface Repository {
  /** Relative paths with slashes, sorted: those near the top first. */
  readonly files: readonly string[];
  /** Returns the text of a file; empty if it does not exist, cannot be read, or a symbolic link leads out of the project. */
  readonly text: (path: string) => string;
  /** Reports whether a path exists on disk, even if the file was skipped or is too deep. */
  readonly exists: (path: string) => boolean;
}

const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(
  'node_modules vendor third_party testdata __pycache__ target build bin coverage venv env site-packages'.split(' '),
);
/** Maximum number of files; in a larger repository, only those nearest to the top are listed. */
const FILES_MAX = 20_000;
/** Maximum size of a file: manifests and sources are smaller, and a larger file is data. */
const BYTES_MAX = 4 * 1024 * 1024;
/** Size of the cache: each detector reads the same files for its own purpose. */
const KEPT_BYTES_MAX = 256 * 1024 * 1024;

/** Lists the files. Hidden folders are skipped, except for `.github` and a few others. */
export function readRepository(root: string): Repository {
  const files: string[] = [];
  let folders = [''];
  while (folders.length > 0 && files.length < FILES_MAX) {
    const below: string[] = [];
    for (const folder of folders) {
      for (const entry of entriesOf(join(root, folder))) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (!entry.isDirectory()) files.push(path);
        else if (!SKIPPED_FOLDERS.has(entry.name) && !/^\.(?!github$|gitlab$)/.test(entry.name)) below.push(path);
      }
    }
    folders = below;
  }
  const texts = new Map<string, string>();
  let left = KEPT_BYTES_MAX;
  const text = (path: string): string => {
    const known = texts.get(path);
    if (known !== undefined) return known;
    const read = leadsInto(root, join(root, path)) ? textOf(join(root, path)) : '';
    left -= read.length;
    if (left > 0) texts.set(path, read);
    return read;
  };
  return {
    files,
    text,
    exists: (path) => existsSync(join(root, path)),
  };
}

function entriesOf(folder: string): ReturnType<typeof readEntries> {
  try {
    return readEntries(folder);
  } catch {
    return [];
  }
}

function readEntries(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reports whether a path, with its links resolved, is inside a folder; false if the path does not exist. */
export function leadsInto(root: string, path: string): boolean {
  try {
    return isWithin(realpathSync(path), realpathSync(root));
  } catch {
    return false;
  }
}

function textOf(path: string): string {
  try {
    return readFileText(path, BYTES_MAX);
  } catch {
    return '';
  }
}

/** Returns a repository of texts in memory. */
export function repositoryOf(texts: { readonly [path: string]: string }): Repository {
  const depth = (path: string): number => path.split('/').length;
  const files = Object.keys(texts).toSorted((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1));
  return { files, text: (path) => texts[path] ?? '', exists: (path) => path in texts };
}

/** Returns the index of the first matching pattern; the number of patterns if none matches. */
export function placeIn(places: readonly RegExp[], path: string): number {
  const at = places.findIndex((pattern) => pattern.test(path));
  return at < 0 ? places.length : at;
}

/** Reports whether a file exists. */
export function has({ exists }: Repository, path: string): boolean {
  return exists(path);
}
