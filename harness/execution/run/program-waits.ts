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
 * The longer it has been waited, the later may timers be, up to a bound: locks are kept up with them, and over hours two minutes do not
 * matter. Each moment at which a program wakes up costs as much as a request, and some wake up every few seconds for nothing.
 */
const SLACK_SHARE = 0.05;
const SLACK_MAX_MS = 5_000;
const SLACK_OF_LONG_MAX_MS = 120_000;
const SLACK_OF_LOCKS_MAX_MS = 1_000;
/** From then on a wait is long. */
const LONG_MS = 600_000;

/**
 * How late timers may be once nothing but waiting has gone on for so long, in ms.
 *
 * @param keepsUp Whether the target keeps something up that would expire.
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

  /** Run time until which somebody waits; in the past when nobody does. */
  get untilMs(): number {
    return Math.max(this.#untilMs, ...[...this.#waits].map(({ fromMs }) => fromMs));
  }

  /** Run time by which the moment that a program has waited for has come. */
  get seenUntilMs(): number {
    return Math.max(this.untilMs, this.#seenUntilMs);
  }

  /** Whether time passes at this moment because a program waits. */
  get isUnderWay(): boolean {
    return this.seenUntilMs > this.#time.now();
  }

  begin(actor: ActorId, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sinceMs = this.#time.now();
    this.#waits.add({ actor, sinceMs, fromMs: sinceMs + ms, end: resolve });
    return promise;
  }

  /** Everybody is at rest: sets a timer for the first one whose time has come before the clock's next moment. */
  atRest(keepsUp: boolean): void {
    const [first] = [...this.#waits].toSorted((a, b) => a.fromMs - b.fromMs);
    if (first === undefined) return;
    const nowMs = this.#time.now();
    // Its last stretch is waited for with care: by then the target does each thing when it wants to.
    this.#time.hurry?.(Math.max(0, Math.min(slackAfter(nowMs - first.sinceMs, keepsUp), (first.fromMs - nowMs) / 2)));
    const nextMs = this.#time.next()?.atMs ?? first.fromMs;
    if (nextMs < first.fromMs) return;
    this.#waits.delete(first);
    this.#time.hurry?.(0);
    this.#untilMs = Math.max(first.fromMs, nextMs - LEAD_MS);
    // Timers were late when the moment was measured that is waited for, and may be late now: twice that later it has come.
    const lateMs = this.#time.hurry === undefined ? 0 : 2 * slackAfter(first.fromMs - first.sinceMs, keepsUp);
    this.#seenUntilMs = Math.max(this.#seenUntilMs, this.#untilMs + lateMs);
    this.#time.after(Math.max(0, this.#untilMs - this.#time.now()), first.actor, first.end);
  }

  /** Nobody waits any longer. */
  endAll(): void {
    for (const { end } of this.#waits) end();
    this.#waits.clear();
    this.#time.hurry?.(0);
    this.#untilMs = 0;
    this.#seenUntilMs = 0;
  }
}
