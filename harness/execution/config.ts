/**
 * Configuration: what a user writes, in a file or on the command line, to a {@link RunConfig} with nothing left open.
 *
 * Owns: the options, their defaults, and messages that name file and field. Does not own: manifests (`manifests.ts`), the
 * catalogue of properties and writers, which whoever resolves brings along.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { isMetricsUrl, METRICS_FORM } from '../actors/process/prometheus.ts';
import { parseReadiness, READINESS_FORMS } from '../actors/process/readiness.ts';
import { PREFIX, PREFIX_FORM } from '../clusters/existing/prefix.ts';
import { CLUSTERS, type ClusterKind } from '../model/cluster.ts';
import type { KindOptions } from '../model/kind-options.ts';
import { kindSchema, resolveKind } from './kind-options.ts';
import type { Network, Transport } from '../model/counterexample.ts';
import { HarnessError } from '../model/errors.ts';
import { isRecord } from '../model/json.ts';
import type { CONNECTION } from '../model/fault-kinds.ts';
import type { FaultKind } from '../model/schedule.ts';
import type { Property } from '../oracle/property.ts';
import { describeIssues } from '../schedule/codec/issues.ts';
import { loadSamples } from './manifests.ts';
import { parseBudget } from './budget.ts';
import {
  findingOptions,
  resolveBaseline,
  resolveCorpus,
  resolveDeclarations,
  resolveWaivers,
  type FindingOptions,
} from './config-findings.ts';
import { absolute } from './config-paths.ts';
import type { CelClaim } from './cel-claims.ts';
import { chosenFaults, switchedOn } from './chosen-faults.ts';
import { always, checkPredicates, eventually, sometimes, type Predicate } from './predicates.ts';
import { settleDoubles } from './project/sample-wins.ts';
import { resolveProject } from './project/resolve.ts';
import type { RunConfig } from './run-config.ts';
import {
  clusterOf,
  existingOf,
  forProcess,
  moduleAsProcess,
  processOf,
  targetModule,
  usesEffects,
  workloadsOf,
} from './target-options.ts';

/** What a user may set. Paths are relative to the configuration file, or to the working directory on the command line. */
export interface StalemateOptions extends FindingOptions {
  /** Module of the target: its default export gets a `KubeConfig` and starts the controller. */
  readonly target?: string;
  /**
   * The target as a process, instead of a module: program and arguments, with `{kubeconfig}`, `{namespace}`, `{port}`, `{port:NAME}`,
   * `{files}`, `{certs}` and `{effects}`.
   */
  readonly command?: readonly string[];
  /** Where `command` is started; default the working directory. */
  readonly directory?: string;
  /** Variables of `command`'s environment beside the few that every program gets. */
  readonly env?: { readonly [name: string]: string };
  /** What `command` can reach: `none` (default) is a loopback interface of its own, where the system permits it; `host` is all. */
  readonly network?: Network;
  /** When `command` counts as started: `quiet` (default), `url:…`, `log:…` or `watch:…`. */
  readonly ready?: string;
  /** A `command` that is not ready by then has failed; default 30 s. */
  readonly readyWithinMs?: number;
  /** At the end of a run `command` gets SIGTERM and so long to end; default 0: it is killed at once. */
  readonly graceMs?: number;
  /** Where `command` tells Prometheus how often it reconciled: `http://127.0.0.1:{port:metrics}/metrics`. */
  readonly metrics?: string;
  /** Files or folders with CustomResourceDefinitions. */
  readonly crds?: readonly string[];
  /** Files or folders with the objects that a run starts from. */
  readonly samples?: readonly string[];
  /** Where namespaced samples without a namespace go; default `default`. */
  readonly namespace?: string;
  /** Files or folders with what the project ships: kustomize or helm output, kustomizations, plain manifests. */
  readonly manifests?: readonly string[];
  /** Which Deployment of the manifests the target is, when they hold several. */
  readonly deployment?: string;
  /** Whether roles of the manifests are enforced for the target; default: when they bind any. */
  readonly authorization?: 'rbac' | 'allow-all';
  /** What answers the API: the embedded server (default), one of our own with etcd, from envtest's binaries or by kind, or one that you name. */
  readonly cluster?: ClusterKind;
  /** How a kind cluster is made, where `cluster` is `kind`. */
  readonly kind?: KindOptions;
  /** Where an `existing` cluster is named; never looked for. */
  readonly kubeconfig?: string;
  /** Its context there; default that file's current one. */
  readonly context?: string;
  /** Contexts that may lead to another machine. */
  readonly allowContexts?: readonly string[];
  /** What the names of the namespaces begin with that are made on an `existing` cluster; default `stalemate`. */
  readonly namespacePrefix?: string;
  /** Names from `stalemate list properties`, or properties of your own. Default: all of the catalogue. */
  readonly properties?: readonly (string | Property)[];
  /** Claims about every version of every object. */
  readonly always?: readonly (Predicate | CelClaim)[];
  /** Claims about the objects at rest. */
  readonly eventually?: readonly (Predicate | CelClaim)[];
  /** What has to come true at least once in a campaign, or the campaign is vacuous. */
  readonly sometimes?: readonly (Predicate | CelClaim)[];
  /** Kinds of adversarial writers, by name: `false` switches one off. */
  readonly writers?: { readonly [name: string]: boolean };
  /** Kinds of faults, by name: `false` switches one off; `connection: true` switches those on that need toxiproxy, or their names do. */
  readonly faults?: { readonly [kind in FaultKind | typeof CONNECTION]?: boolean };
  /** The toxiproxy server that disturbs connections; default: the one on PATH, or the one that was built. */
  readonly toxiproxy?: string;
  /** `60s`, `5m`, or a number of runs; default `60s`. */
  readonly budget?: string | number;
  /**
   * For processes: trials run on one process that lives through many, several a second; what is suspicious there counts once a fresh
   * process shows it too. Default: a fresh process for every trial.
   */
  readonly warm?: boolean;
  /**
   * For processes with one connection: what they send before they come to rest happens in the order of labels. Slower, and replays
   * hardly ever differ.
   */
  readonly serialised?: boolean;
  /** Root seed of everything drawn; drawn itself when absent. */
  readonly seed?: number;
  /** Ends the campaign after this many distinct findings. */
  readonly stopAfter?: number;
  /** Folder for counterexamples and records; default `.stalemate`. */
  readonly reportDir?: string;
  readonly transport?: Transport;
  /** The target means to run more than once at a time: two replicas may be started. */
  readonly leaderElection?: boolean;
  readonly replicas?: 1 | 2;
  /** The target keeps things outside the cluster and is given a store for them; on by itself where a command says `{effects}`. */
  readonly effects?: boolean;
  /** How long nothing must happen before a run counts as settled; default 10 s of virtual time, for a `command` half a second. */
  readonly settleWindowMs?: number;
  /** Gate items after which settling is given up. */
  readonly settleStepsMax?: number;
  /** Gate items of contention. */
  readonly stepsMax?: number;
  readonly garbageCollection?: boolean;
  readonly namespaceController?: boolean;
  readonly environment?: {
    /**
     * Whether pods, Deployments, StatefulSets, Jobs, volume claims and load balancers become ready, without a kubelet: not at all,
     * soon, or late. `auto`, the default for a command: those that the target makes and looks at, soon. Default for a module: off.
     */
    readonly workloads?: 'auto' | 'off' | 'fast' | 'slow';
  };
}

/** Checks the options' types and gives them back: for `stalemate.config.ts`. */
export function defineConfig(options: StalemateOptions): StalemateOptions {
  return options;
}

const property = z.custom<Property>(
  (value) => isRecord(value) && typeof value['name'] === 'string' && typeof value['check'] === 'function',
  'expected a name from `stalemate list properties` or an object with name and check',
);
const predicate = z.custom<Predicate | CelClaim>(
  (value) =>
    isRecord(value) &&
    typeof value['name'] === 'string' &&
    typeof value['resource'] === 'string' &&
    (typeof value['check'] === 'function') !== (typeof value['cel'] === 'string'),
  'expected an object with name, resource, and either check (a function) or cel (an expression)',
);
const budget = z.union([z.string(), z.number()]).refine((value) => parseBudget(String(value)) !== undefined, {
  message: 'expected a time like "60s" or "5m", or a number of runs',
});

const optionsSchema: z.ZodType<StalemateOptions> = z.strictObject({
  target: z.string().min(1).exactOptional(),
  command: z.array(z.string()).min(1).exactOptional(),
  directory: z.string().min(1).exactOptional(),
  env: z.record(z.string(), z.string()).exactOptional(),
  network: z.enum(['none', 'host']).exactOptional(),
  ready: z
    .string()
    .refine((text) => parseReadiness(text) !== undefined, { message: `expected ${READINESS_FORMS}` })
    .exactOptional(),
  readyWithinMs: z.number().min(1).exactOptional(),
  graceMs: z.number().min(0).exactOptional(),
  metrics: z
    .string()
    .refine(isMetricsUrl, { message: `expected ${METRICS_FORM}` })
    .exactOptional(),
  crds: z.array(z.string()).exactOptional(),
  samples: z.array(z.string()).exactOptional(),
  namespace: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'expected the name of a namespace')
    .exactOptional(),
  manifests: z.array(z.string()).exactOptional(),
  deployment: z.string().min(1).exactOptional(),
  authorization: z.enum(['rbac', 'allow-all']).exactOptional(),
  cluster: z.enum(CLUSTERS).exactOptional(),
  kind: kindSchema.exactOptional(),
  kubeconfig: z.string().min(1).exactOptional(),
  context: z.string().min(1).exactOptional(),
  allowContexts: z.array(z.string()).exactOptional(),
  namespacePrefix: z.string().regex(PREFIX, PREFIX_FORM).exactOptional(),
  properties: z.array(z.union([z.string(), property])).exactOptional(),
  always: z.array(predicate).exactOptional(),
  eventually: z.array(predicate).exactOptional(),
  sometimes: z.array(predicate).exactOptional(),
  writers: z.record(z.string(), z.boolean()).exactOptional(),
  faults: z.record(z.string(), z.boolean()).exactOptional(),
  toxiproxy: z.string().min(1).exactOptional(),
  budget: budget.exactOptional(),
  warm: z.boolean().exactOptional(),
  serialised: z.boolean().exactOptional(),
  seed: z.int().exactOptional(),
  stopAfter: z.int().min(1).exactOptional(),
  reportDir: z.string().min(1).exactOptional(),
  transport: z.enum(['http-library', 'dispatcher']).exactOptional(),
  leaderElection: z.boolean().exactOptional(),
  replicas: z.union([z.literal(1), z.literal(2)]).exactOptional(),
  effects: z.boolean().exactOptional(),
  settleWindowMs: z.number().min(1).exactOptional(),
  settleStepsMax: z.int().min(1).exactOptional(),
  stepsMax: z.int().min(1).exactOptional(),
  garbageCollection: z.boolean().exactOptional(),
  namespaceController: z.boolean().exactOptional(),
  ...findingOptions,
  environment: z.strictObject({ workloads: z.enum(['auto', 'off', 'fast', 'slow']).exactOptional() }).exactOptional(),
});

/** Looked for in the working directory, in this order, when `--config` is not given. */
export const CONFIG_FILES: readonly string[] = ['ts', 'mjs', 'js', 'yaml', 'yml', 'json'].map(
  (end) => `stalemate.config.${end}`,
);

/** The configuration file of a folder, if it has one. */
export function findConfigFile(folder: string): string | undefined {
  return CONFIG_FILES.map((name) => join(folder, name)).find((path) => existsSync(path));
}

/**
 * Reads a configuration file; its paths come out absolute.
 *
 * @throws {CONFIG_INVALID} naming file and field.
 */
export async function loadConfigFile(file: string): Promise<StalemateOptions> {
  const path = resolve(file);
  if (!existsSync(path)) {
    throw new HarnessError('CONFIG_INVALID', `"${file}" does not exist, expected a configuration file; check --config`);
  }
  return absolute(checkOptions(await readOptions(path), basename(path)), dirname(path));
}

async function readOptions(path: string): Promise<unknown> {
  const name = basename(path);
  try {
    if (/\.(ya?ml|json)$/.test(name)) return parseYaml(readFileSync(path, 'utf8')) as unknown;
    const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
    if (module.default !== undefined) return module.default;
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new HarnessError('CONFIG_INVALID', `"${name}" could not be loaded: ${reason}; correct it and run again`, {
      cause: error,
      details: { path },
    });
  }
  throw new HarnessError(
    'CONFIG_INVALID',
    `"${name}" has no default export, expected one made with defineConfig; add "export default defineConfig({ … })"`,
  );
}

/** @throws {CONFIG_INVALID} naming `source` and the field. */
export function checkOptions(value: unknown, source: string): StalemateOptions {
  const checked = optionsSchema.safeParse(value ?? {});
  if (checked.success) return checked.data;
  throw new HarnessError('CONFIG_INVALID', `"${source}" is not valid, ${describeIssues(checked.error, value)}`, {
    details: { source },
  });
}

/** The claims of the user's own: what a worker must import the configuration again for. */
export function ownProperties(options: StalemateOptions): readonly Property[] {
  return [
    ...(options.properties ?? []).filter((property) => typeof property !== 'string'),
    ...(options.always ?? []).map(always),
    ...(options.eventually ?? []).map(eventually),
    ...(options.sometimes ?? []).map(sometimes),
  ];
}

/** What resolving needs to know of the world. */
export interface ResolveContext {
  readonly cwd: string;
  readonly configFile: string | null;
  /** Names of the properties to judge, from the command line; empty for what the options say. */
  readonly only: readonly string[];
  /** The catalogue. */
  readonly properties: readonly Property[];
  /** Names of the kinds of writers that exist. */
  readonly writers: readonly string[];
  /** `apiVersion/Kind` that the API server knows without a CRD. */
  readonly builtInKinds: ReadonlySet<string>;
  /** The same as `pods`, `deployments.apps`. */
  readonly builtInResources: ReadonlySet<string>;
  /** Draws a seed when none is given. */
  readonly freshSeed: () => number;
  /** The day on which waivers have to be valid, `2026-11-22`. */
  readonly today: string;
}

const DEFAULT_BUDGET = '60s';
/**
 * Longer than what eight failures earn by client-go's rule (5 ms · 2⁸), shorter than the 30 s after which client-node opens its
 * watches anew: paying for that in every run would halve the rate. Suspects get as long as their back-offs have earned.
 */
export const SETTLE_WINDOW_MS: number = 10_000;
/** The same for a process, whose time passes for real: what wakes it after that is found in the trials that are suspect. */
export const SETTLE_WINDOW_WALL_MS: number = 500;
/** A converged controller needs tens of requests; a hot one reaches this within milliseconds. */
const SETTLE_STEPS_MAX = 800;
/** Some 50 items make a run; beyond a few hundred nothing new is learned from the same one. */
const STEPS_MAX = 400;

/**
 * Fills in every default and loads every file.
 *
 * @throws {CONFIG_INVALID} {MANIFEST_INVALID} {TARGET_INVALID}
 */
export function resolveOptions(options: StalemateOptions, context: ResolveContext): RunConfig {
  const { cwd } = context;
  const started = processOf(options, cwd);
  forProcess('metrics', options.metrics !== undefined, started);
  const target = started === null ? targetModule(options.target, cwd) : '';
  const paths = (given: readonly string[] = []): readonly string[] => given.map((path) => resolve(cwd, path));
  const namespace = options.namespace ?? 'default';
  const resolved = resolveProject({
    crds: paths(options.crds),
    manifests: paths(options.manifests),
    process: started,
    namespace,
    deployment: options.deployment,
    authorization: options.authorization,
    builtIn: context.builtInKinds,
  });
  const samplePaths = paths(options.samples);
  if (samplePaths.length === 0) {
    throw new HarnessError(
      'CONFIG_INVALID',
      'got no sample, expected objects to start from; pass a YAML file with --sample',
    );
  }
  const { crds, process } = resolved;
  const loaded = loadSamples(samplePaths, crds, context.builtInKinds);
  const { project, samples, warnings } =
    resolved.project === null
      ? { project: null, samples: loaded, warnings: [] }
      : settleDoubles(resolved.project, loaded, namespace);
  const defined = crds.map(({ metadata }) => metadata.name ?? '');
  const resources = (name: string): boolean => context.builtInResources.has(name) || defined.includes(name);
  checkPredicates(options, resources, defined);
  const cluster = clusterOf(options);
  const inRealTime = started !== null || cluster !== 'embedded';
  const replicasMax = options.replicas ?? (options.leaderElection === true ? 2 : 1);
  const circumstances = { cwd, isProcess: inRealTime, isCommand: started !== null, replicasMax } as const;
  const chosen = chosenFaults(options, circumstances);
  return {
    configFile: context.configFile,
    target,
    process: started === null && inRealTime ? moduleAsProcess(target, usesEffects(options)) : process,
    cluster,
    existing: existingOf({ ...options, cluster }, cwd),
    kind: resolveKind(options.kind, cwd),
    transport: options.transport ?? 'http-library',
    crds,
    samples,
    project,
    namespace,
    properties: chosenProperties(options, context),
    writers: switchedOn(options.writers, context.writers, 'writers'),
    faults: chosen.faults,
    toxiproxy: chosen.toxiproxy,
    budget: chosenBudget(options.budget ?? DEFAULT_BUDGET),
    warm: forProcess('warm', options.warm, started),
    seed: options.seed ?? context.freshSeed(),
    stopAfter: options.stopAfter ?? Number.POSITIVE_INFINITY,
    reportDir: resolve(cwd, options.reportDir ?? '.stalemate'),
    corpus: resolveCorpus(options, cwd, context.configFile),
    baseline: resolveBaseline(options, cwd),
    waivers: resolveWaivers(options, {
      properties: [...context.properties, ...ownProperties(options)].map((property) => property.name),
      writers: context.writers,
      resources,
      today: context.today,
    }),
    declared: resolveDeclarations(options, resources),
    warnings: [...resolved.warnings, ...warnings, ...chosen.warnings],
    settings: {
      stepsMax: options.stepsMax ?? STEPS_MAX,
      settleWindowMs: options.settleWindowMs ?? (inRealTime ? SETTLE_WINDOW_WALL_MS : SETTLE_WINDOW_MS),
      settleStepsMax: options.settleStepsMax ?? SETTLE_STEPS_MAX,
      garbageCollection: options.garbageCollection ?? true,
      namespaceController: options.namespaceController ?? true,
      ...workloadsOf(options, started !== null),
      replicasMax,
      ...(forProcess('serialised', options.serialised, started) ? { serialised: true } : {}),
      ...(usesEffects(options) ? { effects: true as const } : {}),
    },
  };
}

/** All of the catalogue and of the user's own, unless the configuration lists some or the command line names some. */
function chosenProperties(options: StalemateOptions, context: ResolveContext): readonly Property[] {
  const own = ownProperties(options);
  const known = [...context.properties, ...own];
  const find = (name: string): Property => {
    const found = known.find((candidate) => candidate.name === name || candidate.id === name);
    if (found !== undefined) return found;
    const choice = known.map((candidate) => candidate.name).join(', ');
    throw new HarnessError('CONFIG_INVALID', `got property "${name}", expected one of ${choice}`);
  };
  if (context.only.length > 0) return [...new Set(context.only.map(find))];
  if (options.properties === undefined) return known;
  const listed = options.properties.map((item) => (typeof item === 'string' ? find(item) : item));
  return [...new Set([...listed, ...own])];
}

function chosenBudget(value: string | number): RunConfig['budget'] {
  const parsed = parseBudget(String(value));
  if (parsed !== undefined) return parsed;
  throw new HarnessError(
    'CONFIG_INVALID',
    `got budget "${value}", expected a time like "60s" or "5m", or a number of runs like "2000"`,
  );
}
