/**
 * Limits the real time that a search spends on observing runs at rest to a share of the elapsed time.
 *
 * Shrinking and reproducing a finding are exempt: otherwise, once the search had spent its share, a finding that needs eight seconds of
 * silence as proof would count as not reproduced.
 */
import { realNow } from '../../determinism/real-time.ts';
import type { Patience } from '../run/prober.ts';

/** The share of a campaign's time, in each lane, that may be spent on examining runs at rest, whatever is suspected. */
const WAITING_SHARE = 0.4;
/**
 * The time that is available from the beginning, in ms: enough, on a loaded machine, for one suspect that takes a minute and for the
 * shorter windows before that.
 */
const WAITING_MIN_MS = 90_000;

export class Waiting implements Patience {
  readonly #deadline: number;
  readonly #began: number = realNow();
  readonly #lanes: number;
  #spentMs = 0;
  #unhurried = 0;

  /**
   * @param deadline When all trials end, in ms of real time.
   * @param lanes The number of runs that can be waited for at once.
   */
  constructor(deadline: number, lanes: number) {
    this.#lanes = lanes;
    this.#deadline = deadline;
  }

  leftMs(): number {
    if (this.#unhurried > 0) return Number.POSITIVE_INFINITY;
    const now = realNow();
    const share = (WAITING_MIN_MS + (now - this.#began) * WAITING_SHARE) * this.#lanes - this.#spentMs;
    return Math.min(this.#deadline - now, share);
  }

  spend(ms: number): void {
    if (this.#unhurried === 0) this.#spentMs += ms;
  }

  /** Runs `work` without limiting or counting its waits. */
  async unhurried<T>(work: () => Promise<T>): Promise<T> {
    this.#unhurried++;
    try {
      return await work();
    } finally {
      this.#unhurried--;
    }
  }
}
