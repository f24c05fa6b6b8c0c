/**
 * The world of one run: the API server as it stood, the gate before it, the target's incarnations, the programs.
 *
 * Owns: what exists during a run and how one item happens. Does not own: which item (`pump.ts`), in which phases (`trial.ts`).
 */
import type { EnvironmentController } from '../actors/environment/index.ts';
import type { RunFacts } from '../actors/environment/in-run.ts';
import { runProgram, type ProgramContext } from '../actors/program.ts';
import type { Cluster } from '../clusters/cluster.ts';
import type { Disturbance } from '../clusters/connections/disturbance.ts';
import type { Quiescence } from '../determinism/quiescence.ts';
import type { Random } from '../determinism/random.ts';
import type { RunClock } from '../determinism/run-clock.ts';
import type { VirtualTime } from '../determinism/virtual-time.ts';
import { Gate } from '../gate/gate.ts';
import { Awaited } from './awaited.ts';
import { HeldLocks } from './held-locks.ts';
import type { Pace } from './pace.ts';
import type { Places } from './places.ts';
import { Naming } from '../gate/naming.ts';
import { Recorder, type ObservedChange } from '../gate/recorder.ts';
import type { ActorId } from '../model/actor.ts';
import { roleOf, WORKLOADS } from '../model/actor.ts';
import type { Network } from '../model/counterexample.ts';
import type { Measurement, ProcessEventKind, Reading, Revision } from '../model/history.ts';
import type { Choice, Item } from '../model/item.ts';
import { groupResource } from '../model/object.ts';
import { TIME } from '../model/schedule.ts';
import type { DrawnNames } from '../model/reference.ts';
import type { ObjectTarget, Program } from '../model/workload.ts';
import type { Upstream, UserInfo } from '../wire/http.ts';

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

/** Starts one life of the target, talking to `upstream` as `actor`. */
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
}

/** Control over time and rest in this process. */
export interface Control {
  readonly time: VirtualTime;
  /** How rest is recognised; measured for the target by a check run. */
  readonly quiescence: Quiescence;
}

/** Lives as long as the worker; a world borrows it for one run. */
export interface Host {
  readonly time: RunClock;
  readonly pace: Pace;
  /** Resolves when nothing moves any more. */
  readonly drain: (world: World) => Promise<void>;
  readonly launch: Launch;
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
  /** What the namespaces are called on a cluster that is not ours. */
  readonly places?: Places;
  /** Whether nothing may run beside a run: on a cluster that is not ours, names outside of namespaces are everybody's. */
  readonly isAlone?: () => boolean;
  /** What was found out about the cluster that the user should know. */
  readonly warnings?: () => readonly string[];
  /** Another host for the same target, for runs beside one that still stands; only where hosts do not share a clock. */
  readonly sibling?: () => Promise<Host>;
  /** Only one run at a time can stand on its cluster: a sibling has another kind of cluster. */
  readonly isSingle?: boolean;
  /** What steers a target that lives in this process; absent for one that is a process of its own. */
  readonly control?: Control;
  /** Absent for a target that lives in this process. */
  readonly containment?: Containment;
  /** What happens to connections; absent where nothing does. */
  readonly disturbance?: Disturbance;
  /** Called after every drain, during a check run. */
  onDrained: (() => void) | undefined;
  /** The world that the server's changes go to. */
  current: World | undefined;
}

/** What a request takes of run time. */
const ROUND_TRIP_MS = 1;
/** A target that goes down more often than this in one run stays down. */
const RESTARTS_MAX = 5;

export class World {
  readonly gate: Gate;
  readonly recorder: Recorder;
  readonly naming: Naming;
  readonly host: Host;
  /** Actors whose program operation completed since the scheduler was last asked. */
  readonly completed: Set<ActorId> = new Set();
  /** Gate items executed since contention began. */
  steps = 0;
  /** Run time of the last thing that counts as activity: a change, or a request of the target other than a watch. */
  lastActivityMs = 0;
  /** What of the host's pace is replaced. */
  hurry: Partial<Pace> = {};
  /** What arrives between two moments of rest is put into the order of labels. */
  serialised = false;
  /** Reads count as activity too; not for a target that polls by nature. */
  readsAreActivity = true;
  readonly #incarnations = new Map<ActorId, Incarnation>();
  readonly #timers = new Map<string, number>();
  readonly #programs = new Map<ActorId, Promise<void>>();
  /** Programs that wait for an object to be made. */
  readonly #awaited = new Awaited();
  #environment: readonly EnvironmentController[] = [];
  #launched = 0;
  #launchedMs = 0;
  readonly #locks = new HeldLocks();
  /** Incarnations that were asked to end, and until when they may take their time. */
  readonly #ending = new Set<ActorId>();
  /** Run time at which those that stand still go on. */
  readonly #paused = new Map<ActorId, number>();
  #endsUntilMs = 0;
  #restarts = 0;
  #programsEnded = false;
  #contending = false;
  #over = false;

  /** The cluster is as it is to be when this run begins. */
  constructor(host: Host, random: Random, startMs: number, drawnNames: DrawnNames = {}) {
    this.host = host;
    this.naming = new Naming(drawnNames);
    host.current = this;
    host.time.reset({ startMs, random: random.child('target') });
    host.reseed(random.child('server'));
    this.recorder = new Recorder(() => host.time.now(), this.naming);
    this.gate = new Gate(host.cluster, this.recorder, this.naming, {
      crash: (actor) => this.#crash(actor),
      startReplica: () => this.launchTarget(),
      pause: (actor, forMs) => this.#pause(actor, forMs),
      disturbed: () => host.disturbance?.hasBeen === true,
    });
    this.#environment = host.environment((actor) => this.gate.port(actor), {
      random: random.child('environment'),
      after: (delayMs, then) =>
        host.time.after(delayMs, WORKLOADS, () => {
          if (!this.#over) then();
        }),
    });
  }

  /** How long the target is given; the host's own pace unless a run is to be quicker. */
  get pace(): Pace {
    return { ...this.host.pace, ...this.hurry };
  }

  /** Whether the one incarnation that was started has lived through it all. */
  get isAlone(): boolean {
    return this.#launched === 1 && this.#restarts === 0 && this.#incarnations.size === 1;
  }

  /** Begins another run with the target as it stands. `kept` is what is there from before. */
  renew(kept: readonly Revision[], random: Random): void {
    const latest = this.recorder.revisions.at(-1)?.revision ?? 0;
    this.host.time.reset({ startMs: 0, random });
    this.naming.renew();
    this.recorder.renew(kept);
    this.gate.renew(latest);
    this.completed.clear();
    this.#timers.clear();
    this.#programs.clear();
    this.#programsEnded = false;
    this.#contending = false;
    this.steps = 0;
    this.lastActivityMs = 0;
  }

  /** A change that the server committed. */
  committed(change: ObservedChange): void {
    this.recorder.committed(change);
    if (change.type === 'ADDED') this.#awaited.tell((target) => this.#isMade(target));
    const revision = this.recorder.revisions.at(-1);
    if (revision !== undefined) this.#locks.committed(revision);
    // A leader renews its lock for as long as it lives.
    if (!this.isLock(`${change.resource}/${change.namespace}/${change.name}`))
      this.lastActivityMs = this.host.time.now();
    const actor = this.recorder.revisions.at(-1)?.actor;
    for (const controller of this.#environment) controller.onChange(change, actor);
  }

  /** Whether what an item touches is what leaders are elected with. */
  isLock(touches: string): boolean {
    return this.#locks.includes(touches);
  }

  /** Starts an incarnation of the target and returns its name. */
  launchTarget(name?: ActorId): ActorId {
    this.#launched++;
    this.#launchedMs = this.host.time.now();
    const actor = name ?? (this.#launched === 1 ? 'controller' : `controller~${this.#launched}`);
    const incarnation = this.host.launch(actor, actingAs(this.host.identity, this.gate.port(actor)), (kind, detail) => {
      if (this.#over) return;
      if (kind === 'exited' && this.#ending.has(actor)) {
        this.#retire(actor, `as it was asked to, ${detail}`);
        return;
      }
      this.recorder.process(actor, kind, detail);
      // As a kubelet would. A start that fails undisturbed is no use repeating; the check run tells its author.
      const restarts = kind === 'exited' || (kind === 'start-failed' && this.#contending);
      if (restarts && this.#incarnations.has(actor)) this.#restart(actor);
    });
    this.#incarnations.set(actor, incarnation);
    return actor;
  }

  /** Starts a program; its actor's first request waits at the gate after the next drain. `enduring` ones outlast contention. */
  startProgram(program: Program, enduring = false): void {
    const context: ProgramContext = {
      upstream: this.gate.port(program.actor),
      resolveName: (target) => this.realName(target),
      appears: (target) => (enduring || this.#programsEnded ? Promise.resolve() : this.#awaited.appears(target)),
      onOpDone: () => this.completed.add(program.actor),
      ended: () => this.#programsEnded && !enduring,
    };
    // One actor does one thing at a time: what it undoes at heal must not overtake the operation that it undoes.
    const earlier = this.#programs.get(program.actor);
    const run = earlier === undefined ? runProgram(program, context) : earlier.then(() => runProgram(program, context));
    this.#programs.set(program.actor, run);
  }

  /** One-shot programs stop after the operation under way. */
  endPrograms(): void {
    this.#programsEnded = true;
    this.#awaited.tell(() => true);
  }

  #isMade(target: ObjectTarget): boolean {
    return !this.realName(target).includes('~');
  }

  /** Run time until which a target that is not ready yet is waited for; in the past when all are. */
  get startsUntilMs(): number {
    const starting = [...this.#incarnations.values()].some(({ ready }) => ready === false);
    return starting ? this.#launchedMs + this.host.pace.readyWithinMs : Number.NEGATIVE_INFINITY;
  }

  /** Run time until which an incarnation may wait for the lock of one that is gone; in the past when none does. */
  get locksExpireByMs(): number {
    return this.#locks.expireByMs(this.#incarnations, this.#launchedMs);
  }

  realName(target: ObjectTarget): string {
    return this.naming.real(groupResource(target), target.namespace, target.name);
  }

  /** The earliest timer as an item. */
  timer(): (Item & { readonly atMs: number }) | undefined {
    // What becomes ready by and by is not at rest, however long it takes on the wall.
    if (this.host.time.expects === true) this.lastActivityMs = this.host.time.now();
    const next = this.host.time.next();
    if (next === undefined) return undefined;
    return {
      seq: -1,
      kind: 'timer',
      actor: TIME,
      label: `${next.owner}/timer#${this.#timers.get(next.owner) ?? 0}`,
      stream: '',
      k: 0,
      touches: '',
      write: false,
      verb: 'timer',
      revision: 0,
      staleable: false,
      atMs: next.atMs,
    };
  }

  /** Numbers start anew: contention begins. */
  startContention(): void {
    this.#contending = true;
    this.gate.startContention();
    this.#timers.clear();
    this.steps = 0;
  }

  /** Lets the chosen item happen. */
  execute({ item, fault }: Choice): void {
    this.steps++;
    this.completed.clear();
    if (item.kind === 'timer') {
      const owner = item.label.slice(0, item.label.lastIndexOf('/'));
      this.#timers.set(owner, (this.#timers.get(owner) ?? 0) + 1);
      this.host.time.advanceToNext();
      return;
    }
    // A process that starts asks for all kinds of things before it does anything.
    const starting = !this.#contending && this.host.control === undefined && roleOf(item.actor) === 'target';
    if (starting) this.lastActivityMs = this.host.time.now();
    if (
      item.kind === 'send' &&
      item.verb !== 'watch' &&
      !this.isLock(item.touches) &&
      (item.write || this.readsAreActivity) &&
      roleOf(item.actor) === 'target'
    ) {
      this.lastActivityMs = this.host.time.now();
    }
    // However fast a server is, two requests in a row never see the same millisecond: a clock that stood still would make a write
    // of the time of day a no-op, and hide that it wakes its own writer.
    if (item.kind === 'send') this.host.time.elapse(ROUND_TRIP_MS);
    this.gate.execute(item, fault);
  }

  /** Ends the run: nothing of the target reaches anything any more. */
  close(): void {
    this.#over = true;
    this.endPrograms();
    // Cut, not asked to stop: what a target does on its way out is nobody's business, and costs a tenth of the trial.
    for (const [actor, incarnation] of this.#incarnations) {
      incarnation.crash();
      this.gate.cut(actor);
    }
    this.#incarnations.clear();
    if (this.host.current === this) this.host.current = undefined;
  }

  #pause(actor: ActorId, forMs: number): void {
    const incarnation = this.#incarnations.get(actor);
    if (incarnation?.pause === undefined) return;
    incarnation.pause();
    this.#paused.set(actor, this.host.time.now() + forMs);
    this.recorder.process(actor, 'paused', `for ${forMs} ms`);
  }

  /** Run time until which somebody stands still; in the past when nobody does. */
  get pausedUntilMs(): number {
    return Math.max(...this.#paused.values(), Number.NEGATIVE_INFINITY);
  }

  /** Those whose time has come go on, or all of them. */
  resume(all = false): void {
    for (const [actor, untilMs] of this.#paused) {
      if (!all && this.host.time.now() < untilMs) continue;
      this.#paused.delete(actor);
      const incarnation = this.#incarnations.get(actor);
      if (incarnation === undefined) continue;
      incarnation.resume?.();
      this.recorder.process(actor, 'resumed', '');
    }
  }

  /** Looks at all incarnations that live in a process of their own. */
  async measure(when: Measurement['when']): Promise<void> {
    for (const [actor, incarnation] of this.#incarnations) {
      const reading = await incarnation.look?.();
      if (reading !== undefined) this.recorder.measured(actor, when, reading);
    }
  }

  /** Asks the incarnations that run now to end within that time; true when there is one to wait for. */
  askToEnd(graceMs: number): boolean {
    if (graceMs === 0) return false;
    this.resume(true);
    this.#endsUntilMs = this.host.time.now() + graceMs;
    for (const [actor, incarnation] of this.#incarnations) {
      if (incarnation.stop === undefined) continue;
      this.#ending.add(actor);
      incarnation.stop();
    }
    return this.#ending.size > 0;
  }

  /** Run time until which those that were asked to end are waited for; in the past when they all have. */
  get endsUntilMs(): number {
    return this.#ending.size > 0 ? this.#endsUntilMs : Number.NEGATIVE_INFINITY;
  }

  /** Ends the incarnations that run now, without a restart. */
  retireTargets(): void {
    for (const actor of [...this.#incarnations.keys()]) {
      this.#retire(
        actor,
        this.#ending.has(actor) ? 'by the harness, for it did not end when asked to' : 'by the harness',
      );
    }
  }

  #retire(actor: ActorId, detail: string): void {
    const incarnation = this.#incarnations.get(actor);
    this.#incarnations.delete(actor);
    this.#ending.delete(actor);
    this.#paused.delete(actor);
    incarnation?.crash();
    this.gate.cut(actor);
    this.recorder.process(actor, 'stopped', detail);
  }

  #crash(actor: ActorId): void {
    if (!this.#incarnations.has(actor)) return;
    this.recorder.process(actor, 'crashed', 'by the schedule');
    this.#restart(actor);
  }

  #restart(actor: ActorId): void {
    this.#incarnations.get(actor)?.crash();
    this.#incarnations.delete(actor);
    this.#paused.delete(actor);
    this.gate.cut(actor);
    if (this.#restarts++ < RESTARTS_MAX) this.launchTarget();
  }
}

/** Requests as they come to a server that has authenticated who sends them. */
function actingAs(user: UserInfo | undefined, upstream: Upstream): Upstream {
  if (user === undefined) return upstream;
  return { send: (request, sink) => upstream.send({ ...request, user }, sink) };
}
