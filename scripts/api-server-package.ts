/** Maps imports of the API server's package to files of this repository. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { REPOSITORY_ROOT } from './repository-files.ts';

export const API_SERVER_FOLDER = 'apiserver';
export const API_SERVER_PACKAGE = 'stalemate-apiserver';

/** `exports` of a package: for example `./wire/*` and its file. */
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

/** Returns the file that an import refers to, or undefined if the package does not export it. */
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
