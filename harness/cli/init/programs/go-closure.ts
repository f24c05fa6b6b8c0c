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

/** @param module - The module path in go.mod, with its major version. */
export function goPackages(repository: Repository, module: string): GoPackages {
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
      open.push(...importsIn(one.text, module).filter((path) => files.has(path)));
    }
    const all = [...found.values()];
    closures.set(folder, all);
    return all;
  };
  return { at, closure };
}

/** Returns folders of the same module that a package imports. */
function importsIn(text: string, module: string): readonly string[] {
  return text
    .split(`"${module}/`)
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf('"')));
}
