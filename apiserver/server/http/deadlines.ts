/**
 * Deadlines of many long requests on one timer.
 *
 * Thousands of idle watches should not need thousands of timers: deadlines are grouped by second, and one timer runs while there are any.
 * Owns: that timer.
 */
import { realClearTimeout, realNow, realSetTimeout } from '../../clock.ts';

const SECOND_MS = 1000;

export class Deadlines {
  readonly #bySecond = new Map<number, Set<() => void>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #due = Number.POSITIVE_INFINITY;

  /** Calls `expire` after `seconds`, at most a second late, unless the returned function is called first. */
  after(seconds: number, expire: () => void): () => void {
    const second = Math.ceil(realNow() / SECOND_MS + seconds);
    let set = this.#bySecond.get(second);
    if (set === undefined) this.#bySecond.set(second, (set = new Set()));
    const expiring = set;
    expiring.add(expire);
    if (second < this.#due) this.#arm(second);
    return () => {
      expiring.delete(expire);
      if (expiring.size === 0 && this.#bySecond.get(second) === expiring) this.#bySecond.delete(second);
      if (this.#bySecond.size === 0) this.close();
    };
  }

  /** Removes all deadlines. */
  close(): void {
    this.#bySecond.clear();
    realClearTimeout(this.#timer);
    this.#due = Number.POSITIVE_INFINITY;
  }

  #arm(second: number): void {
    realClearTimeout(this.#timer);
    this.#due = second;
    this.#timer = realSetTimeout(() => this.#expire(), Math.max(0, second * SECOND_MS - realNow()));
  }

  #expire(): void {
    this.#due = Number.POSITIVE_INFINITY;
    const now = realNow() / SECOND_MS;
    const due = [...this.#bySecond].filter(([second]) => second <= now);
    for (const [second] of due) this.#bySecond.delete(second);
    for (const [, set] of due) for (const expire of set) expire();
    const next = Math.min(...this.#bySecond.keys());
    if (Number.isFinite(next) && next < this.#due) this.#arm(next);
  }
}
