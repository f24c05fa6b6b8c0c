/**
 * How long a search may wait for runs that have come to rest, in real time: a share of what has passed.
 *
 * What shrinks and reproduces a finding does not wait on that account: a finding that needs eight seconds of silence to be proven would
 * count as not reproduced as soon as the search had spent its share.
 */
import { realNow } from '../../determinism/real-time.ts';
import type { Patience } from '../run/prober.ts';

/** However much is suspected, this share of a campaign, in each of its lanes, is spent on looking at runs that have come to rest. */
const WAITING_SHARE = 0.4;
/** So much of it from the beginning: enough for one suspect that takes a minute, and the shorter looks before that, on a busy machine. */
const WAITING_MIN_MS = 90_000;

export class Waiting implements Patience {
  readonly #deadline: number;
  readonly #began: number = realNow();
  readonly #lanes: number;
  #spentMs = 0;
  #unhurried = 0;

  /**
   * @param deadline Of all trials, in real time.
   * @param lanes Runs that can be waited for at once.
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

  /** As long as `work` takes, there is no limit, and nothing is counted. */
  async unhurried<T>(work: () => Promise<T>): Promise<T> {
    this.#unhurried++;
    try {
      return await work();
    } finally {
      this.#unhurried--;
    }
  }
}
