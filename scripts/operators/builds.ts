/**
 * Other people's operators, built from the Go module proxy into the user's cache folder.
 *
 * The module is copied out of Go's cache and built where it lies, so that its own `replace` lines and `go.sum` count. Start at
 * {@link buildOperator}.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../cache-folder.ts';
import { nice } from '../languages/controllers.ts';

export interface Bug {
  readonly issue: string;
  readonly what: string;
  readonly broken: string;
  readonly mended: string;
  /** What it must be caught by, and about what; an empty field means any. */
  readonly property: string;
  readonly kind: string;
  readonly field: string;
}

export interface Operator {
  readonly name: string;
  readonly module: string;
  readonly package: string;
  /** Files or folders of the module. */
  readonly crds: readonly string[];
  /** Below controllers-under-test/operators. */
  readonly sample: string;
  readonly command: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly bugs: readonly Bug[];
}

export interface BuiltOperator {
  readonly binary: string;
  readonly crds: readonly string[];
}

const SOURCES = fileURLToPath(new URL('../../controllers-under-test/operators/', import.meta.url));

export function samplePath(operator: Operator): string {
  return join(SOURCES, operator.sample);
}

export function readOperators(): readonly Operator[] {
  return JSON.parse(readFileSync(join(SOURCES, 'operators.json'), 'utf8')) as readonly Operator[];
}

/**
 * Builds one release unless that was done before.
 *
 * @throws {StepFailed} with the end of the compiler's output.
 */
export async function buildOperator(operator: Operator, version: string): Promise<BuiltOperator> {
  const cache = cacheFolder('operators');
  const folder = join(cache, `${operator.name}-${version}`);
  if (!existsSync(folder)) await buildInto(cache, folder, operator, version);
  return { binary: join(folder, 'operator'), crds: operator.crds.map((path) => join(folder, 'crds', path)) };
}

async function buildInto(cache: string, folder: string, operator: Operator, version: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, '.build-'));
  try {
    const told = execFileSync('go', ['mod', 'download', '-json', `${operator.module}@${version}`], {
      encoding: 'utf8',
    });
    const { Dir: module } = JSON.parse(told) as { readonly Dir: string };
    const sources = join(work, 'sources');
    cpSync(module, sources, { recursive: true });
    execFileSync('chmod', ['-R', 'u+w', sources]);
    const out = join(work, 'out');
    const args = ['build', '-p', '2', '-o', join(out, 'operator'), operator.package];
    await nice(`go build of ${operator.name} ${version}`, 'go', args, join(work, 'log'), { cwd: sources });
    for (const path of operator.crds) cpSync(join(sources, path), join(out, 'crds', path), { recursive: true });
    renameSync(out, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
