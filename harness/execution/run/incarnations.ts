/**
 * The lives of the target in one run: started, crashed and started again as a kubelet would, paused, asked to end, looked at.
 *
 * Does not own: how a life is started ({@link Host.launch}), when any of that is to happen (`trial.ts`, the schedule).
 */
import type { Upstream, UserInfo } from 'stalemate-apiserver/wire/http';
import type { Gate } from '../../gate/gate.ts';
import type { Recorder } from '../../gate/recorder.ts';
import { programOf, TARGET, type ActorId } from '../../model/actor.ts';
import type { Measurement } from '../../model/history.ts';
import type { Host, Incarnation } from './host.ts';

/** A target that goes down more often than this in one run stays down. */
const RESTARTS_MAX = 5;

export class Incarnations {
  readonly #host: Host;
  readonly #gate: Gate;
  readonly #recorder: Recorder;
  readonly #isContending: () => boolean;
  readonly #alive = new Map<ActorId, Incarnation>();
  /** Those that were asked to end, and until when they may take their time. */
  readonly #ending = new Set<ActorId>();
  #endsUntilMs = 0;
  /** Run time at which those that stand still go on. */
  readonly #paused = new Map<ActorId, number>();
  /** How many lives each program has had. */
  readonly #launched = new Map<ActorId, number>();
  #launchedMs = 0;
  #restarts = 0;
  #over = false;

  constructor(host: Host, gate: Gate, recorder: Recorder, isContending: () => boolean) {
    this.#host = host;
    this.#gate = gate;
    this.#recorder = recorder;
    this.#isContending = isContending;
  }

  /** How many live. */
  get size(): number {
    return this.#alive.size;
  }

  has(actor: ActorId): boolean {
    return this.#alive.has(actor);
  }

  /** Run time at which the youngest was started. */
  get launchedMs(): number {
    return this.#launchedMs;
  }

  /** Whether the one that was started first has lived through it all. */
  get isOnlyLife(): boolean {
    return this.#launched.get(TARGET) === 1 && this.#restarts === 0 && this.#alive.size === 1;
  }

  /** Starts the target, with all programs that belong to it. */
  launchAll(): void {
    this.launch();
    for (const program of this.#host.beside) this.launch(program);
  }

  /** Starts one life of a program and returns its name. */
  launch(program: ActorId = TARGET): ActorId {
    const count = (this.#launched.get(program) ?? 0) + 1;
    this.#launched.set(program, count);
    this.#launchedMs = this.#host.time.now();
    const actor = count === 1 ? program : `${program}~${count}`;
    const port = actingAs(this.#host.identity, this.#gate.port(actor));
    const incarnation = this.#host.launch(actor, port, (kind, detail) => {
      if (this.#over) return;
      if (kind === 'exited' && this.#ending.has(actor)) {
        this.#retire(actor, `as it was asked to, ${detail}`);
        return;
      }
      this.#recorder.process(actor, kind, detail);
      // As a kubelet would. A start that fails undisturbed is no use repeating; the check run tells its author.
      const restarts = kind === 'exited' || (kind === 'start-failed' && this.#isContending());
      if (restarts && this.#alive.has(actor)) this.#restart(actor);
    });
    this.#alive.set(actor, incarnation);
    return actor;
  }

  /** Run time until which one that is not ready yet is waited for; in the past when all are. */
  get startsUntilMs(): number {
    const starting = [...this.#alive.values()].some(({ ready }) => ready === false);
    return starting ? this.#launchedMs + this.#host.pace.readyWithinMs : Number.NEGATIVE_INFINITY;
  }

  crash(actor: ActorId): void {
    if (!this.#alive.has(actor)) return;
    this.#recorder.process(actor, 'crashed', 'by the schedule');
    this.#restart(actor);
  }

  pause(actor: ActorId, forMs: number): void {
    const incarnation = this.#alive.get(actor);
    if (incarnation?.pause === undefined) return;
    incarnation.pause();
    this.#paused.set(actor, Math.max(this.#paused.get(actor) ?? 0, this.#host.time.now() + forMs));
    this.#recorder.process(actor, 'paused', `for ${forMs} ms`);
  }

  /** Run time until which somebody stands still; in the past when nobody does. */
  get pausedUntilMs(): number {
    return Math.max(...this.#paused.values(), Number.NEGATIVE_INFINITY);
  }

  /** Those whose time has come go on, or all of them. */
  resume(all = false): void {
    for (const [actor, untilMs] of this.#paused) {
      if (!all && this.#host.time.now() < untilMs) continue;
      this.#paused.delete(actor);
      const incarnation = this.#alive.get(actor);
      if (incarnation === undefined) continue;
      incarnation.resume?.();
      this.#recorder.process(actor, 'resumed', '');
    }
  }

  /** Looks at all that are processes of their own. */
  async measure(when: Measurement['when']): Promise<void> {
    for (const [actor, incarnation] of this.#alive) {
      const reading = await incarnation.look?.();
      if (reading !== undefined) this.#recorder.measured(actor, when, reading);
    }
  }

  /** Asks those that live to end within that time; true when there is one to wait for. */
  askToEnd(graceMs: number): boolean {
    if (graceMs === 0) return false;
    this.resume(true);
    this.#endsUntilMs = this.#host.time.now() + graceMs;
    for (const [actor, incarnation] of this.#alive) {
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

  /** Ends those that live, without a restart. */
  retireAll(): void {
    for (const actor of [...this.#alive.keys()]) {
      this.#retire(
        actor,
        this.#ending.has(actor) ? 'by the harness, for it did not end when asked to' : 'by the harness',
      );
    }
  }

  /** Ends them all, and hears no more of them. */
  close(): void {
    this.#over = true;
    // Cut, not asked to stop: what a target does on its way out is nobody's business, and costs a tenth of the trial.
    for (const [actor, incarnation] of this.#alive) {
      incarnation.crash();
      this.#gate.cut(actor);
    }
    this.#alive.clear();
  }

  #retire(actor: ActorId, detail: string): void {
    const incarnation = this.#alive.get(actor);
    this.#alive.delete(actor);
    this.#ending.delete(actor);
    this.#paused.delete(actor);
    incarnation?.crash();
    this.#gate.cut(actor);
    this.#recorder.process(actor, 'stopped', detail);
  }

  #restart(actor: ActorId): void {
    this.#alive.get(actor)?.crash();
    this.#alive.delete(actor);
    this.#paused.delete(actor);
    this.#gate.cut(actor);
    if (this.#restarts++ < RESTARTS_MAX) this.launch(programOf(actor));
  }
}

/** Requests as they come to a server that has authenticated who sends them. */
function actingAs(user: UserInfo | undefined, upstream: Upstream): Upstream {
  if (user === undefined) return upstream;
  return { send: (request, sink) => upstream.send({ ...request, user }, sink) };
}
