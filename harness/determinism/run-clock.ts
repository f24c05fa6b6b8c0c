/**
 * The clock of a run: virtual if the target lives in this process, real time if it is a process of its own.
 *
 * Owns: the interface that the pump uses for both. Does not own: virtual time (`virtual-time.ts`).
 */
import { realClearTimeout, realNow, realSetTimeout } from './real-time.ts';
import type { Random } from './random.ts';

export interface RunClock {
  /** Starts a new run: run time starts at 0, and the wall clock at `startMs` if it can be set. */
  reset(options: { readonly startMs: number; readonly random: Random }): void;
  /** Returns the milliseconds since the start of the run. */
  now(): number;
  /**
   * Returns how many ms of the run were spent waiting for something to happen by itself. In virtual time this is the whole run. In real
   * time the rest is work, which takes ten times as long on a loaded machine; it is not counted, so that a target that is merely slow is
   * considered neither silent nor restless.
   */
  waited(): number;
  /**
   * Returns the next moment at which something may happen by itself, and its owner; undefined if nothing ever will. `isGuess` is set if
   * nothing is known to be due at that moment. `dueMs` is the moment at which the event is due, if it may fire late. In real time, calling
   * this also ends the current wait: from then on, time counts as work.
   */
  next():
    | { readonly atMs: number; readonly owner: string; readonly isGuess?: boolean; readonly dueMs?: number }
    | undefined;
  /** Advances time to the moment that {@link next} returns. */
  advanceToNext(): void;
  /**
   * Allows timers to fire up to `slackMs` late, so that several fire together; for clocks on which each firing costs real time. Initially
   * 0: each timer fires on time.
   */
  hurry?(slackMs: number): void;
  /** Advances time by up to `ms`, the duration of a request, without firing a timer. */
  elapse(ms: number): void;
  /** Calls `then` after `delayMs` on behalf of `owner`, unless a new run has begun or the returned function has been called before that. */
  after(delayMs: number, owner: string, then: () => void): () => void;
  /** Whether a callback or an awaited action is pending; for a clock whose `next` does not show that. */
  readonly expects?: boolean;
}

/** The length of a single wait for a process to do something by itself. */
const SLICE_MS = 50;

/** Real time. It is unknown when a process will act next, so `next` always returns the end of another slice to wait for. */
export class WallClock implements RunClock {
  /** The end of the latest wait; a drain waits until then, or until something happens. */
  waitingUntilMs = 0;
  #startMs = realNow();
  #waitedMs = 0;
  /** When the current wait began. The wait may end early because something happens. */
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
    return { atMs: this.now() + SLICE_MS, owner: 'wall' };
  }

  advanceToNext(): void {
    this.#waitingSinceMs = this.now();
    this.waitingUntilMs = this.#waitingSinceMs + SLICE_MS;
  }

  elapse(): void {}
}
