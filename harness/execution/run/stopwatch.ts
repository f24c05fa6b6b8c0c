/** Where the real time of one run goes. A history knows the time of the run only: in virtual time the two have little in common. */
import { realNow } from '../../determinism/real-time.ts';
import type { TimeSpent } from '../../model/finding.ts';

/** The parts of a run, in ms of real time. */
export type RunTimes = Omit<TimeSpent, 'runs'>;
type Part = Exclude<keyof RunTimes, 'drainMs'>;

export class Stopwatch {
  readonly #spent: { [part in Part]: number } = { startMs: 0, contentionMs: 0, restMs: 0, furtherMs: 0 };
  #part: Part = 'startMs';
  #since: number = realNow();

  /** From here on time counts for this part. */
  enter(part: Part): void {
    const now = realNow();
    this.#spent[this.#part] += now - this.#since;
    [this.#part, this.#since] = [part, now];
  }

  /** @param drainMs How much of it the target was waited for. */
  times(drainMs: number): RunTimes {
    this.enter(this.#part);
    return { ...this.#spent, drainMs };
  }
}
