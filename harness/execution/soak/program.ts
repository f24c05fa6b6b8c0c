/**
 * Identifies the build of the target in a soak by content, so that results of different builds are not merged.
 *
 * Owns: what belongs to a build. Does not own: the configuration (`place.ts`).
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { findEngine } from '../../clusters/kind/engine.ts';
import { imageId } from '../../clusters/kind/images.ts';
import type { ProcessTarget } from '../../model/counterexample.ts';
import { digest } from '../digest.ts';
import { isFile, programPaths } from '../config/process-target.ts';
import type { RunConfig } from '../config/run-config.ts';

/**
 * Returns a digest of the module and the files that it imports, of the program and the files that its arguments name, or of the image;
 * `null` if there is nothing to read.
 *
 * @throws {CLUSTER_UNAVAILABLE} if the target is an image and no container engine answers.
 */
export async function programOf({
  target,
  process: started,
}: Pick<RunConfig, 'target' | 'process'>): Promise<string | null> {
  if (target !== '') return digestOf(sourcesOf(target));
  if (started?.inCluster === true) {
    const [program = ''] = started.command;
    const id = await imageId(await findEngine(), program);
    return id === undefined ? null : digest(id).slice(0, 16);
  }
  return digestOf(started === null ? [] : [started, ...Object.values(started.programs ?? {})].flatMap(filesOf));
}

/** Returns a program and the files that its arguments name. */
function filesOf({ command: [program = '', ...args], cwd }: Pick<ProcessTarget, 'command' | 'cwd'>): readonly string[] {
  const named = args.map((word) => resolve(cwd, word)).filter(isFile);
  return [...programPaths(program, cwd).slice(0, 1), ...named];
}

/** Matches relative paths after `from`, `import` or `require(`. A match in a comment only adds a file, which is harmless. */
const IMPORTED = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*(['"])(\.{1,2}\/.*?)\1/g;
/** The extensions that an import may omit, including those of the sources of compiled files. */
const ENDINGS = ['', '.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json', '/index.ts', '/index.js'];

/** Returns a module and its relative imports, recursively, in the order of occurrence; packages are not included. */
export function sourcesOf(module: string): readonly string[] {
  const found = new Set(isFile(module) ? [module] : []);
  for (const file of found)
    for (const [, , path = ''] of readFileSync(file, 'utf8').matchAll(IMPORTED)) {
      const other = sourceAt(resolve(dirname(file), path));
      if (other !== undefined) found.add(other);
    }
  return [...found];
}

function sourceAt(path: string): string | undefined {
  const uncompiled = path.replace(/js$/, 'ts');
  return [...ENDINGS.map((ending) => path + ending), uncompiled].find(isFile);
}

function digestOf(files: readonly string[]): string | null {
  if (files.length === 0) return null;
  return digest(files.map((file) => digest(readFileSync(file))).join(' ')).slice(0, 16);
}
