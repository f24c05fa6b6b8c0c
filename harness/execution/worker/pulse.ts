/**
 * The pulse of a worker: that it is alive, which undisturbed run it is at, and that work which is of no use unless it is whole ends when
 * somebody says stop, or when its time is over.
 *
 * A search ends between two runs. What is measured beforehand, and the replay of a finding that is kept, for a program take tens of
 * seconds: they are cut short wherever they wait.
 */
import { realNow } from '../../determinism/real-time.ts';
import { CutShort } from '../run/cut-short.ts';
import { SLOT } from './protocol.ts';

export class Pulse {
  readonly #slots: Int32Array;
  readonly #onRun: (run: number) => void;
  #isMeasuring = false;
  /** Real time at which what is under way is cut short; absent where nothing is that may be. */
  #until: number | undefined;
  #wasCut = false;
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
   * @throws {CutShort} when something is under way that may be cut short, and is to end.
   */
  readonly beat = (): void => {
    Atomics.add(this.#slots, SLOT.heartbeat, 1);
    if (this.#until === undefined || !(this.stopped() || realNow() >= this.#until)) return;
    this.#wasCut = true;
    throw new CutShort(this.stopped() ? 'it was stopped' : 'its time was over');
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
      return await this.within(Number.POSITIVE_INFINITY, work);
    } finally {
      this.#isMeasuring = false;
    }
  }

  /** Does work that is cut short at `until`, in real time; undefined when it was, or was stopped. */
  async within<T>(until: number, work: () => Promise<T>): Promise<T | undefined> {
    this.#until = until;
    this.#wasCut = false;
    try {
      const done = await work();
      return this.#wasCut ? undefined : done;
    } catch (error) {
      // However a run went wrong that was cut short, it says nothing of the target.
      if (!this.#wasCut) throw error;
      return undefined;
    } finally {
      this.#until = undefined;
    }
  }
}
