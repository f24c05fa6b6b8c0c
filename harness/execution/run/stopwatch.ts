/**
 * Measures how the real time of one run is spent. A history contains run time only, which in virtual time has little to do with real time.
 */
import { realNow } from '../../determinism/real-time.ts';
import type { TimeSpent } from '../../model/finding.ts';

/** The duration of the parts of a run, in ms of real time. */
export type RunTimes = Omit<TimeSpent, 'runs'>;
type Part = Exclude<keyof RunTimes, 'drainMs'>;

export class Stopwatch {
  readonly #spent: { [part in Part]: number } = { startMs: 0, contentionMs: 0, restMs: 0, furtherMs: 0 };
  #part: Part = 'startMs';
  #since: number = realNow();

  /** Counts time from now on as time of this part. */
  enter(part: Part): void {
    const now = realNow();
    this.#spent[this.#part] += now - this.#since;
    [this.#part, this.#since] = [part, now];
  }

  /** Returns the times so far. @param drainMs How much of the real time was spent waiting for the target, in ms. */
  times(drainMs: number): RunTimes {
    this.enter(this.#part);
    return { ...this.#spent, drainMs };
  }
}
