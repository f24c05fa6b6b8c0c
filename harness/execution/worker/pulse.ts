/**
 * The pulse of a worker: that it is alive, which undisturbed run it is at, and that work ends when its time is over.
 *
 * A run of a program may take tens of seconds, and a target may never come to rest: runs are cut short wherever they wait. What is of no
 * use unless it is whole (the undisturbed runs, the replay of a kept finding) also ends when the user says stop; a search then ends
 * between two runs.
 */
import { realNow } from '../../determinism/real-time.ts';
import { CutShort } from '../run/cut-short.ts';
import type { CutAt } from '../time-plan.ts';
import { SLOT } from './protocol.ts';

export class Pulse {
  readonly #slots: Int32Array;
  readonly #onRun: (run: number) => void;
  #isMeasuring = false;
  /** Real time at which what is under way is cut short; absent where nothing is that may be. */
  #until: number | undefined;
  #endsOnStop = false;
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
    if (this.#until === undefined) return;
    const isStopped = this.#endsOnStop && this.stopped();
    if (!isStopped && realNow() < this.#until) return;
    this.#wasCut = true;
    throw new CutShort(isStopped ? 'it was stopped' : 'its time was over', true);
  };

  /** Called when the embedded server is entered, and when it is left: what it takes is not the target's doing. */
  readonly served = (): void => {
    Atomics.add(this.#slots, SLOT.server, 1);
  };

  /** {@link beat}, before each run. */
  readonly begun = (): void => {
    this.beat();
    if (this.#isMeasuring) this.#onRun(++this.#run);
  };

  /** Does undisturbed runs, which end at `until`; undefined when they were cut short. */
  async measuring<T>(work: () => Promise<T>, until: number = Number.POSITIVE_INFINITY): Promise<T | undefined> {
    this.#isMeasuring = true;
    try {
      return await this.within(until, work);
    } finally {
      this.#isMeasuring = false;
    }
  }

  /** Does work that is cut short at `until`, in real time; undefined when it was, or was stopped. */
  async within<T>(until: number, work: () => Promise<T>): Promise<T | undefined> {
    this.#endsOnStop = true;
    this.#wasCut = false;
    try {
      const done = await this.cutAt(until, work);
      return this.#wasCut ? undefined : done;
    } catch (error) {
      // However a run went wrong that was cut short, it says nothing of the target.
      if (!this.#wasCut) throw error;
      return undefined;
    } finally {
      this.#endsOnStop = false;
    }
  }

  /** Does work whose runs are cut short at `until`, in real time: what that comes to is for the work to say. */
  readonly cutAt: CutAt = async (until, work) => {
    const before = this.#until;
    this.#until = Math.min(until, before ?? Number.POSITIVE_INFINITY);
    try {
      return await work();
    } finally {
      this.#until = before;
    }
  };
}
