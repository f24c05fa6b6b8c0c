/**
 * Programs that let time pass before they go on.
 *
 * Nothing that matters changes while everybody is at rest, so whoever waits goes on at one of the moments that do: just before the
 * target does something by itself. Owns: when each wait ends. Does not own: whether time passes (`pump.ts`).
 */
import type { RunClock } from '../../determinism/run-clock.ts';
import type { ActorId } from '../../model/actor.ts';

/** Room for a few requests before the target wakes up, and little enough for what they changed to be on its way to it still. */
const LEAD_MS = 20;

/**
 * The longer it has been waited, the later may timers be, up to a bound: locks are kept up with them, and over hours nobody looks at a
 * minute. Each moment at which a program wakes up costs as much as a request, and some wake up every few seconds for nothing.
 */
const SLACK_SHARE = 0.05;
const SLACK_MAX_MS = 5_000;
const SLACK_OF_HOURS_MAX_MS = 120_000;
const SLACK_OF_LOCKS_MAX_MS = 1_000;
/** From then on a wait is one of hours. */
const LONG_MS = 600_000;

/** How late timers may be once nothing but waiting has gone on for so long, in ms. */
export function slackAfter(waitedMs: number, hasLock: boolean): number {
  if (hasLock) return Math.min(waitedMs * SLACK_SHARE, SLACK_OF_LOCKS_MAX_MS);
  return Math.min(waitedMs * SLACK_SHARE, waitedMs < LONG_MS ? SLACK_MAX_MS : SLACK_OF_HOURS_MAX_MS);
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

  constructor(time: RunClock) {
    this.#time = time;
  }

  /** Run time until which somebody waits, and sees what comes of it; in the past when nobody does. */
  get untilMs(): number {
    return Math.max(this.#untilMs, ...[...this.#waits].map(({ fromMs }) => fromMs));
  }

  /** Whether somebody waits at this moment. */
  get isUnderWay(): boolean {
    return this.untilMs > this.#time.now();
  }

  begin(actor: ActorId, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sinceMs = this.#time.now();
    this.#waits.add({ actor, sinceMs, fromMs: sinceMs + ms, end: resolve });
    return promise;
  }

  /** Everybody is at rest: sets a timer for the first one whose time has come before the clock's next moment. */
  atRest(hasLock: boolean): void {
    const [first] = [...this.#waits].toSorted((a, b) => a.fromMs - b.fromMs);
    if (first === undefined) return;
    const nowMs = this.#time.now();
    // Its last stretch is waited for with care: by then the target does each thing when it wants to.
    this.#time.hurry?.(Math.max(0, Math.min(slackAfter(nowMs - first.sinceMs, hasLock), (first.fromMs - nowMs) / 2)));
    const nextMs = this.#time.next()?.atMs ?? first.fromMs;
    if (nextMs < first.fromMs) return;
    this.#waits.delete(first);
    this.#time.hurry?.(0);
    const atMs = Math.max(first.fromMs, nextMs - LEAD_MS);
    // The moment waited for is known as well as timers were on time when it was seen. Afterwards it comes in any case.
    this.#untilMs = atMs + 2 * slackAfter(first.fromMs - first.sinceMs, hasLock);
    this.#time.after(Math.max(0, atMs - this.#time.now()), first.actor, first.end);
  }

  /** Nobody waits any longer. */
  endAll(): void {
    for (const { end } of this.#waits) end();
    this.#waits.clear();
    this.#time.hurry?.(0);
    this.#untilMs = 0;
  }
}
