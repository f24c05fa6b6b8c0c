/** The command of a process target: whether there is such a program, and where. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type {
  FileSystem,
  ProcessManner,
  ProcessTarget,
  ProgramBeside,
  StoredProgram,
} from '../../model/counterexample.ts';
import { HarnessError } from '../../model/errors.ts';

export interface CommandOptions {
  /** Program and arguments. */
  readonly command: readonly string[];
  /** Absolute. */
  readonly directory: string;
  readonly env: { readonly [name: string]: string };
  /** Default `own`. */
  readonly fileSystem?: FileSystem;
  /** Absent fields are as in {@link USUAL_MANNER}. */
  readonly manner?: Partial<ProcessManner>;
}

/** What a process is treated like unless its author says otherwise. */
export const USUAL_MANNER: ProcessManner = {
  network: 'none',
  ready: 'quiet',
  readyWithinMs: 30_000,
  graceMs: 0,
  metrics: '',
  inCluster: false,
  // What was found before there was another is to be found again.
  time: 'real',
};

/** What of a process is not as usual. */
export function unusualManner(target: Partial<ProcessManner>): Partial<ProcessManner> {
  const names = Object.keys(USUAL_MANNER) as (keyof ProcessManner)[];
  return Object.fromEntries(
    names
      .filter((name) => target[name] !== undefined && target[name] !== USUAL_MANNER[name])
      .map((name) => [name, target[name]]),
  );
}

/**
 * The command as it can be started.
 *
 * @throws {TARGET_INVALID} when there is no such program or folder, or it cannot be executed.
 */
export function resolveCommand({
  command,
  directory,
  env,
  fileSystem = 'own',
  manner = {},
}: CommandOptions): ProcessTarget {
  const [program = ''] = command;
  // Whether there is such an image is asked where it has to be.
  if (manner.inCluster === true) return { command, cwd: directory, env, fileSystem, ...USUAL_MANNER, ...manner };
  if (!existsSync(directory) || !statSync(directory).isDirectory()) {
    throw new HarnessError(
      'TARGET_INVALID',
      `got directory "${directory}", expected the folder to start "${program}" in`,
    );
  }
  const found = programPaths(program, directory);
  if (found.length === 0) {
    const where = program.includes('/') ? `looked for "${resolve(directory, program)}"` : 'it is in no folder of PATH';
    throw new HarnessError('TARGET_INVALID', `got command "${command.join(' ')}", expected a program: ${where}`);
  }
  if (!found.some(isExecutable)) {
    throw new HarnessError(
      'TARGET_INVALID',
      `"${found[0] ?? program}" is not executable, expected a program; is it a script that an interpreter has to start?`,
    );
  }
  return { command, cwd: directory, env, fileSystem, ...USUAL_MANNER, ...manner };
}

/** Of a command that can be started, what a program beside the target's own has for itself. */
export function besideOf({ command, cwd, env, ready, readyWithinMs }: ProcessTarget): ProgramBeside {
  return { command, cwd, env, ready, readyWithinMs };
}

/**
 * A stored program as it can be started.
 *
 * @param env Never stored: the user's.
 * @throws {TARGET_INVALID} as {@link resolveCommand}.
 */
export function startedBeside(
  { command, directory, ...manner }: StoredProgram,
  cwd: string,
  env: ProcessTarget['env'],
): ProgramBeside {
  return besideOf(resolveCommand({ command, directory: resolve(cwd, directory), env, manner }));
}

/** One of the programs of a target as a target of its own: all that it does not have for itself is as for the target's own program. */
export function ownTarget(target: ProcessTarget, program: ProgramBeside): ProcessTarget {
  const { programs: _, ...own } = target;
  return { ...own, ...program, metrics: '' };
}

/** The files that a program of this name may be, the first choice first: the one of its path, or those in the folders of PATH. */
export function programPaths(program: string, directory: string): readonly string[] {
  const places = program.includes('/')
    ? [resolve(directory, program)]
    : (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, program));
  return places.filter(isFile);
}

/** Whether there is a file at this path. */
export function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
