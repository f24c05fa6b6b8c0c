/**
 * A controller's loop without a clock: keys are worked off one at a time, and again when the work says so.
 *
 * Owns: order, deduplication, the bound on repetition. Real controllers back off between tries; here every request waits at the gate
 * anyway, and a try costs nothing but steps.
 */
export type WorkResult = 'done' | 'again';

/** So many failures in a row and the key waits for the next change that concerns it. */
const TRIES_MAX = 16;

export class WorkQueue {
  readonly #process: (key: string) => Promise<WorkResult>;
  readonly #waiting = new Set<string>();
  /** Failures in a row, by key, since it was added. */
  readonly #tries = new Map<string, number>();
  #running = false;

  constructor(process: (key: string) => Promise<WorkResult>) {
    this.#process = process;
  }

  /** Queues the key unless it waits already. Work never starts within this call: changes are announced while they happen. */
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
        // A key that is put back comes up later in this same loop: that is how a Set iterates.
        else if (made < TRIES_MAX) this.#waiting.add(key);
      }
    } finally {
      this.#running = false;
    }
  }
}
