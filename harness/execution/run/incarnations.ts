/**
 * The incarnations of the target in one run: starts, crashes, pauses, stops and measures them, and restarts them as a kubelet would.
 *
 * Does not own: how an incarnation is started ({@link Host.launch}), when an incarnation starts, crashes or is paused (`trial.ts`, the
 * schedule).
 */
import type { Upstream, UserInfo } from 'stalemate-apiserver/wire/http';
import type { Gate } from '../../gate/gate.ts';
import type { Recorder } from '../../gate/recorder.ts';
import { programOf, TARGET, type ActorId } from '../../model/actor.ts';
import type { Measurement, ProcessEventKind } from '../../model/history.ts';
import type { Host, Incarnation } from './host.ts';

/** The number of restarts in one run after which the target stays down. */
const RESTARTS_MAX = 5;

export class Incarnations {
  readonly #host: Host;
  readonly #gate: Gate;
  readonly #recorder: Recorder;
  readonly #isContending: () => boolean;
  readonly #alive = new Map<ActorId, Incarnation>();
  /** Which copy of its program each incarnation is: 0, or 1 beside a living 0. */
  readonly #copies = new Map<ActorId, number>();
  /** Incarnations that were asked to exit; {@link #endsUntilMs} is the run time by which they must have done so. */
  readonly #ending = new Set<ActorId>();
  #endsUntilMs = 0;
  /** Run time at which each paused incarnation resumes. */
  readonly #paused = new Map<ActorId, number>();
  /** The number of incarnations that each program has had. */
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

  /** The number of live incarnations. */
  get size(): number {
    return this.#alive.size;
  }

  has(actor: ActorId): boolean {
    return this.#alive.has(actor);
  }

  /** The run time at which the youngest incarnation was started. */
  get launchedMs(): number {
    return this.#launchedMs;
  }

  /** Starts the target, with all programs that belong to it. */
  launchAll(): void {
    this.launch();
    for (const program of this.#host.beside) this.launch(program);
  }

  /** Starts one incarnation of a program and returns its name. */
  launch(program: ActorId = TARGET): ActorId {
    const count = (this.#launched.get(program) ?? 0) + 1;
    this.#launched.set(program, count);
    this.#launchedMs = this.#host.time.now();
    const actor = count === 1 ? program : `${program}~${count}`;
    const port = actingAs(this.#host.identity, this.#gate.port(actor));
    const copy = this.#freeCopy(program);
    this.#copies.set(actor, copy);
    const report = (kind: ProcessEventKind, detail: string): void => {
      if (this.#over) return;
      if (kind === 'exited' && this.#ending.has(actor)) {
        this.#retire(actor, `as it was asked to, ${detail}`);
        return;
      }
      this.#recorder.process(actor, kind, detail);
      // Restarts as a kubelet would. A start that fails undisturbed is not repeated: the check run reports it to the target's author.
      const restarts = kind === 'exited' || (kind === 'start-failed' && this.#isContending());
      if (restarts && this.#alive.has(actor)) this.#restart(actor);
    };
    const incarnation = this.#host.launch(actor, port, report, copy);
    this.#alive.set(actor, incarnation);
    return actor;
  }

  /** The run time until which to wait for an incarnation that is not ready yet; minus infinity if all are ready. */
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

  /** The run time until which an incarnation is paused; minus infinity if none is. */
  get pausedUntilMs(): number {
    return Math.max(...this.#paused.values(), Number.NEGATIVE_INFINITY);
  }

  /** Resumes the incarnations whose pause is over, or all of them. */
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

  /** Measures all incarnations that are separate processes. */
  async measure(when: Measurement['when']): Promise<void> {
    for (const [actor, incarnation] of this.#alive) {
      const reading = await incarnation.look?.();
      if (reading !== undefined) this.#recorder.measured(actor, when, reading);
    }
  }

  /** Asks the live incarnations to exit within `graceMs`. Returns whether there are any to wait for. */
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

  /** The run time until which to wait for incarnations that were asked to exit; minus infinity if all have exited. */
  get endsUntilMs(): number {
    return this.#ending.size > 0 ? this.#endsUntilMs : Number.NEGATIVE_INFINITY;
  }

  /** Ends the live incarnations, without a restart. */
  retireAll(): void {
    for (const actor of [...this.#alive.keys()]) {
      this.#retire(
        actor,
        this.#ending.has(actor) ? 'by the harness, for it did not end when asked to' : 'by the harness',
      );
    }
  }

  /** Ends all incarnations and ignores their further events. */
  close(): void {
    this.#over = true;
    // They are cut off, not asked to exit: what a target does during shutdown is irrelevant here, and would cost a tenth of the trial.
    for (const [actor, incarnation] of this.#alive) {
      incarnation.crash();
      this.#gate.cut(actor);
    }
    this.#alive.clear();
  }

  #freeCopy(program: ActorId): number {
    const taken = [...this.#alive.keys()].filter((actor) => programOf(actor) === program);
    return taken.some((actor) => this.#copies.get(actor) === 0) ? 1 : 0;
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

/** Adds the authenticated user to each request. */
function actingAs(user: UserInfo | undefined, upstream: Upstream): Upstream {
  if (user === undefined) return upstream;
  return { send: (request, sink) => upstream.send({ ...request, user }, sink) };
}
