/**
 * A controller's work queue without a clock: keys are processed one at a time, and again if the work requests it.
 *
 * Owns: order, deduplication, the limit on retries. Real controllers back off between retries; here every request waits at the gate anyway,
 * and a retry costs nothing but steps.
 */
export type WorkResult = 'done' | 'again';

/** After this many failures in a row, a key waits for the next change that concerns it. */
const TRIES_MAX = 16;

export class WorkQueue {
  readonly #process: (key: string) => Promise<WorkResult>;
  readonly #waiting = new Set<string>();
  /** Failures in a row by key, since it was added. */
  readonly #tries = new Map<string, number>();
  #running = false;

  constructor(process: (key: string) => Promise<WorkResult>) {
    this.#process = process;
  }

  /**
   * Adds the key unless it is queued. The work starts after this call returns, because a change is still being published during the call.
   */
  add(key: string): void {
    this.#waiting.add(key);
    this.#tries.delete(key);
    if (this.#running) return;
    this.#running = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    await Promise.resolve();
    try {
      for (const key of this.#waiting) {
        this.#waiting.delete(key);
        const made = (this.#tries.get(key) ?? 0) + 1;
        this.#tries.set(key, made);
        if ((await this.#process(key)) === 'done') this.#tries.delete(key);
        // A key added again is visited later in the same loop, because a Set iterates over additions.
        else if (made < TRIES_MAX) this.#waiting.add(key);
      }
    } finally {
      this.#running = false;
    }
  }
}
