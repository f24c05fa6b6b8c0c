/**
 * The world of one run: the API server in its initial state, the gate in front of it, the target's incarnations (`incarnations.ts`), the
 * programs.
 *
 * Owns: what exists during a run, and the execution of one item. Does not own: which item is executed (`pump.ts`), the phases (`trial.ts`).
 */
import { groupResource } from 'stalemate-apiserver/objects/object';
import type { EnvironmentController } from '../../actors/environment/index.ts';
import { runProgram, type ProgramContext } from '../../actors/program.ts';
import type { Random } from '../../determinism/random.ts';
import { Gate } from '../../gate/gate.ts';
import { Naming } from '../../gate/naming.ts';
import { Recorder, type ObservedChange } from '../../gate/recorder.ts';
import { type ActorId, roleOf, WORKLOADS } from '../../model/actor.ts';
import type { Choice, Item, TimerItem } from '../../model/item.ts';
import { partsOf } from '../../model/label.ts';
import { TIME } from '../../model/schedule.ts';
import type { DrawnNames } from '../../model/reference.ts';
import type { ObjectTarget, Program } from '../../model/workload.ts';
import { Awaited } from './awaited.ts';
import { Delays, latestMs } from './delays.ts';
import { ProgramWaits } from './program-waits.ts';
import { HeldLocks } from './held-locks.ts';
import type { Host, RunOnHost } from './host.ts';
import { Incarnations } from './incarnations.ts';
import { RepeatedReads } from './repeated-reads.ts';

/** The run time that a request takes, in ms. */
const ROUND_TRIP_MS = 1;

export class World implements RunOnHost {
  readonly gate: Gate;
  readonly recorder: Recorder;
  readonly naming: Naming;
  readonly host: Host;
  /** Actors whose program has completed an operation since the scheduler's last choice. */
  readonly completed: Set<ActorId> = new Set();
  /** The number of gate items executed since contention began. */
  steps = 0;
  /** Whether items that arrive between two moments of rest are sorted by label. */
  serialised = false;
  /** Whether reads count as activity too; false for a target that normally polls, `when-new` until that is known. */
  readsAreActivity: boolean | 'when-new' = true;
  readonly incarnations: Incarnations;
  readonly #timers = new Map<string, number>();
  readonly #programs = new Map<ActorId, Promise<void>>();
  /** Programs that wait for an object to be created. */
  readonly #awaited = new Awaited();
  /** The waits of programs that let run time pass. */
  readonly waits: ProgramWaits;
  /** Items that the schedule delays. */
  readonly delays: Delays;
  readonly #leave: () => void;
  #environment: readonly EnvironmentController[] = [];
  readonly #locks = new HeldLocks();
  readonly #repeated = new RepeatedReads();
  /** Written only by `noteActivity` and `restartSilence`; the value decides when the run is at rest. */
  #lastActivityMs = 0;
  #programsEnded = false;
  #contending = false;
  #over = false;

  /** Creates the world of a run. The cluster must already be in the run's initial state. */
  constructor(
    host: Host,
    random: Random,
    startMs: number,
    drawnNames: DrawnNames = {},
    sharedNames: readonly string[] = [],
  ) {
    this.host = host;
    this.waits = new ProgramWaits(host.time);
    this.delays = new Delays(host.time);
    this.naming = new Naming(drawnNames, sharedNames);
    this.#leave = host.begin(this);
    host.time.reset({ startMs, random: random.child('target') });
    host.reseed(random.child('server'));
    this.recorder = new Recorder(() => host.time.now(), this.naming);
    this.gate = new Gate(host.cluster, this.recorder, this.naming, {
      crash: (actor) => this.incarnations.crash(actor),
      startReplica: () => this.incarnations.launch(),
      pause: (actor, forMs) => this.incarnations.pause(actor, forMs),
      delay: (item, forMs, goOn) =>
        this.delays.begin(Math.min(forMs, latestMs(item, host.time.now()) - host.time.now()), (lastedMs) => {
          if (this.#over) return;
          this.recorder.decision('release', item.label, `after ${Math.round(lastedMs / 1000)} s`);
          goOn();
        }),
      disturbed: () => host.disturbance.hasBeen,
    });
    this.incarnations = new Incarnations(host, this.gate, this.recorder, () => this.#contending);
    this.#environment = host.environment((actor) => this.gate.port(actor), {
      random: random.child('environment'),
      after: (delayMs, then) =>
        host.time.after(delayMs, WORKLOADS, () => {
          if (!this.#over) then();
        }),
    });
  }

  /**
   * The time waited (`RunClock.waited`) when silence began: at the last activity (a change, or a request of the target other than a watch)
   * or the last {@link restartSilence}. A run is at rest when silence has lasted for one window.
   */
  get lastActivityMs(): number {
    return this.#lastActivityMs;
  }

  /** Records activity at this moment, which postpones rest. */
  noteActivity(): void {
    this.#lastActivityMs = this.host.time.waited();
  }

  /** Restarts the measurement of silence at `fromMs`, in time waited: earlier activity and silence no longer count. */
  restartSilence(fromMs: number): void {
    this.#lastActivityMs = fromMs;
  }

  /** Handles a change that the server committed. */
  committed(change: ObservedChange): void {
    this.recorder.committed(change);
    if (change.type === 'ADDED') this.#awaited.tell((target) => this.#isMade(target));
    const revision = this.recorder.revisions.at(-1);
    if (revision !== undefined) this.#locks.committed(revision);
    // Lock renewals do not count: a leader renews its lock for as long as it lives.
    if (!this.isLock(`${change.resource}/${change.namespace}/${change.name}`)) {
      this.noteActivity();
      this.#repeated.changed();
    }
    const actor = this.recorder.revisions.at(-1)?.actor;
    for (const controller of this.#environment) controller.onChange(change, actor);
  }

  /** Reports whether the object that an item touches is a leader election lock. */
  isLock(touches: string): boolean {
    return this.#locks.includes(touches);
  }

  /** Whether leader election is used in this run. */
  get hasLock(): boolean {
    return this.#locks.isAny;
  }

  /**
   * Starts a program; its actor's first request waits at the gate after the next drain.
   *
   * @param options.outlastsContention Whether `endPrograms` leaves the program running. Such a program never waits for objects or time.
   */
  startProgram(program: Program, { outlastsContention = false }: { readonly outlastsContention?: boolean } = {}): void {
    const context: ProgramContext = {
      upstream: this.gate.port(program.actor),
      resolveName: (target) => this.realName(target),
      appears: (target) =>
        outlastsContention || this.#programsEnded ? Promise.resolve() : this.#awaited.appears(target),
      waits: (ms) => (outlastsContention ? Promise.resolve() : this.waits.begin(program.actor, ms)),
      onOpDone: () => this.completed.add(program.actor),
      ended: () => this.#programsEnded && !outlastsContention,
      pause: (delayMs) => new Promise((resolve) => void this.host.time.after(delayMs, program.actor, resolve)),
    };
    // One actor does one thing at a time: a heal operation must not overtake the operation that it undoes.
    const earlier = this.#programs.get(program.actor);
    const run = earlier === undefined ? runProgram(program, context) : earlier.then(() => runProgram(program, context));
    this.#programs.set(program.actor, run);
  }

  /** Stops one-shot programs after their current operation. */
  endPrograms(): void {
    this.#programsEnded = true;
    this.#awaited.tell(() => true);
    this.waits.endAll();
  }

  #isMade(target: ObjectTarget): boolean {
    return !this.realName(target).includes('~');
  }

  /** The run time until which an incarnation may wait for the lock of an incarnation that has ended; in the past if none waits. */
  get locksExpireByMs(): number {
    return this.#locks.expireByMs(this.incarnations);
  }

  realName(target: ObjectTarget): string {
    return this.naming.real(groupResource(target), target.namespace, target.name);
  }

  /** Whether time is passing because a program or the schedule requested it; such a wait does not count as a step. */
  get isWaitAskedFor(): boolean {
    return this.waits.isUnderWay || this.delays.isUnderWay;
  }

  /** Whether something would expire if the target were late: a lock, or anything by which several incarnations detect each other. */
  get keepsUp(): boolean {
    return this.hasLock || this.incarnations.size > 1;
  }

  /**
   * Asks the clock for the earliest timer, and returns it as an item. This has side effects: in real time, it ends the current wait (see
   * `RunClock.next`), and anything that is still getting ready counts as activity at this moment.
   */
  pollTimer(): TimerItem | undefined {
    // Something that is still getting ready is not at rest, however long it takes in real time.
    if (this.host.time.expects === true) this.noteActivity();
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
      ...(next.dueMs === undefined ? {} : { dueMs: next.dueMs }),
    };
  }

  /** Begins contention, in which numbering restarts. */
  startContention(): void {
    this.#contending = true;
    this.gate.startContention();
    this.#timers.clear();
    this.steps = 0;
  }

  /** Reports whether an item is a read, or the answer to one, of a target that normally polls and so never stops reading. */
  isPoll(item: Item): boolean {
    if (this.readsAreActivity === true || !isRead(item)) return false;
    return this.readsAreActivity === false || this.#repeated.includes(item);
  }

  /** Executes the chosen item. */
  execute({ item, fault }: Choice): void {
    if (item.kind !== 'timer' || !this.isWaitAskedFor) this.steps++;
    this.completed.clear();
    if (fault?.do === 'delay') {
      this.gate.execute(item, fault);
      return;
    }
    if (item.kind === 'timer') {
      const owner = partsOf(item.label).actor;
      this.#timers.set(owner, (this.#timers.get(owner) ?? 0) + 1);
      this.host.time.advanceToNext();
      return;
    }
    // A starting process sends all kinds of requests before it begins its work, so even watches and locks count as activity.
    const starting = this.host.mode.startIsActivity && !this.#contending && roleOf(item.actor) === 'target';
    if (item.kind === 'send' && roleOf(item.actor) === 'target' && !this.isLock(item.touches)) {
      if (item.write) this.#repeated.changed();
      else if (isRead(item)) this.#repeated.asked(item);
    }
    if (starting && !(isRead(item) && this.#repeated.includes(item))) this.noteActivity();
    if (
      item.kind === 'send' &&
      item.verb !== 'watch' &&
      !this.isLock(item.touches) &&
      !this.isPoll(item) &&
      roleOf(item.actor) === 'target'
    ) {
      this.noteActivity();
    }
    // However fast a server is, two consecutive requests never see the same millisecond. If the clock did not advance, writing the current
    // time could be a no-op, which would hide that the write triggers its own writer.
    if (item.kind === 'send') this.host.time.elapse(ROUND_TRIP_MS);
    this.gate.execute(item, fault);
  }

  /** Ends the run: nothing that the target does has any effect afterwards. */
  close(): void {
    this.#over = true;
    this.endPrograms();
    this.incarnations.close();
    this.#leave();
  }
}

/** Reports whether an item is a read of the target, or the answer to one. */
function isRead({ kind, actor, verb, write }: Item): boolean {
  return (kind === 'send' || kind === 'answer') && verb !== 'watch' && !write && roleOf(actor) === 'target';
}
