/** The user's options, from a file or the command line, with error messages that name the file and the field. */
import { z } from 'zod';
import type { KubeletAnswers } from 'stalemate-apiserver/wire/declared-answers';
import { isRecord } from 'stalemate-apiserver/objects/json';
import { isMetricsUrl, METRICS_FORM } from '../../actors/process/prometheus.ts';
import { parseReadiness, READINESS_FORMS } from '../../actors/process/readiness.ts';
import { CLUSTER_WRITE_FORM, isClusterWrite } from '../../clusters/existing/cluster-writes.ts';
import { PREFIX, PREFIX_FORM } from '../../clusters/existing/prefix.ts';
import { CLUSTERS, PARTS, type ClusterKind, type ClusterPart } from '../../model/cluster.ts';
import type { KindOptions } from '../../model/kind-options.ts';
import type { FileSystem, Network, ProgramTime, Transport } from '../../model/counterexample.ts';
import type { CONNECTION } from '../../model/fault-kinds.ts';
import type { FaultKind } from '../../model/schedule.ts';
import { meantText } from '../../model/similar.ts';
import type { Property } from '../../oracle/property.ts';
import { answersSchema } from '../../schedule/codec/answers.ts';
import { describeIssues } from '../../schedule/codec/issues.ts';
import { kindSchema } from './kind-options.ts';
import { parseBudget } from './budget.ts';
import { findingOptions, type FindingOptions } from './config-findings.ts';
import type { CelClaim } from './cel-claims.ts';
import { always, eventually, sometimes } from './predicates.ts';
import type { Predicate } from './predicate.ts';
import { configInvalid } from '../config-invalid.ts';

/**
 * An additional program of the target. Settings that are not listed here are those of `command`: its files, the variables of its pod, its
 * service account.
 */
export interface ProgramOptions {
  /** Program and arguments, with the same placeholders as `command`. */
  readonly command: readonly string[];
  /** Working directory of the program; default: that of stalemate. */
  readonly directory?: string;
  readonly env?: { readonly [name: string]: string };
  /** When the program counts as started: `quiet` (default), `url:…`, `log:…` or `watch:…`. */
  readonly ready?: string;
  /** Time limit for becoming ready, after which the program has failed; default 30 s. */
  readonly readyWithinMs?: number;
}

/** The user's options. Paths are relative to the configuration file, or to the working directory on the command line. */
export interface StalemateOptions extends FindingOptions {
  /** Module of the target: its default export receives a `KubeConfig` and starts the controller. */
  readonly target?: string;
  /**
   * The target as a process, instead of a module: program and arguments, with `{kubeconfig}`, `{namespace}`, `{port}`, `{port:NAME}`,
   * `{files}`, `{certs}` and `{effects}`.
   */
  readonly command?: readonly string[];
  /**
   * The target as a pod inside a kind cluster: an image that the container engine has; `command` holds its arguments. Default, if
   * `cluster` is `kind` and there is neither `target` nor `command`: the image of the manifests' Deployment.
   */
  readonly image?: string;
  /** Working directory of `command`; default the working directory of stalemate. */
  readonly directory?: string;
  /** Environment variables of `command`, in addition to the few that every program gets. */
  readonly env?: { readonly [name: string]: string };
  /**
   * The network of `command`: `none` (default) is a separate loopback interface, if the system permits it; `host` is the host's network.
   */
  readonly network?: Network;
  /**
   * Files that `command` sees: `own` (default) is the system and a disposable copy of the project, if the system permits it; `host` is all
   * files of the host.
   */
  readonly fileSystem?: FileSystem;
  /**
   * The clock of `command`: `virtual` (default), where waiting takes no real time; or `real`. Virtual time needs the embedded server
   * without toxiproxy, and Linux on x86-64 with namespaces; otherwise real time is used.
   */
  readonly time?: ProgramTime;
  /** When `command` counts as started: `quiet` (default), `url:…`, `log:…` or `watch:…`. */
  readonly ready?: string;
  /** Time limit for `command` to become ready, after which it has failed; default 30 s. */
  readonly readyWithinMs?: number;
  /** Time that `command` gets to exit after SIGTERM at the end of a run; default 0: it is killed at once. */
  readonly graceMs?: number;
  /** The Prometheus endpoint of `command`, from which reconciles are counted: `http://127.0.0.1:{port:metrics}/metrics`. */
  readonly metrics?: string;
  /**
   * Programs that run beside `command`, by name: part of the target, each with its own incarnations, clock and network. Stories call
   * them `controller:NAME`.
   */
  readonly programs?: { readonly [name: string]: ProgramOptions };
  /** Files or folders with CustomResourceDefinitions. */
  readonly crds?: readonly string[];
  /** Files or folders with the objects that a run starts from. */
  readonly samples?: readonly string[];
  /** Namespace of samples that name none; default `default`. */
  readonly namespace?: string;
  /** Files or folders with the project's manifests: kustomize or helm output, kustomizations, plain manifests. */
  readonly manifests?: readonly string[];
  /** The Deployment of the manifests that is the target, if there are several. */
  readonly deployment?: string;
  /** Whether the roles in the manifests are enforced for the target; default: yes, if the manifests bind any. */
  readonly authorization?: 'rbac' | 'allow-all';
  /**
   * The API server: the embedded one (default), a real one from envtest's binaries or in kind, or an existing one that the options name.
   */
  readonly cluster?: ClusterKind;
  /** Real cluster controllers, if `cluster` is `envtest`; default: none, stalemate simulates them. */
  readonly with?: readonly ClusterPart[];
  /** How a kind cluster is created, if `cluster` is `kind`. */
  readonly kind?: KindOptions;
  /** The kubeconfig of an `existing` cluster; stalemate never searches for one. */
  readonly kubeconfig?: string;
  /** The context in that kubeconfig; default: its current context. */
  readonly context?: string;
  /** Contexts that are allowed, whatever cluster they refer to; rejected in a project's file. */
  readonly allowContexts?: readonly string[];
  /** Clusters that are allowed, by the uid of their kube-system namespace; rejected in a project's file. */
  readonly allowClusters?: readonly string[];
  /** Prefix of the namespaces that are created on an `existing` cluster; default `stalemate`. */
  readonly namespacePrefix?: string;
  /**
   * Cluster-scoped objects that the target may create on an `existing` cluster, besides custom resources of `crds`, as `KIND=NAME`:
   * `clusterroles.rbac.authorization.k8s.io=widgets-*`; default: nothing.
   */
  readonly allowClusterWrites?: readonly string[];
  /**
   * Names from `stalemate list properties`, to check only these (default: all), and your own properties, which are added; with an empty
   * list, only your own claims are checked.
   */
  readonly properties?: readonly (string | Property)[];
  /** Claims about every version of every object. */
  readonly always?: readonly (Predicate | CelClaim)[];
  /** Claims about the objects at rest. */
  readonly eventually?: readonly (Predicate | CelClaim)[];
  /** States that must occur at least once in a campaign; otherwise the campaign is vacuous. */
  readonly sometimes?: readonly (Predicate | CelClaim)[];
  /** Kinds of adversarial writers, by name: `false` switches one off. */
  readonly writers?: { readonly [name: string]: boolean };
  /**
   * Kinds of faults, by name: `false` switches one off. `connection: true` enables all faults that need toxiproxy; their names enable
   * individual ones.
   */
  readonly faults?: { readonly [kind in FaultKind | typeof CONNECTION]?: boolean };
  /** The toxiproxy server for connection faults; default: the one on PATH, or the one that stalemate has built. */
  readonly toxiproxy?: string;
  /** `60s`, `5m`, or a number of runs; default `60s`. */
  readonly budget?: string | number;
  /**
   * For processes with one connection: sorts the requests that they send before they come to rest by label. This is slower, but replays
   * hardly ever differ.
   */
  readonly serialised?: boolean;
  /** Root seed; drawn at random if absent. */
  readonly seed?: number;
  /** Ends the campaign after this many different findings. */
  readonly stopAfter?: number;
  /** Folder for counterexamples and records; default `.stalemate`. */
  readonly reportDir?: string;
  readonly transport?: Transport;
  /** The target elects a leader, so a second replica may be started, provided that undisturbed runs show the target taking a lock. */
  readonly leaderElection?: boolean;
  /** 2: a second replica may be started, whether or not the target takes a lock. */
  readonly replicas?: 1 | 2;
  /** The target keeps state outside the cluster and gets a store for it; on by default if a command contains `{effects}`. */
  readonly effects?: boolean;
  /** Time without activity after which a run counts as settled; default 10 s of virtual time, half a second for a `command`. */
  readonly settleWindowMs?: number;
  /** Number of gate items after which the run stops waiting for the target to settle. */
  readonly settleStepsMax?: number;
  /** Maximum number of gate items in the contention phase of a run. */
  readonly stepsMax?: number;
  /**
   * Answers of pods and services on the embedded server, which has no kubelet: output of commands, logs, servers on ports; or a file that
   * contains them.
   */
  readonly answers?: KubeletAnswers | string;
  readonly garbageCollection?: boolean;
  readonly namespaceController?: boolean;
  readonly environment?: {
    /**
     * Whether pods, Deployments, StatefulSets, Jobs, volume claims and load balancers become ready, without a kubelet: not at all (`off`),
     * soon (`fast`), or late (`slow`). `auto`, the default for a command: the resources that the target creates and reads become ready
     * soon. Default for a module: `off`.
     */
    readonly workloads?: 'auto' | 'off' | 'fast' | 'slow';
    /**
     * Workload resources that the target itself manages in place of the cluster's own controller: `jobs.batch`, `persistentvolumeclaims`.
     */
    readonly except?: readonly string[];
  };
}

/** Returns its argument unchanged, so that the compiler checks the types in `stalemate.config.ts`. */
export function defineConfig(options: StalemateOptions): StalemateOptions {
  return options;
}

const property = z.custom<Property>(
  (value) => isRecord(value) && typeof value['name'] === 'string' && typeof value['check'] === 'function',
  'expected a name from `stalemate list properties` or an object with name and check',
);
/** @internal */
export const predicateSchema: z.ZodType<Predicate | CelClaim> = z.custom<Predicate | CelClaim>(
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

const ready = z
  .string()
  .refine((text) => parseReadiness(text) !== undefined, { message: `expected ${READINESS_FORMS}` });
const programName = z.string().regex(/^[a-z][-a-z0-9]{0,30}$/, 'expected a name of small letters, digits and hyphens');
const programForm: z.ZodType<ProgramOptions> = z.strictObject({
  command: z.array(z.string()).min(1),
  directory: z.string().min(1).exactOptional(),
  env: z.record(z.string(), z.string()).exactOptional(),
  ready: ready.exactOptional(),
  readyWithinMs: z.number().min(1).exactOptional(),
});

/** @internal */
const optionsForm = z.strictObject({
  target: z.string().min(1).exactOptional(),
  command: z.array(z.string()).min(1).exactOptional(),
  image: z.string().min(1).exactOptional(),
  directory: z.string().min(1).exactOptional(),
  env: z.record(z.string(), z.string()).exactOptional(),
  network: z.enum(['none', 'host']).exactOptional(),
  fileSystem: z.enum(['own', 'host']).exactOptional(),
  time: z.enum(['real', 'virtual']).exactOptional(),
  ready: ready.exactOptional(),
  readyWithinMs: z.number().min(1).exactOptional(),
  graceMs: z.number().min(0).exactOptional(),
  metrics: z
    .string()
    .refine(isMetricsUrl, { message: `expected ${METRICS_FORM}` })
    .exactOptional(),
  programs: z.record(programName, programForm).exactOptional(),
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
  with: z.array(z.enum(PARTS)).exactOptional(),
  kind: kindSchema.exactOptional(),
  kubeconfig: z.string().min(1).exactOptional(),
  context: z.string().min(1).exactOptional(),
  allowContexts: z.array(z.string()).exactOptional(),
  allowClusters: z.array(z.string()).exactOptional(),
  namespacePrefix: z.string().regex(PREFIX, PREFIX_FORM).exactOptional(),
  allowClusterWrites: z.array(z.string().refine(isClusterWrite, CLUSTER_WRITE_FORM)).exactOptional(),
  properties: z.array(z.union([z.string(), property])).exactOptional(),
  always: z.array(predicateSchema).exactOptional(),
  eventually: z.array(predicateSchema).exactOptional(),
  sometimes: z.array(predicateSchema).exactOptional(),
  writers: z.record(z.string(), z.boolean()).exactOptional(),
  faults: z.record(z.string(), z.boolean()).exactOptional(),
  toxiproxy: z.string().min(1).exactOptional(),
  budget: budget.exactOptional(),
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
  answers: z.union([z.string().min(1), answersSchema]).exactOptional(),
  garbageCollection: z.boolean().exactOptional(),
  namespaceController: z.boolean().exactOptional(),
  ...findingOptions,
  environment: z
    .strictObject({
      workloads: z.enum(['auto', 'off', 'fast', 'slow']).exactOptional(),
      except: z.array(z.string().min(1)).exactOptional(),
    })
    .exactOptional(),
});

export const optionsSchema: z.ZodType<StalemateOptions> = optionsForm;

/** Validates options. @throws {CONFIG_INVALID} naming `source` and the field. */
export function checkOptions(value: unknown, source: string): StalemateOptions {
  const checked = optionsSchema.safeParse(value ?? {});
  if (checked.success) return checked.data;
  throw configInvalid(`"${source}" is not valid, ${describeIssues(checked.error, value)}${meant(checked.error)}`, {
    details: { source },
  });
}

/** Returns a suggestion of a known field for an unknown one at the top level. */
function meant({ issues }: z.ZodError): string {
  const keys = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : [],
  );
  return keys.map((key) => meantText(key, Object.keys(optionsForm.shape))).find((text) => text !== '') ?? '';
}

/**
 * Returns the user's own claims and properties. They may contain functions, so a worker has to import the configuration again to get them.
 */
export function ownProperties(options: StalemateOptions): readonly Property[] {
  return [
    ...(options.properties ?? []).filter((property) => typeof property !== 'string'),
    ...(options.always ?? []).map(always),
    ...(options.eventually ?? []).map(eventually),
    ...(options.sometimes ?? []).map(sometimes),
  ];
}
