/**
 * Items that a schedule delays: they leave the gate, and come back to it once so much run time has passed.
 *
 * Owns: until when. Does not own: what else happens meanwhile, and that time passes (`pump.ts`).
 */
import type { RunClock } from '../../determinism/run-clock.ts';
import { askedMs, type PendingItem } from '../../gate/exchange.ts';
import { ANSWER_MAX_MS, LATE_MAX_MS } from '../../schedule/delays.ts';

/** Whose timers they are. */
export const OWNER = 'delays';

/**
 * Run time at which an item happens at the latest: what was asked for, a list that comes as events of a watch included, is there as soon
 * as a real server would have given up; what comes by itself may be later than that.
 *
 * @param sinceMs Since when it waits.
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

  /** Run time at which the last of them is over; in the past when nothing is delayed. */
  get untilMs(): number {
    return Math.max(Number.NEGATIVE_INFINITY, ...[...this.#delays].map(({ untilMs }) => untilMs));
  }

  get isUnderWay(): boolean {
    return this.#delays.size > 0;
  }

  /** @param then Called once it is over, with how long it has lasted. */
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

  /** All of them are over now. */
  endAll(): void {
    for (const { end } of [...this.#delays]) end();
  }
}
