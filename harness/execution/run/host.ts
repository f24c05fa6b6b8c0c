/** The interface between a run and its host, which `hosts/` implements. */
import type { Upstream, UserInfo } from 'stalemate-apiserver/wire/http';
import type { Gate } from '../../gate/gate.ts';
import type { ObservedChange, Recorder } from '../../gate/recorder.ts';
import type { EnvironmentController } from '../../actors/environment/index.ts';
import type { RunFacts } from '../../actors/environment/in-run.ts';
import type { Cluster } from '../../clusters/cluster.ts';
import type { Disturbance } from '../../clusters/connections/disturbance.ts';
import type { Random } from '../../determinism/random.ts';
import type { RunClock } from '../../determinism/run-clock.ts';
import type { UncontrolledUse } from '../../determinism/uncontrolled.ts';
import type { ActorId } from '../../model/actor.ts';
import type { Network } from '../../model/counterexample.ts';
import type { ProcessEventKind, Reading } from '../../model/history.ts';
import type { Places } from './places.ts';
import type { Pace } from './pace.ts';
import type { RunMode } from './run-mode.ts';

/** One incarnation of the target. */
export interface Incarnation {
  /** Ends the incarnation's connections and timers for good. */
  crash(): void;
  /** Asks the incarnation to exit by itself; absent if it cannot be asked. Its exit is reported like any other. */
  stop?(): void;
  /** Pauses the incarnation until {@link resume}; both are absent if that is not possible. */
  pause?(): void;
  resume?(): void;
  /** Measures the incarnation from outside; absent if there is nothing to measure. */
  look?(): Promise<Reading | undefined>;
  /** False until the incarnation has started, as its author defines it; absent if that is unknown. */
  readonly ready?: boolean;
}

/**
 * Starts one incarnation of the target, which sends its requests to `upstream` as `actor`. `tell` is never called before the launch
 * returns. `copy` is 1 for a second copy beside a living one, and for the incarnations that take its place; it then has an identity of its
 * own.
 */
export type Launch = (
  actor: ActorId,
  upstream: Upstream,
  tell: (kind: ProcessEventKind, detail: string) => void,
  copy: number,
) => Incarnation;

/** The network access of a target that is a process. */
export interface Containment {
  readonly network: Network;
  /** A warning for the user if the network access differs from the requested one. */
  readonly warning: string | null;
  /** A message about the target's own webhooks that never answered, and the ports that it listens on instead. */
  readonly unanswered?: string | undefined;
}

/** The part of a run that its host uses. */
export interface RunOnHost {
  readonly gate: Gate;
  readonly recorder: Recorder;
  /** Whether items that arrive between two moments of rest are sorted by label. */
  readonly serialised: boolean;
  /** Called when the server has committed a change. */
  committed(change: ObservedChange): void;
}

/** Everything that the runs of a target share. A host lives as long as the worker, and serves one run at a time. */
export interface Host {
  /** How this kind of target is run and judged. */
  readonly mode: RunMode;
  readonly time: RunClock;
  readonly pace: Pace;
  /** Begins a run, which receives all events of this host; the returned function ends it. */
  readonly begin: (run: RunOnHost) => () => void;
  /** Resolves when the target and the server are at rest. */
  readonly drain: (run: RunOnHost) => Promise<void>;
  /** The real time that draining has taken so far, in ms, if the target is a separate process. */
  readonly drainMs: number;
  /** Performs `work` and resolves to the activity of the target that the harness could not control, if the target lives in this process. */
  readonly watch: (work: () => Promise<unknown>) => Promise<readonly UncontrolledUse[]>;
  /** Measures during `work` after how many quiet turns the target is at rest, unless that number is known. Resolves to the number. */
  readonly calibrate: (work: () => Promise<unknown>) => Promise<number>;
  readonly launch: Launch;
  /** The target's programs other than the main one. */
  readonly beside: readonly ActorId[];
  /** Resolves when the resources of ended incarnations have been cleaned up. */
  readonly cleared: () => Promise<void>;
  readonly cluster: Cluster;
  /** The user that the target authenticates as; an administrator if absent. */
  readonly identity: UserInfo | undefined;
  readonly environment: (
    port: (actor: ActorId) => Upstream,
    run: Omit<RunFacts, 'now' | 'reads'>,
  ) => readonly EnvironmentController[];
  /** The resources that the target has read in runs without a schedule. */
  readonly reads: Set<string>;
  /** Seeds the ids that the server and the target draw in the next run. */
  readonly reseed: (random: Random) => void;
  /** Maps the namespaces of a run to those on this cluster. */
  readonly places: Places;
  /** Reports whether runs must not be parallel: on an existing cluster, all users share the cluster-scoped names. */
  readonly isAlone: () => boolean;
  /** Returns warnings about the cluster for the user. */
  readonly warnings: () => readonly string[];
  /** Resolves to another host for the same target, for runs made while another run is still open; to this host if hosts share a clock. */
  readonly sibling: () => Promise<Host>;
  /** Whether only one run at a time is possible on this cluster: a separate sibling host then uses another kind of cluster. */
  readonly isSingle: boolean;
  /** Whether a sibling starts API servers of its own: lanes then share one sibling for runs made while another run is still open. */
  readonly isCostly: boolean;
  /** The target's network access; absent for a target in this process. */
  readonly containment?: Containment;
  /** Applies connection faults. */
  readonly disturbance: Disturbance;
}
