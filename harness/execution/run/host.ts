/** What a run stands on, and what it can ask of a life of the target: kept by whatever is in `hosts/`. */
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

/** One life of the target. */
export interface Incarnation {
  /** Cuts its transport and its timers for ever. */
  crash(): void;
  /** Asks it to end by itself; absent where it cannot be asked. Its end is told like any other. */
  stop?(): void;
  /** Makes it stand still, and go on; absent where that cannot be done. */
  pause?(): void;
  resume?(): void;
  /** Looks at it from outside; absent where there is nothing to see. */
  look?(): Promise<Reading | undefined>;
  /** False until it is what its author calls started; absent where nobody can tell. */
  readonly ready?: boolean;
}

/** Starts one life of the target, talking to `upstream` as `actor`. Nothing is told before it has returned. */
export type Launch = (
  actor: ActorId,
  upstream: Upstream,
  tell: (kind: ProcessEventKind, detail: string) => void,
) => Incarnation;

/** What a target that is a process can reach. */
export interface Containment {
  readonly network: Network;
  /** What the user has to know when it is not what was asked for. */
  readonly warning: string | null;
  /** Webhooks of its own that never answered, and what it listens on instead. */
  readonly unanswered?: string | undefined;
}

/** What a host sees of the run that uses it. */
export interface RunOnHost {
  readonly gate: Gate;
  readonly recorder: Recorder;
  /** What arrives between two moments of rest is put into the order of labels. */
  readonly serialised: boolean;
  /** The server has changed something. */
  committed(change: ObservedChange): void;
}

/** Lives as long as the worker, and is borrowed for one run at a time. */
export interface Host {
  /** How runs are made here, and what is done with them. */
  readonly mode: RunMode;
  readonly time: RunClock;
  readonly pace: Pace;
  /** A run begins, to which everything is passed on that happens here; the returned function says that it is over. */
  readonly begin: (run: RunOnHost) => () => void;
  /** Resolves when nothing moves any more. */
  readonly drain: (run: RunOnHost) => Promise<void>;
  /** How long that has taken so far, in ms of real time, where the target is a process of its own. */
  readonly drainMs: number;
  /** What the target does in that work that nobody can control, as far as it lives in this process. */
  readonly watch: (work: () => Promise<unknown>) => Promise<readonly UncontrolledUse[]>;
  /** Measures in that work how rest is recognised, where that is not known. Resolves with the turns that are waited for. */
  readonly calibrate: (work: () => Promise<unknown>) => Promise<number>;
  readonly launch: Launch;
  /** The programs of the target beside its own. */
  readonly beside: readonly ActorId[];
  /** Resolves when nothing is left of the lives that have ended. */
  readonly cleared: () => Promise<void>;
  readonly cluster: Cluster;
  /** Who the target is to the server; an administrator when absent. */
  readonly identity: UserInfo | undefined;
  readonly environment: (
    port: (actor: ActorId) => Upstream,
    run: Omit<RunFacts, 'now' | 'reads'>,
  ) => readonly EnvironmentController[];
  /** The resources that the target has been seen to read in runs without a schedule. */
  readonly reads: Set<string>;
  /** Sets the ids that the server and the target draw in the next run. */
  readonly reseed: (random: Random) => void;
  /** What the namespaces are called on this cluster. */
  readonly places: Places;
  /** Whether nothing may run beside a run: on a cluster that is not ours, names outside of namespaces are everybody's. */
  readonly isAlone: () => boolean;
  /** What was found out about the cluster that the user should know. */
  readonly warnings: () => readonly string[];
  /** Another host for the same target, for runs beside one that still stands; this one where hosts share a clock. */
  readonly sibling: () => Promise<Host>;
  /** Only one run at a time is possible here: a sibling, if it is another host, has another kind of cluster. */
  readonly isSingle: boolean;
  /** Absent for a target that lives in this process. */
  readonly containment?: Containment;
  /** What happens to connections. */
  readonly disturbance: Disturbance;
}
