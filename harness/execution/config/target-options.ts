/**
 * The options of the target (a module or a process), including the options for processes only.
 *
 * Does not own: whether a command can be started (`process-target.ts`), all other options (`options.ts`).
 */
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseCluster, type ExistingAccess } from '../../clusters/existing/access.ts';
import { PARTS, type ClusterKind } from '../../model/cluster.ts';
import type { ProcessTarget, ProgramBeside } from '../../model/counterexample.ts';
import { HarnessError } from '../../model/errors.ts';
import { ownModule } from '../../model/own-module.ts';
import { whyNoFile } from '../../report/read-files.ts';
import { given } from '../../model/given.ts';
import type { ProgramOptions, StalemateOptions } from './options.ts';
import { misspeltIn } from '../../actors/process/command.ts';
import { isInCluster, notInKind, podOf } from './pod-target.ts';
import { besideOf, resolveCommand } from './process-target.ts';
import type { RunConfig } from './run-config.ts';
import { configInvalid } from '../config-invalid.ts';

/** Returns the setting for workloads. In virtual time they are off by default: every pod would add an actor to the search. */
export function workloadsOf(
  { environment }: StalemateOptions,
  isProcess: boolean,
): Pick<RunConfig['settings'], 'workloads' | 'workloadsExcept'> {
  const { workloads = isProcess ? 'auto' : 'off', except = [] } = environment ?? {};
  return {
    ...(workloads === 'off' ? {} : { workloads }),
    ...(except.length === 0 ? {} : { workloadsExcept: except }),
  };
}

/**
 * Returns the cluster parts that run behind the API server of envtest.
 *
 * @throws {CONFIG_INVALID} for a different kind of cluster, and for nodes without a part that creates pods for them.
 */
export function partsOf({
  with: parts = [],
  cluster = 'embedded',
}: StalemateOptions): Pick<RunConfig['settings'], 'with'> {
  if (parts.length === 0) return {};
  const got = `got with "${parts.join(',')}"`;
  if (cluster !== 'envtest')
    throw configInvalid(
      `${got} and cluster "${cluster}", expected "envtest", the only one to which parts are added; add --cluster envtest, or leave "with" out`,
    );
  if (!parts.includes('kube-controller-manager'))
    throw configInvalid(
      `${got}, expected "kube-controller-manager" too: without it nothing creates the pods of a workload; use --with kube-controller-manager,kwok`,
    );
  return { with: PARTS.filter((part) => parts.includes(part)) };
}

/** Reports whether the target has effects outside the cluster; by default, it does if a command or variable contains `{effects}`. */
export function usesEffects({ effects, command = [], env = {}, programs = {} }: StalemateOptions): boolean {
  const words = [{ command, env }, ...Object.values(programs)].flatMap((one) => [
    ...one.command,
    ...Object.values(one.env ?? {}),
  ]);
  return effects ?? words.some((word) => word.includes('{effects}'));
}

/** Returns the program of a command; `null` for a module. */
export function processOf(options: StalemateOptions, cwd: string): ProcessTarget | null {
  const { target, command, directory = '.', env = {} } = options;
  checkBeside(options);
  if (isInCluster(options)) return podOf(options, cwd);
  if (command === undefined) return null;
  if (target === undefined) {
    checkPlaceholders(options, 'the command');
    const programs = Object.entries(options.programs ?? {}).map(([name, program]) => [
      name,
      programBeside(name, program, cwd),
    ]);
    const { network, ready, readyWithinMs, graceMs, metrics, fileSystem = 'own', time = 'virtual' } = options;
    const manner = given({ time, network, ready, readyWithinMs, graceMs, metrics });
    const started = resolveCommand({ command, directory: resolve(cwd, directory), env, fileSystem, manner });
    return programs.length === 0 ? started : { ...started, programs: Object.fromEntries(programs) };
  }
  throw configInvalid(
    `got both target "${target}" and a command "${command.join(' ')}", expected one of them: a module, or a process`,
  );
}

/** @throws {CONFIG_INVALID} for additional programs of a target that is not a command. */
function checkBeside(options: StalemateOptions): void {
  const { programs = {}, command } = options;
  const [name] = Object.keys(programs);
  if (name === undefined) return;
  const got = `got program "${name}" beside`;
  if (isInCluster(options) || command === undefined)
    throw configInvalid(
      `${got} a target that is ${isInCluster(options) ? 'an image' : 'a module'}, expected a command; leave "programs" out, or name the target's program in "command"`,
    );
}

/** Resolves an additional program so that it can be started. */
function programBeside(name: string, program: ProgramOptions, cwd: string): ProgramBeside {
  const { command, directory = '.', env = {}, ready, readyWithinMs } = program;
  checkPlaceholders(program, `the command of program "${name}"`);
  const manner = given({ ready, readyWithinMs });
  return besideOf(resolveCommand({ command, directory: resolve(cwd, directory), env, manner }));
}

/** Rejects misspelt placeholders: the program would receive them unreplaced, and its error message, if any, would be misleading. */
function checkPlaceholders(
  { command = [], env = {}, ready = '', metrics = '' }: StalemateOptions,
  commandText: string,
): void {
  const words: readonly (readonly [string, string])[] = [
    ...command.map((word) => [commandText, word] as const),
    ...Object.entries(env).map(([name, value]) => [`the variable ${name}`, value] as const),
    ['ready', ready.startsWith('url:') ? ready : ''],
    ['metrics', metrics],
  ];
  for (const [where, word] of words) {
    const misspelt = misspeltIn(word);
    if (misspelt === undefined) continue;
    throw configInvalid(
      `got "${misspelt.found}" in ${where} ("${word}"), which nothing replaces, expected ${misspelt.meant}; correct it`,
    );
  }
}

/** Returns the module's absolute path. */
export function targetModule(target: string | undefined, cwd: string): string {
  if (target === undefined) {
    throw configInvalid(
      'got no target, expected the module that starts your controller (--target, or "target" in stalemate.config.ts), a command (-- COMMAND ARGS) or an image (--image); "init", in the folder of your project, finds it and writes a configuration',
    );
  }
  const path = resolve(cwd, target);
  // Importing a named pipe would wait for ever.
  const reason = whyNoFile(path);
  if (reason === undefined) return path;
  throw new HarnessError('TARGET_INVALID', `target "${target}" ${reason}; expected a module, looked for "${path}"`);
}

/**
 * Returns the kind of API server.
 *
 * @throws {CONFIG_INVALID} for options that this kind does not support.
 */
export function clusterOf(options: StalemateOptions): ClusterKind {
  const inCluster = isInCluster(options);
  const { cluster = inCluster ? 'kind' : 'embedded' } = options;
  if (inCluster && cluster !== 'kind') throw notInKind(options);
  if (cluster === 'existing' && usesEffects(options))
    throw configInvalid(
      'got cluster "existing" with "effects", expected a target that keeps nothing outside the cluster; leave "cluster" out, or "effects"',
    );
  return cluster;
}

/**
 * Returns the existing cluster that the options name; `null` for other kinds of cluster.
 *
 * @throws {REFUSED} if the options name none.
 * @throws {CONFIG_INVALID} if the options name one together with another kind of cluster.
 */
export function existingOf(options: StalemateOptions, cwd: string): ExistingAccess | null {
  const { cluster = 'embedded', kubeconfig, context, namespacePrefix } = options;
  const { allowContexts, allowClusters, allowClusterWrites } = options;
  const named = { kubeconfig, context, allowContexts, allowClusters, namespacePrefix, allowClusterWrites };
  if (cluster !== 'existing') {
    const [name] = Object.entries(named).flatMap(([key, value]) => (value === undefined ? [] : [key]));
    if (name === undefined) return null;
    throw configInvalid(
      `got "${name}" with cluster "${cluster}", which is not an existing cluster; add --cluster existing to use the one that is named, or leave "${name}" out`,
    );
  }
  const allowed = { allowed: allowContexts, clusters: allowClusters, writes: allowClusterWrites };
  return chooseCluster(given({ kubeconfig, context, ...allowed, prefix: namespacePrefix }), cwd);
}

const RUN_MODULE = fileURLToPath(ownModule(import.meta.url, '../../actors/in-process/run-module.ts'));

/** Returns the command that runs a module as a process, for clusters in real time; it is started in the module's folder. */
export function moduleAsProcess(module: string, effects: boolean): ProcessTarget {
  const command = [process.execPath, RUN_MODULE, module, '{namespace}', ...(effects ? ['{effects}'] : [])];
  return resolveCommand({ command, directory: dirname(module), env: {} });
}

/** Returns an option that applies only to processes. Modules must not set it: they start within a millisecond and are deterministic. */
export function forProcess(name: string, value: boolean | undefined, started: ProcessTarget | null): boolean {
  if (value !== true || started !== null) return value === true;
  throw configInvalid(
    `got "${name}" for a target that is a module, expected a command (-- COMMAND ARGS); leave it out: a module needs none of that`,
  );
}
