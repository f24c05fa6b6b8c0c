/**
 * The world of one run: the API server as it stood, the gate before it, the target's incarnations, the programs.
 *
 * Owns: what exists during a run and how one item happens. Does not own: which item (`pump.ts`), in which phases (`trial.ts`).
 */
import type { EnvironmentController } from '../actors/environment/index.ts';
import type { ProgramContext } from '../actors/program.ts';
import { runProgram } from '../actors/program.ts';
import type { ApiServer, ServerSnapshot } from '../apiserver/server.ts';
import type { Quiescence } from '../determinism/quiescence.ts';
import type { Random } from '../determinism/random.ts';
import type { RunClock } from '../determinism/run-clock.ts';
import type { VirtualTime } from '../determinism/virtual-time.ts';
import { Gate } from '../gate/gate.ts';
import { Naming } from '../gate/naming.ts';
import { Recorder } from '../gate/recorder.ts';
import type { ObservedChange } from '../gate/recorder.ts';
import type { ActorId } from '../model/actor.ts';
import { roleOf } from '../model/actor.ts';
import type { ProcessEventKind } from '../model/history.ts';
import type { Choice, Item } from '../model/item.ts';
import { groupResource } from '../model/object.ts';
import { TIME } from '../model/schedule.ts';
import type { ObjectTarget, Program } from '../model/workload.ts';
import type { Upstream } from '../wire/http.ts';

/** One life of the target. */
export interface Incarnation {
  /** Cuts its transport and its timers for ever. */
  crash(): void;
}

/** Starts one life of the target, talking to `upstream` as `actor`. */
export type Launch = (
  actor: ActorId,
  upstream: Upstream,
  tell: (kind: ProcessEventKind, detail: string) => void,
) => Incarnation;

/** How long the target is given, in ms of run time: virtual time costs nothing, the wall's does. */
export interface Pace {
  /** Before contention the target must come to rest within this much time without activity. */
  readonly setupWindowMs: number;
  /** With nothing else to do, contention waits this long for back-offs under held streams before healing. */
  readonly contentionWaitMs: number;
  /** How long a reference run looks on at rest. */
  readonly idleMs: number;
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
  readonly server: ApiServer;
  readonly environment: (port: (actor: ActorId) => Upstream) => readonly EnvironmentController[];
  /** Sets the ids that the server and the target draw in the next run. */
  readonly reseed: (random: Random) => void;
  /** What steers a target that lives in this process; absent for one that is a process of its own. */
  readonly control?: Control;
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
  readonly naming: Naming = new Naming();
  readonly host: Host;
  /** Actors whose program operation completed since the scheduler was last asked. */
  readonly completed: Set<ActorId> = new Set();
  /** Gate items executed since contention began. */
  steps = 0;
  /** Run time of the last thing that counts as activity: a change, or a request of the target other than a watch. */
  lastActivityMs = 0;
  /** Reads count as activity too; not for a target that polls by nature. */
  readsAreActivity = true;
  readonly #incarnations = new Map<ActorId, Incarnation>();
  readonly #timers = new Map<string, number>();
  readonly #programs = new Map<ActorId, Promise<void>>();
  #environment: readonly EnvironmentController[] = [];
  #launched = 0;
  #restarts = 0;
  #programsEnded = false;
  #contending = false;
  #over = false;

  constructor(host: Host, snapshot: ServerSnapshot, random: Random, startMs: number) {
    this.host = host;
    host.current = this;
    host.time.reset({ startMs, random: random.child('target') });
    host.reseed(random.child('server'));
    host.server.restore(snapshot);
    this.recorder = new Recorder(() => host.time.now(), this.naming);
    this.gate = new Gate(host.server, this.recorder, this.naming, {
      crash: (actor) => this.#crash(actor),
      startReplica: () => this.launchTarget(),
    });
    this.#environment = host.environment((actor) => this.gate.port(actor));
  }

  /** A change that the server committed. */
  committed(change: ObservedChange): void {
    this.recorder.committed(change);
    this.lastActivityMs = this.host.time.now();
    for (const controller of this.#environment) controller.onChange(change);
  }

  /** Starts an incarnation of the target and returns its name. */
  launchTarget(name?: ActorId): ActorId {
    this.#launched++;
    const actor = name ?? (this.#launched === 1 ? 'controller' : `controller~${this.#launched}`);
    const incarnation = this.host.launch(actor, this.gate.port(actor), (kind, detail) => {
      if (this.#over) return;
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
  }

  realName(target: ObjectTarget): string {
    return this.naming.real(groupResource(target), target.namespace, target.name);
  }

  /** The earliest timer as an item. */
  timer(): (Item & { readonly atMs: number }) | undefined {
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
      !item.touches.startsWith('leases.') &&
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
    this.#programsEnded = true;
    // Cut, not asked to stop: what a target does on its way out is nobody's business, and costs a tenth of the trial.
    for (const [actor, incarnation] of this.#incarnations) {
      incarnation.crash();
      this.gate.cut(actor);
    }
    this.#incarnations.clear();
    if (this.host.current === this) this.host.current = undefined;
  }

  /** Ends the incarnations that run now, without a restart. */
  retireTargets(): void {
    for (const [actor, incarnation] of this.#incarnations) {
      this.#incarnations.delete(actor);
      incarnation.crash();
      this.gate.cut(actor);
      this.recorder.process(actor, 'stopped', 'by the harness');
    }
  }

  #crash(actor: ActorId): void {
    if (!this.#incarnations.has(actor)) return;
    this.recorder.process(actor, 'crashed', 'by the schedule');
    this.#restart(actor);
  }

  #restart(actor: ActorId): void {
    this.#incarnations.get(actor)?.crash();
    this.#incarnations.delete(actor);
    this.gate.cut(actor);
    if (this.#restarts++ < RESTARTS_MAX) this.launchTarget();
  }
}
