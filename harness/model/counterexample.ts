/** The counterexample: all it takes to run a failure again, as a versioned file. */
import type { Signature } from './check-result.ts';
import type { KubeObject } from './object.ts';
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
export interface CommandTarget {
  /** Program and arguments; `{kubeconfig}`, `{namespace}` and `{port}` stand for what a run gives it. */
  readonly command: readonly string[];
  /** Where it is started, relative to the counterexample's working directory, with forward slashes. */
  readonly directory: string;
}

/** A target that is a process, as it is started. */
export interface ProcessTarget {
  /** As {@link CommandTarget.command}. */
  readonly command: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** Beside the clean environment. Never stored: it may hold secrets. */
  readonly env: { readonly [name: string]: string };
}

/**
 * `http-library`: client-node's HTTP library replaced for API calls, watches on the dispatcher. `dispatcher`: client-node wholly
 * unmodified. Both leave the target's own code untouched.
 */
export type Transport = 'http-library' | 'dispatcher';

export interface Counterexample {
  readonly version: 1;
  readonly kind: 'counterexample';
  readonly signature: Signature;
  readonly sentence: string;
  readonly target: CounterexampleTarget;
  readonly namespace: string;
  readonly crds: readonly KubeObject[];
  readonly workload: Workload;
  readonly schedule: Schedule;
  /** Everything of the resolved configuration that changes what a run does. */
  readonly config: RunSettings;
  /** Versions it was found with. */
  readonly foundWith: { readonly stalemate: string; readonly node: string };
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
  readonly replicasMax: 1 | 2;
}
