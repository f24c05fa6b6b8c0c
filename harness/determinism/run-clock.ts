/**
 * The clock of a run: virtual where the target lives in this process, the wall's where it is a process of its own.
 *
 * Owns: what both have in common for whoever pumps a run. Does not own: virtual time (`virtual-time.ts`).
 */
import { realClearTimeout, realNow, realSetTimeout } from './real-time.ts';
import type { Random } from './random.ts';

export interface RunClock {
  /**
   * A new run: its time starts at 0, the clock on the wall at `startMs` where it can be set.
   *
   * @param options.goesOn The target lives on from the run before, and so does its clock.
   */
  reset(options: { readonly startMs: number; readonly random: Random; readonly goesOn?: true }): void;
  /** Milliseconds since the run's start. */
  now(): number;
  /**
   * How many of them have passed for those who wait for something to happen by itself: in virtual time all. On the wall's clock the
   * others are what a machine takes to do things, ten times as long when others use it too: whoever is only slow is not silent, nor restless.
   */
  waited(): number;
  /**
   * The next moment at which something may happen by itself, and whose doing that is; undefined when nothing ever will. `isGuess`: nothing
   * is known to come then. `dueMs`: when it is due, if it may be late.
   */
  next():
    | { readonly atMs: number; readonly owner: string; readonly isGuess?: boolean; readonly dueMs?: number }
    | undefined;
  /** Lets time pass to that moment. */
  advanceToNext(): void;
  /**
   * Where it takes real time to let a timer fire: those of the next `slackMs` may do so together, late by that much. 0, at first: each at
   * its moment.
   */
  hurry?(slackMs: number): void;
  /** Lets up to `ms` go by, as any request takes its time, without anything happening. */
  elapse(ms: number): void;
  /** Calls back after `delayMs`, for `owner`, unless a new run has begun by then, or the returned function was called. */
  after(delayMs: number, owner: string, then: () => void): () => void;
  /** Whether somebody is to be called back, on a clock whose next moment does not tell. */
  readonly expects?: boolean;
}

/** How long is waited at a time for a process to do something by itself. */
const SLICE_MS = 50;

/** Time as it passes. Nobody knows when a process will act next: there is always another slice to wait for. */
export class WallClock implements RunClock {
  /** What was waited for last ends here; whoever drains waits until then, or until something happens. */
  waitingUntilMs = 0;
  /** How long is waited at a time, in ms. */
  sliceMs: number = SLICE_MS;
  #startMs = realNow();
  #waitedMs = 0;
  /** When the wait under way began; something else than its end may have ended it. */
  #waitingSinceMs: number | undefined;
  readonly #timers = new Set<NodeJS.Timeout>();

  reset(): void {
    this.#startMs = realNow();
    this.waitingUntilMs = 0;
    this.#waitedMs = 0;
    this.#waitingSinceMs = undefined;
    for (const timer of this.#timers) realClearTimeout(timer);
    this.#timers.clear();
  }

  after(delayMs: number, _owner: string, then: () => void): () => void {
    const timer = realSetTimeout(() => {
      this.#timers.delete(timer);
      then();
    }, delayMs);
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
      realClearTimeout(timer);
    };
  }

  get expects(): boolean {
    return this.#timers.size > 0;
  }

  now(): number {
    return Math.floor(realNow() - this.#startMs);
  }

  waited(): number {
    if (this.#waitingSinceMs === undefined) return this.#waitedMs;
    return this.#waitedMs + Math.min(this.now(), this.waitingUntilMs) - this.#waitingSinceMs;
  }

  next(): { readonly atMs: number; readonly owner: string } {
    this.#waitedMs = this.waited();
    this.#waitingSinceMs = undefined;
    return { atMs: this.now() + this.sliceMs, owner: 'wall' };
  }

  advanceToNext(): void {
    this.#waitingSinceMs = this.now();
    this.waitingUntilMs = this.#waitingSinceMs + this.sliceMs;
  }

  elapse(): void {}
}
