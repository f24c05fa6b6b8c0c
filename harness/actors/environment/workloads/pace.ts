/**
 * The duration of steps that take time in a cluster: starting and stopping a container, completing a task, binding a volume.
 *
 * Owns: a delay for each step of each object, drawn from the run's seed, so that the same object takes the same time in every repetition of
 * the run.
 */
import type { Random } from '../../../determinism/random.ts';

export type Speed = 'fast' | 'slow';

/**
 * The bounds of a delay in ms of run time. Fast steps end within the time that a run waits for rest; slow ones let other actors act in
 * between.
 */
const DELAY_MS: { readonly [speed in Speed]: { readonly min: number; readonly max: number } } = {
  fast: { min: 5, max: 50 },
  slow: { min: 300, max: 1_200 },
};

export interface PaceOptions {
  readonly speed: Speed;
  readonly random: Random;
  /** Calls `then` after this much run time. */
  readonly after: (delayMs: number, then: () => void) => void;
}

export class ReadinessDelays {
  readonly #options: PaceOptions;
  readonly #elapsed = new Set<string>();
  readonly #running = new Set<string>();

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** Reports whether a step may happen now; if not, `again` is called when it may. */
  has(step: string, again: () => void): boolean {
    if (this.#elapsed.has(step)) return true;
    if (!this.#running.has(step)) {
      this.#running.add(step);
      const { speed, random, after } = this.#options;
      const { min, max } = DELAY_MS[speed];
      after(min + random.child(step).int(max - min + 1), () => {
        this.#elapsed.add(step);
        again();
      });
    }
    return false;
  }
}
