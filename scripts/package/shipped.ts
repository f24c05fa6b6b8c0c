/** What is shipped besides our own code: packages of the lockfile that are not development dependencies, and data of other projects. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { KUBERNETES_VERSION } from 'stalemate-apiserver/control-plane/binaries';
import { REPOSITORY_ROOT } from '../repository-files.ts';

interface LockEntry {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  /** A package of this repository. */
  readonly link?: boolean;
  readonly dependencies?: { readonly [name: string]: string };
}

export interface Lock {
  readonly packages: { readonly [path: string]: LockEntry };
}

export interface Shipped {
  /** `node_modules/…`, relative to the root of the repository. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** An SPDX identifier; empty if its package.json has none. */
  readonly licence: string;
  /** `sha512-…`. */
  readonly integrity: string;
  /** Paths of the packages that it depends on. */
  readonly needs: readonly string[];
}

export function readLock(): Lock {
  return JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'package-lock.json'), 'utf8')) as Lock;
}

/** In the order of the lockfile. npm's own bill of materials (npm 11) omits packages that development tools depend on as well. */
export function shippedPackages({ packages }: Lock): readonly Shipped[] {
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && dev !== true && link !== true)
    .map(([path, { version = '', license = '', integrity = '', dependencies = {} }]) => ({
      path,
      name: path.replace(/^.*node_modules\//, ''),
      version,
      licence: license,
      integrity,
      needs: Object.keys(dependencies).flatMap((name) => resolved(name, path, packages) ?? []),
    }));
}

/** Resolves a dependency as Node does: in the nearest `node_modules` upwards. */
function resolved(name: string, from: string, packages: Lock['packages']): string | undefined {
  for (let folder = from; ; folder = posix.dirname(folder)) {
    const path = posix.join(folder, 'node_modules', name);
    if (packages[path] !== undefined) return path;
    if (folder === '.') return undefined;
  }
}

export interface ForeignData {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly files: RegExp;
}

/** Data that our scripts generated from other projects; NOTICE names them too. */
export const FOREIGN_DATA: readonly ForeignData[] = [
  {
    name: 'kubernetes',
    version: KUBERNETES_VERSION.replace(/^v/, ''),
    licence: 'Apache-2.0',
    // All generated files, compiled or not, come from Kubernetes.
    files: /\/generated\/|\.generated\.\w/,
  },
];
