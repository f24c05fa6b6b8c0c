/**
 * The clock of a run whose programs have steered clocks: it passes as the wall's does, and jumps where everybody sleeps.
 *
 * Owns: what time it is, and the next moment. Does not own: whether everybody sleeps, and the clocks of the programs: whoever drains a run
 * asks them, notes the soonest deadline here and carries out the jump that was decided on.
 */
import { realNow } from './real-time.ts';
import type { RunClock } from './run-clock.ts';

/** Where nothing is known to come, time passes in steps of this size: others may wait for a moment of their own. */
const STEP_MS = 1_000;

interface Timer {
  readonly atMs: number;
  readonly call: () => void;
}

export class SteeredClock implements RunClock {
  #startMs = realNow();
  #aheadMs = 0;
  #timers: Timer[] = [];
  /** When a program does something by itself, as was seen when everybody slept last. */
  #deadlineMs: number | undefined;
  #wantedMs: number | undefined;
  #inSteps = false;

  reset(): void {
    this.#startMs = realNow();
    this.#aheadMs = 0;
    this.#timers = [];
    this.#deadlineMs = undefined;
    this.#wantedMs = undefined;
    this.#inSteps = false;
  }

  now(): number {
    return realNow() - this.#startMs + this.#aheadMs;
  }

  /** How far the programs' clocks are ahead of the host's, in ms. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** Only jumps are waits: the rest is what a machine takes to do things. */
  waited(): number {
    return this.#aheadMs;
  }

  after(delayMs: number, _owner: string, then: () => void): void {
    this.#timers = [...this.#timers, { atMs: this.now() + delayMs, call: then }].toSorted((a, b) => a.atMs - b.atMs);
  }

  get expects(): boolean {
    return this.#timers.length > 0;
  }

  next(): { readonly atMs: number; readonly owner: string } {
    const now = this.now();
    const known = Math.min(this.#timers[0]?.atMs ?? Infinity, this.#deadlineMs ?? Infinity);
    const soonest = this.#inSteps || known === Infinity ? Math.min(known, now + STEP_MS) : known;
    return { atMs: Math.max(soonest, now), owner: 'wall' };
  }

  /** The jump is carried out by the next drain: {@link take}. */
  advanceToNext(): void {
    this.#wantedMs = this.next().atMs;
  }

  elapse(): void {}

  /**
   * Everybody sleeps.
   *
   * @param forMs When the first of the programs wakes up by itself, in ms from now; `null` for never.
   * @param inSteps Whether somebody else waits for a moment that is not known here.
   */
  sleeps(forMs: number | null, inSteps: boolean): void {
    this.#inSteps = inSteps;
    this.#deadlineMs = forMs === null ? undefined : this.now() + forMs;
  }

  /** The jump that was decided on, in ms: it has happened here, and is to happen in the programs. Undefined when there is none. */
  take(): number | undefined {
    if (this.#wantedMs === undefined) return undefined;
    const byMs = Math.max(0, this.#wantedMs - this.now());
    this.#wantedMs = undefined;
    return this.jump(byMs);
  }

  /** Sets it ahead. */
  jump(byMs: number): number {
    this.#aheadMs += byMs;
    this.#deadlineMs = undefined;
    return byMs;
  }

  /** Calls back whoever waited for a moment that has come; whether there was somebody. */
  fire(): boolean {
    const now = this.now();
    const due = this.#timers.filter(({ atMs }) => atMs <= now);
    this.#timers = this.#timers.filter(({ atMs }) => atMs > now);
    for (const { call } of due) call();
    return due.length > 0;
  }
}
