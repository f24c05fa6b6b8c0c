/**
 * Detects Python programs: handlers that `kopf run` loads, a program that calls `kopf.run` itself, or one that uses an API
 * client directly.
 */
import { posix } from 'node:path';
import { ASIDE } from '../deployed.ts';
import { has, type Repository } from '../repository.ts';
import type { Program } from './program.ts';

const HANDLER = /^@kopf\.(?:on\.|timer|daemon|index)/m;
const STARTS = /\bkopf\.(?:run|operator)\(/;
/** Matches imports of API clients. */
const CLIENT = /^\s*(?:import|from) (kubernetes_asyncio|kubernetes|lightkube|kr8s|pykube)\b/m;
const MAIN = /^if __name__ == ['"]__main__['"]:/m;

/** @param pythonFor - Returns the interpreter that can import a module. */
export function pythonProgram(repository: Repository, pythonFor: (module: string) => string): Program | undefined {
  const sources = repository.files.filter(
    (file) => file.endsWith('.py') && !/(^|\/)tests?\/|(^|\/)(test_|conftest)/.test(file),
  );
  const using = sources.filter((file) => /^\s*(?:import|from) kopf\b/m.test(repository.text(file)));
  if (using.length === 0) return clientProgram(repository, sources, pythonFor);
  const handlers = using.filter((file) => HANDLER.test(repository.text(file)));
  // Skips development scripts: they do extra setup, and the deployed operator is not started with them.
  const starter = using.find(
    (file) => STARTS.test(repository.text(file)) && (handlers.length === 0 || !ASIDE.test(file)),
  );
  const started = starter === undefined ? kopfRun(repository, handlers.length > 0 ? handlers : using) : [starter];
  return {
    ...python(repository, ['kopf', ...clientsIn(repository, sources)], 'kopf'),
    command: [pythonFor('kopf'), ...started],
    notes: [
      ...(starter === undefined ? [] : [scopeNote(`${starter} starts kopf itself`)]),
      ...delayNotes(repository, using),
    ],
  };
}

/** Detects a program without a framework: among files that are run as scripts, the first that uses the client. */
function clientProgram(
  repository: Repository,
  sources: readonly string[],
  pythonFor: (module: string) => string,
): Program | undefined {
  const moduleOf = (file: string): string | undefined => CLIENT.exec(repository.text(file))?.[1];
  const module = sources.map(moduleOf).find((name) => name !== undefined);
  if (module === undefined) return undefined;
  const starters = sources.filter((file) => posix.basename(file) === '__main__.py' || MAIN.test(repository.text(file)));
  const started = starters.find((file) => moduleOf(file) !== undefined) ?? starters[0];
  return {
    ...python(repository, [module], `the client "${module}"`),
    command: started === undefined ? [] : [pythonFor(module), ...fileOrModule(repository, started)],
    notes: [
      started === undefined
        ? `uses the client "${module}", but no file of it is run as a program`
        : scopeNote(`${started} uses the client "${module}"`),
    ],
  };
}

/** Returns the API clients that the program imports in addition to its framework. */
function clientsIn(repository: Repository, sources: readonly string[]): readonly string[] {
  const found = sources.map((file) => CLIENT.exec(repository.text(file))?.[1]);
  return [...new Set(found)].filter((name) => name !== undefined).toSorted();
}

/** @param modules - The modules that the program imports; it can be started once the first of them is installed. */
function python(
  repository: Repository,
  modules: readonly [string, ...(readonly string[])],
  named: string,
): Omit<Program, 'command' | 'notes'> {
  return {
    language: `Python, ${named}`,
    elects: false,
    needs: { path: modules[0], ...installation(repository, modules) },
    readyWithinMs: 60_000,
    setUp: 'python',
  };
}

function scopeNote(who: string): string {
  return `${who}: it should watch the namespace "default", or all`;
}

/** Returns notes about waits in real time that make runs long. */
function delayNotes(repository: Repository, files: readonly string[]): readonly string[] {
  const slow = files.flatMap((file) =>
    [...repository.text(file).matchAll(/\binterval\s*=\s*(\d+(?:\.\d+)?)/g)]
      .filter(([, seconds]) => Number(seconds) > 1)
      .map(
        ([, seconds]) =>
          `${file} polls every ${seconds} s: ${WHERE_REAL}, let a variable set it, and make it 0.5 in "env"`,
      ),
  );
  const sets = files.some((file) => /\b(?:default_)?backoff\s*=/.test(repository.text(file)));
  const retry = `kopf tries again 60 s after an error: ${WHERE_REAL}, let a variable set settings.execution.default_backoff, and make it 0.5 in "env"`;
  return [...slow.slice(0, 1), ...(sets ? [] : [retry])];
}

const WHERE_REAL = 'where time is real ("stalemate doctor")';

function kopfRun(repository: Repository, files: readonly string[]): readonly string[] {
  const shipped = shippedModules(repository);
  const named =
    shipped.length > 0
      ? shipped.flatMap((module) => ['-m', module])
      : files.flatMap((file) => fileOrModule(repository, file));
  return ['-m', 'kopf', 'run', '--standalone', '--namespace={namespace}', ...named];
}

/** Returns the modules that the project's image starts kopf with: `CMD ["kopf", "run", "-m", "operator.handlers"]`. */
function shippedModules({ files, text }: Repository): readonly string[] {
  const images = files.filter((file) => /(^|\/)(?:Dockerfile|Containerfile)[^/]*$/.test(file) && !ASIDE.test(file));
  for (const image of images) {
    const words = text(image).replaceAll(/[[\]",]/g, ' ');
    const modules = [
      ...(/\bkopf\s+run\b(.*)/.exec(words)?.[1] ?? '').matchAll(/\s(?:-m|--module)[\s=]+([A-Za-z_][\w.]*)/g),
    ];
    if (modules.length > 0) return modules.map(([, module = '']) => module);
  }
  return [];
}

/**
 * Returns the arguments that load a file. A file inside a package is loaded as a module, because its relative imports would
 * fail otherwise. Subfolders of a package need no `__init__.py`.
 */
function fileOrModule(repository: Repository, file: string): readonly string[] {
  const folders = file.split('/').slice(0, -1);
  const isInPackage = folders.some((_, at) => has(repository, posix.join(...folders.slice(0, at + 1), '__init__.py')));
  if (!isInPackage) return [file];
  const module = file
    .replace(/^src\//, '')
    .replace(/(\/__main__)?\.py$/, '')
    .replaceAll('/', '.');
  return ['-m', module];
}

/**
 * Returns the command that installs the project with the tool that locks its dependencies, and one with pip for machines without that tool.
 */
function installation(
  repository: Repository,
  modules: readonly string[],
): { readonly get: string; readonly getWithout?: string } {
  const getWithout = pipText(repository, modules);
  if (has(repository, 'uv.lock')) return { get: 'uv sync', getWithout };
  if (has(repository, 'poetry.lock')) return { get: 'poetry install', getWithout };
  return { get: getWithout };
}

function pipText(repository: Repository, modules: readonly string[]): string {
  const [requirements] = repository.files.filter((file) => /^requirements[\w-]*\.txt$/.test(file));
  const isInstallable = ['pyproject.toml', 'setup.py', 'setup.cfg'].some((file) => has(repository, file));
  const what =
    requirements === undefined
      ? isInstallable
        ? '-e .'
        : modules.map((module) => DISTRIBUTED_AS[module] ?? module).join(' ')
      : `-r ${requirements}`;
  return `python3 -m venv .venv && .venv/bin/pip install ${what}`;
}

/** Modules whose distribution has a different name, with that name. */
const DISTRIBUTED_AS: { readonly [module: string]: string | undefined } = { pykube: 'pykube-ng' };
