/** Resolves the command of a process target to a program that exists. */
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
  /** Absolute path of the working directory. */
  readonly directory: string;
  readonly env: { readonly [name: string]: string };
  /** `own` by default. */
  readonly fileSystem?: FileSystem;
  /** Absent fields default to {@link USUAL_MANNER}. */
  readonly manner?: Partial<ProcessManner>;
}

/** The default manner of a process. */
export const USUAL_MANNER: ProcessManner = {
  network: 'none',
  ready: 'quiet',
  readyWithinMs: 30_000,
  graceMs: 0,
  metrics: '',
  inCluster: false,
  // Counterexamples stored before virtual time was introduced lack this field and need real time.
  time: 'real',
};

/** Returns the fields of a process's manner that differ from the default. */
export function unusualManner(target: Partial<ProcessManner>): Partial<ProcessManner> {
  const names = Object.keys(USUAL_MANNER) as (keyof ProcessManner)[];
  return Object.fromEntries(
    names
      .filter((name) => target[name] !== undefined && target[name] !== USUAL_MANNER[name])
      .map((name) => [name, target[name]]),
  );
}

/**
 * Resolves a command so that it can be started.
 *
 * @throws {TARGET_INVALID} if there is no such program or folder, or it cannot be executed.
 */
export function resolveCommand({
  command,
  directory,
  env,
  fileSystem = 'own',
  manner = {},
}: CommandOptions): ProcessTarget {
  const [program = ''] = command;
  // The cluster checks whether the image exists.
  if (manner.inCluster === true) return { command, cwd: directory, env, fileSystem, ...USUAL_MANNER, ...manner };
  if (!existsSync(directory) || !statSync(directory).isDirectory()) {
    throw new HarnessError(
      'TARGET_INVALID',
      `got directory "${directory}", which is not a folder, expected the one to start "${program}" in; correct --directory`,
    );
  }
  const found = programPaths(program, directory);
  if (found.length === 0) {
    const where = program.includes('/')
      ? `nothing is at "${resolve(directory, program)}"; build it first, or correct the path (it is relative to --directory)`
      : 'it is in no folder of PATH; install it, or give its path';
    throw new HarnessError('TARGET_INVALID', `got command "${command.join(' ')}", expected a program: ${where}`);
  }
  if (!found.some(isExecutable)) {
    throw new HarnessError(
      'TARGET_INVALID',
      `"${found[0] ?? program}" is not executable, expected a program; is it a script that an interpreter has to start? "chmod +x" it, or start its interpreter`,
    );
  }
  return { command, cwd: directory, env, fileSystem, ...USUAL_MANNER, ...manner };
}

/** Returns the part of a resolved command that is specific to an additional program. */
export function besideOf({ command, cwd, env, ready, readyWithinMs }: ProcessTarget): ProgramBeside {
  return { command, cwd, env, ready, readyWithinMs };
}

/**
 * Resolves a stored program so that it can be started.
 *
 * @param env The user's environment variables, which are never stored.
 * @throws {TARGET_INVALID} in the same cases as {@link resolveCommand}.
 */
export function startedBeside(
  { command, directory, ...manner }: StoredProgram,
  cwd: string,
  env: ProcessTarget['env'],
): ProgramBeside {
  return besideOf(resolveCommand({ command, directory: resolve(cwd, directory), env, manner }));
}

/** Returns an additional program as a separate target; settings that the program does not override are those of the main program. */
export function ownTarget(target: ProcessTarget, program: ProgramBeside): ProcessTarget {
  const { programs: _, ...own } = target;
  return { ...own, ...program, metrics: '' };
}

/**
 * Returns the existing files that a program name may refer to, in order of preference: the file at its path if the name contains a slash,
 * otherwise the files of that name in the folders of PATH.
 */
export function programPaths(program: string, directory: string): readonly string[] {
  const places = program.includes('/')
    ? [resolve(directory, program)]
    : (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, program));
  return places.filter(isFile);
}

/** Reports whether a file exists at this path. */
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
