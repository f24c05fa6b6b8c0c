/**
 * Lets programs wait before they continue.
 *
 * Nothing relevant changes while everything is at rest, so each wait ends at a moment that matters: just before the target does something
 * by itself. Owns: when each wait ends. Does not own: the passing of time (`pump.ts`).
 */
import type { RunClock } from '../../determinism/run-clock.ts';
import type { ActorId } from '../../model/actor.ts';

/**
 * A wait ends this many ms before the target's next timer: early enough for a few requests, and late enough that their watch events have
 * not been delivered when it fires.
 */
const LEAD_MS = 20;

/**
 * How late timers may fire, as a share of the time already waited, with upper bounds in ms. If timers renew locks, the bound is small;
 * otherwise, in a wait of hours, two minutes do not matter. Each wake-up of a program costs as much as a request, and some programs wake up
 * every few seconds without effect.
 */
const SLACK_SHARE = 0.05;
const SLACK_MAX_MS = 5_000;
const SLACK_OF_LONG_MAX_MS = 120_000;
const SLACK_OF_LOCKS_MAX_MS = 1_000;
/** The duration in ms from which a wait counts as long. */
const LONG_MS = 600_000;

/**
 * Returns how late timers may be after a wait of `waitedMs`, in ms.
 *
 * @param keepsUp Whether the target renews something that would expire.
 */
export function slackAfter(waitedMs: number, keepsUp: boolean): number {
  if (keepsUp) return Math.min(waitedMs * SLACK_SHARE, SLACK_OF_LOCKS_MAX_MS);
  return Math.min(waitedMs * SLACK_SHARE, waitedMs < LONG_MS ? SLACK_MAX_MS : SLACK_OF_LONG_MAX_MS);
}

interface Wait {
  readonly actor: ActorId;
  readonly sinceMs: number;
  readonly fromMs: number;
  readonly end: () => void;
}

export class ProgramWaits {
  readonly #time: RunClock;
  readonly #waits = new Set<Wait>();
  #untilMs = 0;
  #seenUntilMs = 0;

  constructor(time: RunClock) {
    this.#time = time;
  }

  /** The run time until which a program waits; in the past if none waits. */
  get untilMs(): number {
    return Math.max(this.#untilMs, ...[...this.#waits].map(({ fromMs }) => fromMs));
  }

  /** The run time by which the event that a program has waited for has certainly happened. */
  get seenUntilMs(): number {
    return Math.max(this.untilMs, this.#seenUntilMs);
  }

  /** Whether time is passing now because a program waits. */
  get isUnderWay(): boolean {
    return this.seenUntilMs > this.#time.now();
  }

  begin(actor: ActorId, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sinceMs = this.#time.now();
    this.#waits.add({ actor, sinceMs, fromMs: sinceMs + ms, end: resolve });
    return promise;
  }

  /** Whether a program waits whose wait has no timer yet. */
  get isAny(): boolean {
    return this.#waits.size > 0;
  }

  /** Ends the wait of an actor early, unless a timer for it is set already; returns whether there was one to end. */
  endOf(actor: ActorId): boolean {
    const wait = [...this.#waits].find((one) => one.actor === actor);
    if (wait === undefined) return false;
    this.#waits.delete(wait);
    wait.end();
    return true;
  }

  /** Call when everything is at rest: sets a timer for the first wait that ends before the clock's next timer. */
  atRest(keepsUp: boolean): void {
    const [first] = [...this.#waits].toSorted((a, b) => a.fromMs - b.fromMs);
    if (first === undefined) return;
    const nowMs = this.#time.now();
    // Allows less lateness toward the end of a wait, so that the target's timers are on time when it ends.
    this.#time.hurry?.(Math.max(0, Math.min(slackAfter(nowMs - first.sinceMs, keepsUp), (first.fromMs - nowMs) / 2)));
    const nextMs = this.#time.next()?.atMs ?? first.fromMs;
    if (nextMs < first.fromMs) return;
    this.#waits.delete(first);
    this.#time.hurry?.(0);
    this.#untilMs = Math.max(first.fromMs, nextMs - LEAD_MS);
    // Timers may have been late when the event was measured, and may be late now: after twice that lateness, the event has happened.
    const lateMs = this.#time.hurry === undefined ? 0 : 2 * slackAfter(first.fromMs - first.sinceMs, keepsUp);
    this.#seenUntilMs = Math.max(this.#seenUntilMs, this.#untilMs + lateMs);
    this.#time.after(Math.max(0, this.#untilMs - this.#time.now()), first.actor, first.end);
  }

  /** Ends all waits. */
  endAll(): void {
    for (const { end } of this.#waits) end();
    this.#waits.clear();
    this.#time.hurry?.(0);
    this.#untilMs = 0;
    this.#seenUntilMs = 0;
  }
}
