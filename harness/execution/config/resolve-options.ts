/**
 * Resolves the user's options to a {@link RunConfig} without optional fields.
 *
 * Owns: the defaults. Does not own: manifests (`project/manifests.ts`), the catalogue of properties and writers, which the caller supplies.
 */
import { resolve } from 'node:path';
import { resolveKind } from './kind-options.ts';
import type { Property } from '../../oracle/property.ts';
import { loadSamples } from '../project/manifests.ts';
import { answersOf, unansweredThere } from './answers.ts';
import { parseBudget } from './budget.ts';
import { resolveFindings } from './config-findings.ts';
import { chosenFaults, switchedOn } from './chosen-faults.ts';
import { checkPredicates } from './predicates.ts';
import { settleDoubles } from '../project/sample-wins.ts';
import { resolveProject } from '../project/resolve.ts';
import type { RunConfig } from './run-config.ts';
import {
  clusterOf,
  existingOf,
  forProcess,
  moduleAsProcess,
  processOf,
  targetModule,
  usesEffects,
  partsOf,
  workloadsOf,
} from './target-options.ts';
import { ownProperties, type StalemateOptions } from './options.ts';
import { meantText } from '../../model/similar.ts';
import { configInvalid } from '../config-invalid.ts';

/** The environment in which options are resolved. */
export interface ResolveContext {
  readonly cwd: string;
  readonly configFile: string | null;
  /** Names of the properties to judge, from the command line; if empty, the properties in the options are used. */
  readonly only: readonly string[];
  /** All properties of the catalogue. */
  readonly properties: readonly Property[];
  /** The names of all writers. */
  readonly writers: readonly string[];
  /** The kinds that the API server knows without a CRD, as `apiVersion/Kind`. */
  readonly builtInKinds: ReadonlySet<string>;
  /** The same kinds as resources, such as `pods`, `deployments.apps`. */
  readonly builtInResources: ReadonlySet<string>;
  /** Draws a seed if none is given. */
  readonly freshSeed: () => number;
  /** The day on which waivers must be valid, such as `2026-11-22`. */
  readonly today: string;
  /** Set while the samples are still being determined, so that none is required yet. */
  readonly samplesLater?: boolean;
}

const DEFAULT_BUDGET = '60s';
/**
 * Longer than client-go's back-off after eight failures (5 ms · 2⁸), shorter than the 30 s after which client-node reopens its watches:
 * waiting for that in every run would halve the rate of runs. Suspects get as much time as their back-offs require.
 */
export const SETTLE_WINDOW_MS: number = 10_000;
/**
 * The settle window of a target process, whose waits cost real time. Suspects get more time, which shows what such a process does later.
 */
export const SETTLE_WINDOW_WALL_MS: number = 500;
/** A converged controller needs tens of requests; a spinning one reaches this within milliseconds. */
const SETTLE_STEPS_MAX = 800;
/** A run has about 50 items; a run with more than a few hundred shows nothing new. */
const STEPS_MAX = 400;

/**
 * Resolves options: applies every default and loads every file.
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
    elects: options.leaderElection === true || options.replicas === 2,
    builtIn: context.builtInKinds,
  });
  const samplePaths = paths(options.samples);
  if (samplePaths.length === 0 && context.samplesLater !== true) {
    throw configInvalid('got no sample, expected objects to start from; pass a YAML file with --sample');
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
  const answers = answersOf(options.answers, cwd);
  return {
    cwd: resolve(cwd),
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
    needsLock: options.leaderElection === true && options.replicas === undefined,
    toxiproxy: chosen.toxiproxy,
    budget: chosenBudget(options.budget ?? DEFAULT_BUDGET),
    seed: options.seed ?? context.freshSeed(),
    stopAfter: options.stopAfter ?? Number.POSITIVE_INFINITY,
    reportDir: resolve(cwd, options.reportDir ?? '.stalemate'),
    ...resolveFindings(options, {
      ...{ cwd, configFile: context.configFile, writers: context.writers, today: context.today, resources },
      properties: [...context.properties, ...ownProperties(options)].map((property) => property.name),
    }),
    warnings: [...resolved.warnings, ...warnings, ...chosen.warnings, ...unansweredThere(answers, cluster)],
    settings: {
      stepsMax: options.stepsMax ?? STEPS_MAX,
      settleWindowMs: options.settleWindowMs ?? (inRealTime ? SETTLE_WINDOW_WALL_MS : SETTLE_WINDOW_MS),
      settleStepsMax: options.settleStepsMax ?? SETTLE_STEPS_MAX,
      garbageCollection: options.garbageCollection ?? true,
      namespaceController: options.namespaceController ?? true,
      ...workloadsOf(options, started !== null),
      ...partsOf(options),
      replicasMax,
      ...(forProcess('serialised', options.serialised, started) ? { serialised: true } : {}),
      ...(usesEffects(options) ? { effects: true as const } : {}),
      ...(answers === undefined ? {} : { answers }),
    },
  };
}

/**
 * Returns the properties of the catalogue and the user's own, or those that the command line names; catalogue names in the configuration
 * replace the whole catalogue.
 */
function chosenProperties(options: StalemateOptions, context: ResolveContext): readonly Property[] {
  const own = ownProperties(options);
  const known = [...context.properties, ...own];
  const find = (name: string): Property => {
    const found = known.find((candidate) => candidate.name === name || candidate.id === name);
    if (found !== undefined) return found;
    const names = known.map((candidate) => candidate.name);
    throw configInvalid(`got property "${name}", expected one of ${names.join(', ')}${meantText(name, names)}`);
  };
  if (context.only.length > 0) return [...new Set(context.only.map(find))];
  const listed = (options.properties ?? []).map((item) => (typeof item === 'string' ? find(item) : item));
  // Adding a custom property does not deselect the catalogue.
  const isNone = options.properties?.length === 0;
  const narrowed = isNone || listed.some(({ name }) => context.properties.some((property) => property.name === name));
  // Deduplicated by name, because a configuration may import the catalogue's properties from another copy of stalemate.
  const chosen = (narrowed ? [...listed, ...own] : known).map((property) => [property.name, property] as const);
  return [...new Map(chosen).values()];
}

function chosenBudget(value: string | number): RunConfig['budget'] {
  const parsed = parseBudget(String(value));
  if (parsed !== undefined) return parsed;
  throw configInvalid(`got budget "${value}", expected a time like "60s" or "5m", or a number of runs like "2000"`);
}
