/** The counterexample: all it takes to run a failure again, as a versioned file. */
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

/** A target that lives in this process. */
export interface ModuleTarget {
  /** Module path relative to the counterexample's working directory, with forward slashes. */
  readonly module: string;
  /** How the target's API calls travel. */
  readonly transport: Transport;
}

/** A target that is a process, as it is stored. */
export interface CommandTarget extends Partial<ProcessManner> {
  /** Program, or image, and arguments; `{kubeconfig}`, `{namespace}` and `{port}` stand for what a run gives a program. */
  readonly command: readonly string[];
  /** Where it is started, relative to the counterexample's working directory, with forward slashes. */
  readonly directory: string;
  /** What runs beside it, by name. */
  readonly programs?: { readonly [name: string]: StoredProgram };
}

/** A program beside the target's own, as it is stored. */
export interface StoredProgram extends Partial<ProgramStart> {
  /** As {@link CommandTarget.command}. */
  readonly command: readonly string[];
  /** As {@link CommandTarget.directory}. */
  readonly directory: string;
}

/** When a process counts as started. */
export interface ProgramStart {
  /** `quiet`, `url:…`, `log:…` or `watch:…`. */
  readonly ready: string;
  /** One that is not ready by then never will be. */
  readonly readyWithinMs: number;
}

/** How a process is started and ended, beside its command. */
export interface ProcessManner extends ProgramStart {
  readonly network: Network;
  /** At the end of a run it is asked to end (SIGTERM) and killed after so long; 0: killed at once. */
  readonly graceMs: number;
  /** Where it tells Prometheus how often it reconciled; empty for nowhere. */
  readonly metrics: string;
  /** It runs as a pod of a kind cluster; the first word of its command is an image then. */
  readonly inCluster: boolean;
  readonly time: ProgramTime;
}

/** What a process can reach: a loopback interface of its own and nothing else (where the host permits that), or all that the host can. */
export type Network = 'none' | 'host';

/** Which files a process sees: the system's, and its project in a copy that is discarded (where the host permits that), or all of the host's. */
export type FileSystem = 'own' | 'host';

/** How time passes for a process: as on the wall, or in jumps wherever it only waits (where the host permits that). */
export type ProgramTime = 'real' | 'virtual';

/** A target that is a process, as it is started. */
export interface ProcessTarget extends ProcessManner {
  /** As {@link CommandTarget.command}. */
  readonly command: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** Beside the clean environment. Never stored: it may hold secrets. */
  readonly env: { readonly [name: string]: string };
  /** Never stored: a file does not decide what a program can reach. */
  readonly fileSystem: FileSystem;
  /** What runs beside it, by name: a part of the target, with lives of its own. */
  readonly programs?: { readonly [name: string]: ProgramBeside };
}

/** A program beside the target's own, as it is started. All that is not named here is as for the target's own. */
export interface ProgramBeside extends ProgramStart, Pick<ProcessTarget, 'command' | 'cwd' | 'env'> {}

/**
 * `http-library`: client-node's HTTP library replaced for API calls, watches on the dispatcher. `dispatcher`: client-node wholly
 * unmodified. Both leave the target's own code untouched.
 */
export type { Transport } from 'stalemate-apiserver/client-node/transport';

/** What a project ships beside its CRDs: on the server before each run. */
export interface ProjectManifests {
  /** As they stand in its files. */
  readonly objects: readonly KubeObject[];
  /** `rbac`: the target may do what the roles among them grant its service account. */
  readonly authorization: 'rbac' | 'allow-all';
  /** Which of them the target is, `Deployment/namespace/name`: its service account, environment, files and ports. */
  readonly workload?: string;
}

export interface Counterexample {
  readonly version: 1;
  readonly kind: 'counterexample';
  readonly signature: Signature;
  /** Absent in files from before causes. */
  readonly cause?: Cause;
  readonly sentence: string;
  readonly target: CounterexampleTarget;
  readonly namespace: string;
  /** The kind of cluster; default the embedded server. */
  readonly cluster?: ClusterKind;
  readonly crds: readonly KubeObject[];
  readonly project?: ProjectManifests;
  readonly workload: Workload;
  readonly schedule: Schedule;
  /** The part of the resolved configuration that affects a run. */
  readonly config: RunSettings;
  /** Versions it was found with. */
  readonly foundWith: { readonly stalemate: string; readonly node: string };
  /** Whether it reproduced on a real API server; absent if it was not tried. */
  readonly confirmed?: Confirmation;
}

/** Settings of a run that change its history, resolved. */
export interface RunSettings {
  /** Root seed of everything drawn inside the run (ids, randomness the target sees). */
  readonly seed: number;
  readonly stepsMax: number;
  readonly settleWindowMs: number;
  readonly settleStepsMax: number;
  readonly garbageCollection: boolean;
  readonly namespaceController: boolean;
  /**
   * Whether pods, workloads and volume claims become ready, and how soon in run time. `auto`: those that the target makes and looks at,
   * fast. Default off.
   */
  readonly workloads?: 'auto' | 'off' | 'fast' | 'slow';
  /** Real cluster controllers on envtest; elsewhere, and by default, stalemate does their work. */
  readonly with?: readonly ClusterPart[];
  readonly replicasMax: 1 | 2;
  /** What a process has sent before it came to rest happens in the order of labels, and it is given its first retries before that. */
  readonly serialised?: boolean;
  /** The target is given a store outside the cluster. */
  readonly effects?: true;
  /** What pods and services answer on the embedded server. */
  readonly answers?: KubeletAnswers;
}
