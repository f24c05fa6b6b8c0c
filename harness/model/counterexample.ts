/** The counterexample: everything needed to run a failure again, as a versioned file. */
import type { Transport } from 'stalemate-apiserver/client-node/transport';
import type { KubeletAnswers } from 'stalemate-apiserver/wire/declared-answers';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { Cause } from './cause.ts';
import type { ClusterKind, ClusterPart } from './cluster.ts';
import type { Signature } from './signature.ts';
import type { Confirmation } from './confirmation.ts';
import type { Schedule } from './schedule.ts';
import type { Workload } from './workload.ts';

export type CounterexampleTarget = ModuleTarget | CommandTarget;

/** A target that runs inside this process. */
export interface ModuleTarget {
  /** Module path relative to the counterexample's working directory, with forward slashes. */
  readonly module: string;
  /** The transport of the target's API calls. */
  readonly transport: Transport;
}

/** A process target, as stored. */
export interface CommandTarget extends Partial<ProcessManner> {
  /** Program (or image) and arguments; the placeholders `{kubeconfig}`, `{namespace}` and `{port}` are filled in by each run. */
  readonly command: readonly string[];
  /** The working directory, relative to that of the counterexample, with forward slashes. */
  readonly directory: string;
  /** Programs that run together with the target's own, by name. */
  readonly programs?: { readonly [name: string]: StoredProgram };
}

/** A program beside the target's own, as stored. */
export interface StoredProgram extends Partial<ProgramStart> {
  /** See {@link CommandTarget.command}. */
  readonly command: readonly string[];
  /** See {@link CommandTarget.directory}. */
  readonly directory: string;
}

/** The readiness condition of a process. */
export interface ProgramStart {
  /** `quiet`, `url:…`, `log:…` or `watch:…`. */
  readonly ready: string;
  /** The time limit for readiness; after it the process counts as failed. */
  readonly readyWithinMs: number;
}

/** How a process is started and stopped, apart from its command. */
export interface ProcessManner extends ProgramStart {
  readonly network: Network;
  /** The time between SIGTERM and SIGKILL at the end of a run; 0 kills at once. */
  readonly graceMs: number;
  /** The address of its Prometheus metrics, from which reconciles are counted; empty for none. */
  readonly metrics: string;
  /** True if it runs as a pod of a kind cluster; the first word of its command is then an image. */
  readonly inCluster: boolean;
  readonly time: ProgramTime;
}

/** The network of a process: only its own loopback interface (where the host permits that), or the host's network. */
export type Network = 'none' | 'host';

/**
 * The files that a process sees: the system's and a disposable copy of its project (where the host permits that), or all files of the host.
 */
export type FileSystem = 'own' | 'host';

/** The clock of a process: real, or virtual time that jumps ahead whenever the process only waits (where the host permits that). */
export type ProgramTime = 'real' | 'virtual';

/** A process target, as started. */
export interface ProcessTarget extends ProcessManner {
  /** See {@link CommandTarget.command}. */
  readonly command: readonly string[];
  /** The working directory, an absolute path. */
  readonly cwd: string;
  /** Variables added to the clean environment. Never stored: they may hold secrets. */
  readonly env: { readonly [name: string]: string };
  /** Never stored: a file must not decide what a program can access. */
  readonly fileSystem: FileSystem;
  /** Programs that run beside the target's own, by name: parts of the target with incarnations of their own. */
  readonly programs?: { readonly [name: string]: ProgramBeside };
}

/** A program beside the target's own, as started. All settings that are not listed here are those of the target's own program. */
export interface ProgramBeside extends ProgramStart, Pick<ProcessTarget, 'command' | 'cwd' | 'env'> {}

/**
 * `http-library`: client-node's HTTP library is replaced for API calls, watches use the dispatcher. `dispatcher`: client-node is
 * unmodified. Both leave the target's own code unchanged.
 */
export type { Transport } from 'stalemate-apiserver/client-node/transport';

/** The manifests that a project ships besides its CRDs; applied before each run. */
export interface ProjectManifests {
  /** The objects, in the order of the files. */
  readonly objects: readonly KubeObject[];
  /** `rbac`: the target may do only what the roles in the manifests grant its service account. */
  readonly authorization: 'rbac' | 'allow-all';
  /** The workload that runs the target, `Deployment/namespace/name`; its service account, environment, files and ports are used. */
  readonly workload?: string;
}

export interface Counterexample {
  readonly version: 1;
  readonly kind: 'counterexample';
  readonly signature: Signature;
  /** Absent in files that were written before causes existed. */
  readonly cause?: Cause;
  readonly sentence: string;
  readonly target: CounterexampleTarget;
  readonly namespace: string;
  /** The kind of cluster; default: the embedded server. */
  readonly cluster?: ClusterKind;
  readonly crds: readonly KubeObject[];
  readonly project?: ProjectManifests;
  readonly workload: Workload;
  readonly schedule: Schedule;
  /** The part of the resolved configuration that affects a run. */
  readonly config: RunSettings;
  /** The versions of stalemate and Node that found the failure. */
  readonly foundWith: { readonly stalemate: string; readonly node: string };
  /** Whether the failure was reproduced on a real API server; absent if that was not tried. */
  readonly confirmed?: Confirmation;
}

/** Resolved settings that affect the history of a run. */
export interface RunSettings {
  /** The root seed of all random values inside the run (ids, and randomness that the target uses). */
  readonly seed: number;
  readonly stepsMax: number;
  readonly settleWindowMs: number;
  readonly settleStepsMax: number;
  readonly garbageCollection: boolean;
  readonly namespaceController: boolean;
  /**
   * Whether pods, workloads and volume claims become ready, and how fast in run time. `auto`: those that the target creates and reads
   * become ready fast. Default: off.
   */
  readonly workloads?: 'auto' | 'off' | 'fast' | 'slow';
  /** Workload resources that no environment controller simulates, because the target controls them itself. */
  readonly workloadsExcept?: readonly string[];
  /** Cluster controllers that run as real components on envtest; elsewhere, and by default, stalemate simulates them. */
  readonly with?: readonly ClusterPart[];
  readonly replicasMax: 1 | 2;
  /**
   * True if the requests that a process sends before it comes to rest are sorted by label. The process counts as at rest only
   * after it has had time for its first retries, so that these are sorted too.
   */
  readonly serialised?: boolean;
  /** Present if the target gets a store for external resources, outside the cluster. */
  readonly effects?: true;
  /** The declared responses of pods and services on the embedded server. */
  readonly answers?: KubeletAnswers;
}
