/** Runs programs as steps of a check, and prepares what checks share. */
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { buildLanguage, builtFolder, missingProgram, sourcesFolder } from '../controllers/builds.ts';
import { thisPlatform } from '../package/node-binary.ts';
import { buildStandalone } from '../package/standalone.ts';
import { REPOSITORY_ROOT } from '../repository-files.ts';

/** Thrown to skip a check; the message names what is missing. */
export class LeftOut extends Error {}

export interface Said {
  readonly out: string;
  readonly err: string;
}

/** Runs a program and throws with its whole output unless it ends with one of the expected exit codes. */
export function step(
  words: readonly string[],
  cwd: string,
  { codes = [0], env = {} }: { readonly codes?: readonly number[]; readonly env?: NodeJS.ProcessEnv } = {},
): Said {
  const [program = '', ...args] = words;
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', ...env },
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== null && codes.includes(status)) return { out: stdout, err: stderr };
  const said = error?.message ?? `exit code ${status}, expected ${codes.join(' or ')}\n${stdout}${stderr}`;
  throw new Error(`"${words.join(' ')}": ${said}`);
}

export function expectText(text: string, pattern: RegExp, where: string): void {
  if (!pattern.test(text)) throw new Error(`${where}: expected ${pattern}, got\n${text}`);
}

let standalone: string | undefined;

/** A standalone folder, built once for all checks. */
export function standaloneFolder(): string {
  if (standalone === undefined) {
    const folder = join(REPOSITORY_ROOT, 'build', 'checked');
    buildStandalone(thisPlatform(), folder);
    standalone = folder;
  }
  return standalone;
}

/** The program in the standalone folder. */
export function standaloneProgram(): string {
  return join(standaloneFolder(), 'bin', 'stalemate');
}

/** Creates a repository like that of a team that writes Go: a program, a CRD, a sample. */
export async function goRepository(folder: string): Promise<void> {
  const missing = missingProgram('go');
  if (missing !== undefined) throw new LeftOut(`there is no "${missing}" to build a controller with`);
  await buildLanguage('go');
  cpSync(join(builtFolder('go'), 'fleets'), join(folder, 'bin', 'manager'));
  for (const name of ['crd.yaml', 'sample.yaml']) cpSync(join(sourcesFolder('go'), name), join(folder, 'config', name));
}

/** Flags for a campaign in such a repository. */
export const GO_FLAGS: readonly string[] = [
  '--crds',
  'config/crd.yaml',
  '--sample',
  'config/sample.yaml',
  '--seed',
  '2',
  '--confirm',
  'none',
];
/** A wrong variant that a campaign with these flags finds within ten runs, and shrinks quickly. */
export const GO_WRONG: { readonly variant: string; readonly property: string; readonly title: RegExp } = {
  variant: 'removes-foreign-finalizers',
  property: 'no-lost-update',
  title: /LOST UPDATE/,
};
