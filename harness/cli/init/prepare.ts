/** What has to be there before a controller can be started: its dependencies, and what its build makes. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';
import type { Console } from '../console.ts';
import type { Program } from './programs/program.ts';

/** Makes it, with the project's own means; answers with what is left for its author to do, empty when it can be started. */
export function prepare(program: Program, { cwd, err }: Pick<Console, 'cwd' | 'err'>): string {
  const { build, needs, command } = program;
  if (needs !== undefined && !isThere(needs.path, program, cwd)) return needs.get;
  if (build === undefined) return '';
  err(`build   ${build.join(' ')}\n`);
  const [tool = '', ...args] = build;
  const { status, error } = spawnSync(tool, args, { cwd, stdio: ['ignore', 2, 2] });
  if (status === 0)
    return existsSync(join(cwd, made(command)))
      ? ''
      : `${build.join(' ')}   # made no ${made(command)}: correct "command"`;
  return error === undefined ? build.join(' ') : `${build.join(' ')}   # there is no ${tool} on PATH`;
}

/** The file that a build leaves: the program itself, or what an interpreter is given. */
function made(command: readonly string[]): string {
  const [first = '', ...rest] = command;
  return first.includes('/') ? first : (rest.find((word) => word.includes('/')) ?? '');
}

/** A path of the project, or a module of Python. */
function isThere(path: string, { setUp, command }: Program, cwd: string): boolean {
  if (setUp !== 'python') return existsSync(join(cwd, path));
  return canImport(command[0] ?? '', path, cwd);
}

/** Whether a kustomization can be rendered here, to something with a Deployment, and with roles for it where that is asked for. */
export function canRender(path: string, cwd: string, withRoles: boolean): boolean {
  const text = rendered(path, cwd);
  if (text === undefined || !/^kind: Deployment$/m.test(text)) return false;
  return !withRoles || /^kind: (?:Cluster)?RoleBinding$/m.test(text);
}

/** What a kustomization renders to; undefined where it does not. */
export function rendered(path: string, cwd: string): string | undefined {
  const { status, stdout } = spawnSync('kubectl', ['kustomize', path], { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 });
  return status === 0 ? stdout : undefined;
}

const OWN_PYTHON = '.venv/bin/python';

/** The Python that can import a module: of the project's environment, or of the system; else that of the environment to be. */
export function pythonOf(cwd: string, module: string): string {
  const there = [OWN_PYTHON, 'venv/bin/python'].find((path) => existsSync(join(cwd, path)));
  return there ?? (canImport('python3', module, cwd) ? 'python3' : OWN_PYTHON);
}

/** Not in the project's folder, whose own modules Python would import first. */
function canImport(python: string, module: string, cwd: string): boolean {
  const program = python.includes('/') ? resolve(cwd, python) : python;
  return spawnSync(program, ['-c', `import ${module}`], { cwd: parse(cwd).root, stdio: 'ignore' }).status === 0;
}
