/** Which packages of its own repository a Go program is made of, read from import lines: what a main package hands on to others is its own too. */
import { posix } from 'node:path';
import type { Repository } from '../repository.ts';

/** The non-test sources of one package. */
export interface GoPackage {
  readonly folder: string;
  readonly text: string;
}

export interface GoPackages {
  /** The package in a folder; its text is empty where there is none. */
  readonly at: (folder: string) => GoPackage;
  /** The package in a folder and all packages of the repository that it leads to, itself first. */
  readonly closure: (folder: string) => readonly GoPackage[];
}

/** @param module the path that go.mod declares, with its major version */
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

/** Folders of the same module that a package imports. */
function importsIn(text: string, module: string): readonly string[] {
  return text
    .split(`"${module}/`)
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf('"')));
}
