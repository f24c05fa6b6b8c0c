/** A project's files as `init` looks at them: names, and texts on demand. What tools fetch or generate is passed over. */
import { existsSync, readdirSync, realpathSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { isWithin } from '../../report/is-within.ts';
import { readFileText } from '../../report/read-files.ts';

export interface Repository {
  /** Relative, with slashes, sorted: those near the top first. */
  readonly files: readonly string[];
  /** Empty for what is not there, cannot be read, or lies outside of the project, where a link leads. */
  readonly text: (path: string) => string;
  /** Asks the disk: what is passed over, or lies too deep to be among the names, is there as well. */
  readonly exists: (path: string) => boolean;
}

const PASSED_OVER: ReadonlySet<string> = new Set(
  'node_modules vendor third_party testdata __pycache__ target build bin coverage venv env site-packages'.split(' '),
);
/** A repository with more than that is looked at from the top. */
const FILES_MAX = 20_000;
/** Manifests and sources are smaller; what is larger is data. */
const BYTES_MAX = 4 * 1024 * 1024;
/** Every detector looks for something else in the same files. */
const KEPT_BYTES_MAX = 256 * 1024 * 1024;

/** Reads the names; `.github` and the like by name only, all other hidden folders not at all. */
export function readRepository(root: string): Repository {
  const files: string[] = [];
  let folders = [''];
  while (folders.length > 0 && files.length < FILES_MAX) {
    const below: string[] = [];
    for (const folder of folders) {
      for (const entry of entriesOf(join(root, folder))) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (!entry.isDirectory()) files.push(path);
        else if (!PASSED_OVER.has(entry.name) && !/^\.(?!github$|gitlab$)/.test(entry.name)) below.push(path);
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

/** Where the links in a path lead; false for what is not there. */
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

/** The same of texts in memory. */
export function repositoryOf(texts: { readonly [path: string]: string }): Repository {
  const depth = (path: string): number => path.split('/').length;
  const files = Object.keys(texts).toSorted((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1));
  return { files, text: (path) => texts[path] ?? '', exists: (path) => path in texts };
}

/** How early a path comes in a list of usual places; behind all of them where it is in none. */
export function placeIn(places: readonly RegExp[], path: string): number {
  const at = places.findIndex((pattern) => pattern.test(path));
  return at < 0 ? places.length : at;
}

/** Whether a file is there. */
export function has({ exists }: Repository, path: string): boolean {
  return exists(path);
}
