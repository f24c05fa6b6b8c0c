/**
 * Finds a target's module and its copy of client-node, and explains what is wrong with either.
 *
 * Import nothing of the target before virtual time is installed: see `determinism/virtual-time.ts`.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { KubeConfig } from '@kubernetes/client-node';
import type { ClientNode } from 'stalemate-apiserver/client-node/client-node';
import { HarnessError } from '../../model/errors.ts';
import { whyNoFile } from '../../report/read-files.ts';
import type { Effects } from '../outside/effects.ts';

const CLIENT_NODE = '@kubernetes/client-node';
const SUPPORTED_MAJOR = '2';

/** The argument of a target's start function. */
export interface TargetContext {
  readonly kubeConfig: KubeConfig;
  /** The namespace of the sample objects. */
  readonly namespace: string;
  /** Aborted when the run ends normally; a crash gives no notice. */
  readonly signal: AbortSignal;
  /** The store outside the cluster, if the configuration has `effects: true`. */
  readonly effects?: Effects;
}

export interface RunningTarget {
  stop?(): unknown;
}

/** The default export of a target's module. */
// oxlint-disable-next-line typescript/no-invalid-void-type -- a target may return nothing
export type StartTarget = (context: TargetContext) => void | RunningTarget | Promise<void | RunningTarget>;

export interface LoadedTarget {
  /** An absolute path. */
  readonly module: string;
  readonly start: StartTarget;
  readonly clientNode: ClientNode;
}

/**
 * Imports the module at `path` and the client-node that it would import.
 *
 * @throws {HarnessError} TARGET_INVALID if there is no such file, it cannot be imported, its default export is not a function, or its
 * client-node is not 2.x.
 */
export async function loadTarget(path: string): Promise<LoadedTarget> {
  const module = resolve(path);
  if (!existsSync(module)) {
    throw invalid(`there is no target module at "${module}": give the path of a TypeScript or JavaScript file`);
  }
  const reason = whyNoFile(module);
  if (reason !== undefined)
    throw invalid(`the target "${module}" ${reason}: give the path of a TypeScript or JavaScript file`);
  const { directory, version } = await findClientNode(module);
  if (version.split('.')[0] !== SUPPORTED_MAJOR) throw unsupported(module, version);
  const require = createRequire(module);
  const clientNode = (await importFile(
    directory === undefined ? CLIENT_NODE : pathToFileURL(require.resolve(CLIENT_NODE)).href,
  )) as ClientNode;
  let exported: { readonly default?: unknown };
  try {
    exported = (await importFile(pathToFileURL(module).href)) as typeof exported;
  } catch (error) {
    throw importFailed(module, error);
  }
  const start = exported.default;
  if (typeof start !== 'function') throw notAFunction(module, start);
  return { module, start: start as StartTarget, clientNode };
}

function importFile(specifier: string): Promise<unknown> {
  return import(specifier) as Promise<unknown>;
}

/** Resolves client-node from the target; falls back to our own copy if the target cannot resolve client-node and so does not use it. */
async function findClientNode(
  module: string,
): Promise<{ readonly directory: string | undefined; readonly version: string }> {
  const found = packageDirectory(module);
  const manifest = found ?? packageDirectory(import.meta.filename);
  if (manifest === undefined) {
    throw invalid(`"${CLIENT_NODE}" cannot be found from "${module}": install it next to the target`);
  }
  const { version } = JSON.parse(await readFile(join(manifest, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return { directory: found, version };
}

function packageDirectory(from: string): string | undefined {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', CLIENT_NODE);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (dirname(folder) === folder) return undefined;
  }
}

function unsupported(module: string, version: string): HarnessError {
  return invalid(
    `"${module}" uses ${CLIENT_NODE} ${version}, expected ${SUPPORTED_MAJOR}.x: versions before 2 send requests through node-fetch, ` +
      'which cannot be steered in process; update the package, or wait for a release that runs such targets as a process of their own',
    { version },
  );
}

function notAFunction(module: string, received: unknown): HarnessError {
  const what = received === undefined ? 'has no default export' : `exports a ${typeof received} as default`;
  return invalid(
    `"${module}" ${what}: expected "export default function start({ kubeConfig, namespace, signal })", ` +
      'which starts the controller and returns nothing or { stop() }',
  );
}

/** Hints by Node's error message. */
const IMPORT_HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX/,
    'Node runs TypeScript whose types can be erased: replace enums, namespaces and parameter properties, or name the compiled file',
  ],
  [
    /outside a module|Unexpected token 'export'/,
    'set "type": "module" in the package.json beside it, or name a file that ends in .mts or .mjs',
  ],
  [
    /Cannot find module '[^']*\/[^'./]+'/,
    'Node looks for no file ending: write it out in the import, as in "./controller.ts"',
  ],
  [
    /Cannot find module .*\.js/,
    'Node does not look for a .ts file behind an import of .js: import the .ts file by its own name, or name the compiled file',
  ],
];

function importFailed(module: string, cause: unknown): HarnessError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const hint =
    IMPORT_HINTS.find(([sign]) => sign.test(`${String(code)} ${message}`))?.[1] ??
    'run it with "npx -y node@24 FILE" to see more';
  const said = `${message}${placeOf(module, cause)}`;
  return new HarnessError('TARGET_INVALID', `"${module}" cannot be imported: ${said}; ${hint}`, { cause });
}

/** Returns the location of a syntax error. Only the first line of Node's stack has it, often in a file that the module imports. */
function placeOf(module: string, cause: unknown): string {
  const [, url, line] = /^(file:\S+):(\d+)\n/.exec((cause instanceof Error && cause.stack) || '') ?? [];
  return url === undefined ? '' : ` (${relative(dirname(module), fileURLToPath(url))}:${line})`;
}

function invalid(message: string, details: { readonly [key: string]: unknown } = {}): HarnessError {
  return new HarnessError('TARGET_INVALID', message, { details });
}
