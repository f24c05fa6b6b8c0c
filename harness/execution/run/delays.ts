/**
 * Items that a schedule delays: they leave the gate, and come back to it once so much run time has passed.
 *
 * Owns: until when. Does not own: what else happens meanwhile, and that time passes (`pump.ts`).
 */
import type { RunClock } from '../../determinism/run-clock.ts';

/** Whose timers they are. */
export const OWNER = 'delays';

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
