/**
 * The Bucket controllers under controllers-under-test/languages: how each is built and started.
 *
 * Builds are cached in the user's cache folder, so that a second run compiles nothing. The package files of each language pin the versions.
 * Owns: the table below. Does not own: what a controller must do (`goal.ts`).
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../cache-folder.ts';
import { type Command, runToEnd } from './processes.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CONTROLLERS = join(ROOT, 'controllers-under-test');
const LANGUAGES = join(CONTROLLERS, 'languages');

/** For a first build with empty package caches, at low priority on a busy machine. */
const BUILD_TIMEOUT_MS = 20 * 60_000;

export interface LanguageController {
  readonly name: string;
  /** The program that must be installed. */
  readonly needs: string;
  readonly client: string;
  /** Builds what is not in the cache. */
  build(folder: string, log: string): Promise<void>;
  command(folder: string): Command;
}

/** The folder of a controller's build. */
export function buildFolder(name: string): string {
  return cacheFolder('languages', name);
}

export const CONTROLLER_TABLE: readonly LanguageController[] = [
  {
    name: 'go',
    needs: 'go',
    client: 'controller-runtime 0.24.1',
    build: (folder, log) => goBuild(folder, '.', log),
    command: (folder) => ({ file: join(folder, 'bucket-controller'), args: [] }),
  },
  {
    name: 'python',
    needs: 'python3',
    client: 'kopf 1.45.2, kubernetes 36.0.3',
    build: buildPython,
    command: (folder) => ({
      file: join(folder, 'bin', 'kopf'),
      args: ['run', '--standalone', '--namespace', 'default', join(LANGUAGES, 'python', 'controller.py')],
      env: { PYTHONDONTWRITEBYTECODE: '1' },
    }),
  },
  {
    name: 'typescript',
    needs: 'node',
    client: 'client-node 2.0.1',
    build: () => Promise.resolve(),
    command: () => ({ file: process.execPath, args: [join(LANGUAGES, 'typescript', 'main.ts')] }),
  },
  {
    name: 'typescript-1',
    needs: 'npm',
    client: 'client-node 1.4.0',
    build: buildClientNode1,
    command: (folder) => ({ file: process.execPath, args: [join(folder, 'languages', 'typescript', 'main.ts')] }),
  },
  {
    name: 'rust',
    needs: 'cargo',
    client: 'kube-rs 5.0.0',
    build: (folder, log) =>
      once(folder, join(LANGUAGES, 'rust'), ['Cargo.toml', 'Cargo.lock', 'src'], () =>
        nice('cargo build', 'cargo', ['build', '--locked', '--quiet'], log, {
          cwd: join(LANGUAGES, 'rust'),
          env: { CARGO_TARGET_DIR: folder },
        }),
      ),
    command: (folder) => ({ file: join(folder, 'debug', 'bucket-controller'), args: [] }),
  },
  {
    name: 'java',
    needs: 'mvn',
    client: 'Java operator SDK 5.1.4 (fabric8)',
    build: buildJava,
    command: (folder) => ({
      file: 'java',
      args: [
        '-cp',
        `${join(folder, 'target', 'classes')}:${join(folder, 'target', 'dependency', '*')}`,
        'com.example.buckets.Main',
      ],
    }),
  },
];

/** Go's own cache detects changed packages, but Go would still link the program again in each clone. */
export function goBuild(folder: string, packages: string, log: string): Promise<void> {
  const source = join(LANGUAGES, 'go');
  const target = packages === '.' ? join(folder, 'bucket-controller') : `${folder}/`;
  const args = ['build', '-o', target, ...packages.split(' ')];
  return once(folder, source, ['.'], () => nice('go build', 'go', args, log, { cwd: source }), packages);
}

function buildPython(folder: string, log: string): Promise<void> {
  const source = join(LANGUAGES, 'python');
  return once(folder, source, ['requirements.txt', 'constraints.txt'], async () => {
    await nice('python3 -m venv', 'python3', ['-m', 'venv', folder], log);
    const args = ['install', '--quiet', '-r', join(source, 'requirements.txt'), '-c', join(source, 'constraints.txt')];
    await nice('pip install', join(folder, 'bin', 'pip'), args, log);
  });
}

/** The same sources, next to the node_modules of client-node 1. */
async function buildClientNode1(folder: string, log: string): Promise<void> {
  const source = join(LANGUAGES, 'typescript', 'client-node-1');
  await once(folder, source, ['package.json', 'package-lock.json'], async () => {
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(source, file), join(folder, file));
    await nice('npm ci', 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], log, { cwd: folder });
  });
  for (const part of ['lib', 'buckets', join('languages', 'typescript')]) {
    rmSync(join(folder, part), { recursive: true, force: true });
    cpSync(join(CONTROLLERS, part), join(folder, part), { recursive: true });
  }
}

function buildJava(folder: string, log: string): Promise<void> {
  const source = join(LANGUAGES, 'java');
  return once(folder, source, ['pom.xml', 'src'], async () => {
    for (const part of ['pom.xml', 'src']) cpSync(join(source, part), join(folder, part), { recursive: true });
    const goals = ['compile', 'dependency:copy-dependencies', '-DincludeScope=runtime'];
    await nice('mvn', 'mvn', ['--quiet', '--batch-mode', ...goals], log, { cwd: folder });
  });
}

/** Builds into an empty folder, if the sources or the built packages differ from those of the last successful build. */
async function once(
  folder: string,
  source: string,
  parts: readonly string[],
  build: () => Promise<void>,
  what = '',
): Promise<void> {
  const stamp = join(folder, '.sources');
  const hash = createHash('sha256').update(what);
  for (const part of parts) hashInto(hash, join(source, part));
  const sources = hash.digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  // Keeps the build folder of cargo, which reuses it; the other builds are fast enough from scratch.
  if (!existsSync(join(folder, 'CACHEDIR.TAG'))) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await build();
  writeFileSync(stamp, sources);
}

/** Hashes a file, or all names and files in a folder. */
export function hashInto(hash: ReturnType<typeof createHash>, path: string): void {
  let names: readonly string[];
  try {
    names = readdirSync(path).toSorted();
  } catch {
    hash.update(readFileSync(path));
    return;
  }
  for (const name of names) {
    hash.update(name);
    hashInto(hash, join(path, name));
  }
}

/** Runs a compiler or installer at low priority. @throws {StepFailed} */
export function nice(
  what: string,
  program: string,
  args: readonly string[],
  log: string,
  rest: Omit<Command, 'file' | 'args'> = {},
): Promise<void> {
  return runToEnd(what, { file: 'nice', args: ['-n', '10', program, ...args], ...rest }, log, BUILD_TIMEOUT_MS);
}
