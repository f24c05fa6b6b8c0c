/**
 * The pulse of a worker: that it is alive, which undisturbed run it is at, and that measuring ends when somebody says stop.
 *
 * A search ends between two runs. What is measured beforehand is of no use unless it is whole, and for a program takes tens of seconds: it
 * is cut short wherever it waits.
 */
import { CutShort } from '../run/cut-short.ts';
import { SLOT } from './protocol.ts';

export class Pulse {
  readonly #slots: Int32Array;
  readonly #onRun: (run: number) => void;
  #isMeasuring = false;
  #run = 0;

  /** @param onRun - Hears of each undisturbed run that begins, by its number. */
  constructor(slots: Int32Array, onRun: (run: number) => void) {
    this.#slots = slots;
    this.#onRun = onRun;
  }

  readonly stopped = (): boolean => Atomics.load(this.#slots, SLOT.stop) === 1;

  /**
   * Called wherever something is waited for.
   *
   * @throws {CutShort} when the target is being measured and that is to end.
   */
  readonly beat = (): void => {
    Atomics.add(this.#slots, SLOT.heartbeat, 1);
    if (this.#isMeasuring && this.stopped()) throw new CutShort('it was stopped');
  };

  /** The same, before each run. */
  readonly begun = (): void => {
    this.beat();
    if (this.#isMeasuring) this.#onRun(++this.#run);
  };

  /** Does undisturbed runs; undefined when they were stopped. */
  async measuring<T>(work: () => Promise<T>): Promise<T | undefined> {
    this.#isMeasuring = true;
    try {
      const measured = await work();
      return this.stopped() ? undefined : measured;
    } catch (error) {
      // However a run went wrong that was cut short, it says nothing of the target.
      if (!this.stopped()) throw error;
      return undefined;
    } finally {
      this.#isMeasuring = false;
    }
  }
}
