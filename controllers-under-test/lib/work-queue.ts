/**
 * A work queue of keys: one reconcile per key at a time, several keys in parallel, failures retried with back-off.
 *
 * A key that is added during its reconcile is reconciled once more afterwards, so no change is missed; a key that is added twice while it
 * waits is reconciled once. A success resets the back-off of its key. Changes do not shorten the pause after a failure: the retry sees
 * them too, and a server that refuses requests does not need more of them.
 */
import { backoffMs } from './backoff.ts';
import { retryAfterMs } from './errors.ts';

const CONCURRENCY = 4;
const BACKOFF = { baseMs: 50, maxMs: 30_000 };

export class WorkQueue {
  readonly #reconcile: (key: string) => Promise<void>;
  readonly #waiting = new Set<string>();
  readonly #working = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #open = false;

  constructor(reconcile: (key: string) => Promise<void>) {
    this.#reconcile = reconcile;
  }

  /** Requests a reconcile of the key as soon as possible. */
  add(key: string): void {
    if (this.#failures.has(key) && this.#timers.has(key)) return;
    this.#waiting.add(key);
    this.#pump();
  }

  /** Requests a reconcile later, unless the key is reconciled before. */
  addAfter(key: string, delayMs: number): void {
    clearTimeout(this.#timers.get(key));
    const timer = setTimeout(() => {
      this.#timers.delete(key);
      this.add(key);
    }, delayMs);
    this.#timers.set(key, timer);
  }

  start(): void {
    this.#open = true;
    this.#pump();
  }

  stop(): void {
    this.#open = false;
    this.#waiting.clear();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #pump(): void {
    if (!this.#open) return;
    for (const key of this.#waiting) {
      if (this.#working.size >= CONCURRENCY) return;
      if (this.#working.has(key)) continue;
      this.#waiting.delete(key);
      this.#working.add(key);
      void this.#work(key);
    }
  }

  async #work(key: string): Promise<void> {
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
    try {
      await this.#reconcile(key);
      this.#failures.delete(key);
    } catch (error) {
      const failures = this.#failures.get(key) ?? 0;
      this.#failures.set(key, failures + 1);
      this.#waiting.delete(key);
      if (this.#open) this.addAfter(key, Math.max(backoffMs(failures, BACKOFF), retryAfterMs(error)));
    } finally {
      this.#working.delete(key);
      this.#pump();
    }
  }
}
