/** The command of a process target: whether there is such a program, and where. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { ProcessTarget } from '../model/counterexample.ts';
import { HarnessError } from '../model/errors.ts';

export interface CommandOptions {
  /** Program and arguments. */
  readonly command: readonly string[];
  /** Absolute. */
  readonly directory: string;
  readonly env: { readonly [name: string]: string };
}

/**
 * The command as it can be started.
 *
 * @throws {TARGET_INVALID} when there is no such program or folder, or it cannot be executed.
 */
export function resolveCommand({ command, directory, env }: CommandOptions): ProcessTarget {
  const [program = ''] = command;
  if (!existsSync(directory) || !statSync(directory).isDirectory()) {
    throw new HarnessError(
      'TARGET_INVALID',
      `got directory "${directory}", expected the folder to start "${program}" in`,
    );
  }
  const places = program.includes('/')
    ? [resolve(directory, program)]
    : (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, program));
  const found = places.filter((path) => existsSync(path) && statSync(path).isFile());
  if (found.length === 0) {
    const where = program.includes('/') ? `looked for "${places[0] ?? ''}"` : 'it is in no folder of PATH';
    throw new HarnessError('TARGET_INVALID', `got command "${command.join(' ')}", expected a program: ${where}`);
  }
  if (!found.some(isExecutable)) {
    throw new HarnessError(
      'TARGET_INVALID',
      `"${found[0] ?? program}" is not executable, expected a program; is it a script that an interpreter has to start?`,
    );
  }
  return { command, cwd: directory, env };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
