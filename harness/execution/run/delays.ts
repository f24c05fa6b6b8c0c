/**
 * Items that a schedule delays: they leave the gate and return to it after the given run time.
 *
 * Owns: when each delay ends. Does not own: what happens in between, and the passing of time (`pump.ts`).
 */
import type { RunClock } from '../../determinism/run-clock.ts';
import { askedMs, type PendingItem } from '../../gate/exchange.ts';
import { ANSWER_MAX_MS, LATE_MAX_MS } from '../../schedule/delays.ts';

/** The owner of the timers that end delays. */
export const OWNER = 'delays';

/**
 * Returns the run time by which an item must happen. An answer to a request (including a list that arrives as watch events) is delivered
 * before a real server would have timed out; an unsolicited event may happen later.
 *
 * @param sinceMs When the item began to wait.
 */
export function latestMs(item: PendingItem, sinceMs: number): number {
  const asked = askedMs(item);
  return asked === undefined ? sinceMs + LATE_MAX_MS : Math.max(sinceMs, asked + ANSWER_MAX_MS);
}

interface Delay {
  readonly untilMs: number;
  readonly end: () => void;
}

export class Delays {
  readonly #time: RunClock;
  readonly #delays = new Set<Delay>();

  constructor(time: RunClock) {
    this.#time = time;
  }

  /** The run time at which the last delay ends; minus infinity if nothing is delayed. */
  get untilMs(): number {
    return Math.max(Number.NEGATIVE_INFINITY, ...[...this.#delays].map(({ untilMs }) => untilMs));
  }

  get isUnderWay(): boolean {
    return this.#delays.size > 0;
  }

  /**
   * Starts a delay.
   *
   * @param then Called when the delay ends, with its actual length in ms.
   */
  begin(forMs: number, then: (lastedMs: number) => void): void {
    const sinceMs = this.#time.now();
    const cancel = this.#time.after(forMs, OWNER, () => delay.end());
    const delay: Delay = {
      untilMs: sinceMs + forMs,
      end: () => {
        if (!this.#delays.delete(delay)) return;
        cancel();
        then(this.#time.now() - sinceMs);
      },
    };
    this.#delays.add(delay);
  }

  /** Ends all delays now. */
  endAll(): void {
    for (const { end } of [...this.#delays]) end();
  }
}
