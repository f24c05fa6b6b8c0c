/** The package of the API server in this repository: which file one of its names stands for. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { REPOSITORY_ROOT } from './repository-files.ts';

export const API_SERVER_FOLDER = 'apiserver';
export const API_SERVER_PACKAGE = 'stalemate-apiserver';

/** `exports` of a package: `./wire/*` and the file that it stands for, and so on. */
export interface Exports {
  readonly [entry: string]: string;
}

export function apiServerExports(): Exports {
  const text = readFileSync(join(REPOSITORY_ROOT, API_SERVER_FOLDER, 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly exports: Exports }).exports;
}

export function namesApiServer(specifier: string): boolean {
  return specifier === API_SERVER_PACKAGE || specifier.startsWith(`${API_SERVER_PACKAGE}/`);
}

/** The file of the repository that an import names; undefined for one that the package does not export. */
export function apiServerFile(specifier: string, entries: Exports): string | undefined {
  const wanted = `.${specifier.slice(API_SERVER_PACKAGE.length)}`;
  for (const [entry, file] of Object.entries(entries)) {
    if (entry === wanted) return posix.join(API_SERVER_FOLDER, file);
    const [before = '', after] = entry.split('*', 2);
    if (after !== undefined && wanted.startsWith(before))
      return posix.join(API_SERVER_FOLDER, file.replace('*', wanted.slice(before.length)));
  }
  return undefined;
}
