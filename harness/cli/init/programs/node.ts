/**
 * Detects programs in TypeScript and JavaScript with `@kubernetes/client-node`: a target module if there is one, else the
 * program as the project starts it.
 */
import { isRecord } from 'stalemate-apiserver/objects/json';
import { has, type Repository } from '../repository.ts';
import type { Program } from './program.ts';

const TARGETS = ['ts', 'mts', 'js', 'mjs'].map((end) => `stalemate.target.${end}`);
const ENTRIES = ['main', 'index', 'operator', 'controller', 'app', 'server'].flatMap((name) =>
  ['ts', 'mts', 'js', 'mjs'].flatMap((end) => [`src/${name}.${end}`, `${name}.${end}`]),
);

export function nodeProgram(repository: Repository): Program | undefined {
  const manifest = packageOf(repository);
  const dependencies = { ...fieldsOf(manifest['dependencies']), ...fieldsOf(manifest['devDependencies']) };
  if (dependencies['@kubernetes/client-node'] === undefined) return undefined;
  const scripts = fieldsOf(manifest['scripts']);
  const common = {
    language: 'TypeScript, @kubernetes/client-node',
    setUp: 'node',
    elects: false,
    needs: { path: 'node_modules/@kubernetes/client-node', get: installText(repository) },
  } as const;
  const target = TARGETS.find((name) => has(repository, name));
  if (target !== undefined) return { ...common, target, command: [], notes: [] };
  const started = startOf(repository, scripts['start'] ?? '', manifest);
  if (started === undefined)
    return {
      ...common,
      command: [],
      notes: ['neither "scripts.start" nor "main" of package.json names a file that is there'],
    };
  const compiled = /^(?:\.\/)?(?:dist|build|lib|out)\//.test(started.at(-1) ?? '');
  const build = compiled && scripts['build'] !== undefined ? { build: ['npm', 'run', 'build'] } : {};
  return {
    ...common,
    command: started,
    ...build,
    readyWithinMs: 60_000,
    notes: [
      'it runs as a program, one to three seconds a run; a thousand times faster, and replayed byte for byte, is ' +
        'stalemate.target.ts, a module whose default export takes { kubeConfig, namespace, signal } and starts the controller with them',
    ],
  };
}

/** Returns the command that starts the program: that of `npm start`, else Node with the package's entry or a usual file name. */
function startOf(
  repository: Repository,
  script: string,
  manifest: { readonly [field: string]: unknown },
): readonly string[] | undefined {
  const [runner = '', ...rest] = script.trim().split(/\s+/);
  const simple = /^[\w./@ =:-]+$/.test(script.trim());
  if (simple && runner === 'node' && rest.length > 0) return ['node', ...rest];
  if (simple && /^(tsx|ts-node|ts-node-esm)$/.test(runner)) return [`node_modules/.bin/${runner}`, ...rest];
  const bin = typeof manifest['bin'] === 'string' ? manifest['bin'] : Object.values(fieldsOf(manifest['bin']))[0];
  const named = [bin, manifest['main']].find(
    (path): path is string => typeof path === 'string' && (has(repository, clean(path)) || /^(\.\/)?dist\//.test(path)),
  );
  if (named !== undefined) return ['node', clean(named)];
  const entry = ENTRIES.find((path) => has(repository, path));
  return entry === undefined ? undefined : ['node', entry];
}

function clean(path: string): string {
  return path.replace(/^\.\//, '');
}

/** Returns the command that installs the dependencies of package.json, chosen by the existing lockfile. */
export function installText(repository: Repository): string {
  if (has(repository, 'pnpm-lock.yaml')) return 'pnpm install';
  if (has(repository, 'yarn.lock')) return 'yarn install';
  return has(repository, 'package-lock.json') ? 'npm ci' : 'npm install';
}

function packageOf({ text }: Repository): { readonly [field: string]: unknown } {
  try {
    return fieldsOf(JSON.parse(text('package.json')));
  } catch {
    return {};
  }
}

function fieldsOf(value: unknown): { readonly [name: string]: string } {
  return isRecord(value) ? (value as { readonly [name: string]: string }) : {};
}
