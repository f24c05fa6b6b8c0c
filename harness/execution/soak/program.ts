/**
 * Which build of the target a soak is about: by content, so that what changed between two starts is not added up.
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
 * A digest of the module and of the files that it imports, of the program and of the files that its arguments name, or of the image;
 * `null` where there is none to read.
 *
 * @throws {CLUSTER_UNAVAILABLE} when the target is an image and no engine answers.
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

/** A program, and the files that its arguments name. */
function filesOf({ command: [program = '', ...args], cwd }: Pick<ProcessTarget, 'command' | 'cwd'>): readonly string[] {
  const named = args.map((word) => resolve(cwd, word)).filter(isFile);
  return [...programPaths(program, cwd).slice(0, 1), ...named];
}

/** What follows `from`, `import` or `require(` and begins with a dot. In a comment it is one file more, which harms nobody. */
const IMPORTED = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*(['"])(\.{1,2}\/.*?)\1/g;
/** What may be left out, and what may stand for a source that is compiled. */
const ENDINGS = ['', '.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json', '/index.ts', '/index.js'];

/** A module and what it imports by relative path, in the order in which it comes up; packages are none of it. */
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
