/** Prepares the start of a controller: installs its dependencies, and builds it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';
import type { Console } from '../console.ts';
import type { Program } from './programs/program.ts';

/** Builds the program with the project's own tools; returns what the user has to do first; empty if the program can be started. */
export function prepare(program: Program, { cwd, err }: Pick<Console, 'cwd' | 'err'>): string {
  const { build, needs, command } = program;
  if (needs !== undefined && !isThere(needs.path, program, cwd)) return installText(needs);
  if (build === undefined) return '';
  err(`build   ${build.join(' ')}   # the first time this may take minutes\n`);
  const [tool = '', ...args] = build;
  const { status, error } = spawnSync(tool, args, { cwd, stdio: ['ignore', 2, 2] });
  if (status === 0)
    return existsSync(join(cwd, made(command)))
      ? ''
      : `${build.join(' ')}   # made no ${made(command)}: correct "command"`;
  return error === undefined ? build.join(' ') : `${build.join(' ')}   # there is no ${tool} on PATH`;
}

function installText({ get, getWithout = get }: NonNullable<Program['needs']>): string {
  const [tool = ''] = get.split(' ');
  return spawnSync(tool, ['--version'], { stdio: 'ignore' }).error === undefined ? get : getWithout;
}

/** Returns the file that a build creates: the program itself, or the argument of an interpreter. */
function made(command: readonly string[]): string {
  const [first = '', ...rest] = command;
  return first.includes('/') ? first : (rest.find((word) => word.includes('/')) ?? '');
}

/** Reports whether a path of the project or a Python module exists. */
function isThere(path: string, { setUp, command }: Program, cwd: string): boolean {
  if (setUp !== 'python') return existsSync(join(cwd, path));
  return canImport(command[0] ?? '', path, cwd);
}

/** Reports whether a kustomization can be rendered here and contains a Deployment, with roles for it if requested. */
export function canRender(path: string, cwd: string, withRoles: boolean): boolean {
  const text = rendered(path, cwd);
  if (text === undefined || !/^kind: Deployment$/m.test(text)) return false;
  return !withRoles || /^kind: (?:Cluster)?RoleBinding$/m.test(text);
}

/** Renders a kustomization; undefined if that fails. */
export function rendered(path: string, cwd: string): string | undefined {
  const { status, stdout } = spawnSync('kubectl', ['kustomize', path], { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 });
  return status === 0 ? stdout : undefined;
}

const OWN_PYTHON = '.venv/bin/python';

/**
 * Returns the Python interpreter that can import a module: that of the project's virtual environment, or of the system; else
 * that of the virtual environment to be created.
 */
export function pythonOf(cwd: string, module: string): string {
  const existing = [OWN_PYTHON, 'venv/bin/python'].find((path) => existsSync(join(cwd, path)));
  return existing ?? (canImport('python3', module, cwd) ? 'python3' : OWN_PYTHON);
}

/** Reports whether Python can import a module. Runs outside of the project's folder, whose modules Python would import first. */
function canImport(python: string, module: string, cwd: string): boolean {
  const program = python.includes('/') ? resolve(cwd, python) : python;
  return spawnSync(program, ['-c', `import ${module}`], { cwd: parse(cwd).root, stdio: 'ignore' }).status === 0;
}
