/**
 * Finds the packages of the repository that a Go program consists of, by import lines: a main package often delegates to other packages.
 */
import { posix } from 'node:path';
import type { Repository } from '../repository.ts';

/** The non-test sources of one package. */
export interface GoPackage {
  readonly folder: string;
  readonly text: string;
}

export interface GoPackages {
  /** Returns the package in a folder; its text is empty if there is none. */
  readonly at: (folder: string) => GoPackage;
  /** Returns the package in a folder and all packages of the repository that it imports, directly or indirectly, itself first. */
  readonly closure: (folder: string) => readonly GoPackage[];
}

/** A Go module of the repository. */
export interface GoModule {
  /** The path in its go.mod, with its major version. */
  readonly path: string;
  /** The folder of its go.mod; `.` for the root. */
  readonly folder: string;
}

/** Returns the module path in a go.mod, with its major version; empty if there is none. */
export function modulePath(text: string): string {
  return /^module\s+(\S+)/m.exec(text)?.[1] ?? '';
}

/** Returns the modules of a repository: that of the root first, then nested ones. */
export function goModules({ files, text }: Repository): readonly GoModule[] {
  return files
    .filter((file) => posix.basename(file) === 'go.mod' && !/(^|\/)(vendor|testdata)\//.test(file))
    .map((file) => ({ folder: posix.dirname(file), path: modulePath(text(file)) }))
    .filter(({ path }) => path !== '')
    .toSorted((a, b) => a.folder.length - b.folder.length || (a.folder < b.folder ? -1 : 1));
}

export function goPackages(repository: Repository, modules: readonly GoModule[]): GoPackages {
  const sources = repository.files.filter((file) => file.endsWith('.go') && !file.endsWith('_test.go'));
  const files = Map.groupBy(sources, (file) => posix.dirname(file));
  const packages = new Map<string, GoPackage>();
  const at = (folder: string): GoPackage => {
    const known = packages.get(folder);
    if (known !== undefined) return known;
    const text = (files.get(folder) ?? []).map((file) => repository.text(file)).join('\n');
    const made = { folder, text };
    packages.set(folder, made);
    return made;
  };
  const closures = new Map<string, readonly GoPackage[]>();
  const closure = (folder: string): readonly GoPackage[] => {
    const known = closures.get(folder);
    if (known !== undefined) return known;
    const found = new Map<string, GoPackage>();
    const open = [folder];
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      if (found.has(next)) continue;
      const one = at(next);
      found.set(next, one);
      open.push(...modules.flatMap((module) => importsIn(one.text, module)).filter((path) => files.has(path)));
    }
    const all = [...found.values()];
    closures.set(folder, all);
    return all;
  };
  return { at, closure };
}

/** Returns the folders of a module that a package imports. */
function importsIn(text: string, { path, folder }: GoModule): readonly string[] {
  return text
    .split(`"${path}/`)
    .slice(1)
    .map((rest) => posix.join(folder, rest.slice(0, rest.indexOf('"'))));
}
