/**
 * The pulse of a worker: reports that the worker is alive and which undisturbed run it is in, and ends work whose time is over.
 *
 * A run of a program may take tens of seconds, and a target may never come to rest, so runs are cut short wherever they wait. Work that is
 * useless until it is complete (the undisturbed runs, the replay of a corpus entry) also ends when the user stops it; a search ends
 * between two runs, or in the middle of one that goes on for longer.
 */
import { realNow } from '../../determinism/real-time.ts';
import { CutShort } from '../run/cut-short.ts';
import type { CutAt } from '../time-plan.ts';
import { SLOT } from './protocol.ts';

/** How long a run may go on after the user has stopped the search, in ms of real time. */
const STOPPED_MAX_MS = 5_000;

export class Pulse {
  readonly #slots: Int32Array;
  readonly #onRun: (run: number) => void;
  readonly #stoppedMaxMs: number;
  #isMeasuring = false;
  /** Real time in ms at which the current work is cut short; undefined if it must not be. */
  #until: number | undefined;
  #endsOnStop = false;
  /** Real time in ms at which the stop was first noticed. */
  #stoppedAt: number | undefined;
  #wasCut = false;
  #run = 0;

  /** @param onRun - Called with the number of each undisturbed run that begins. */
  constructor(slots: Int32Array, onRun: (run: number) => void, stoppedMaxMs: number = STOPPED_MAX_MS) {
    this.#stoppedMaxMs = stoppedMaxMs;
    this.#slots = slots;
    this.#onRun = onRun;
  }

  readonly stopped = (): boolean => Atomics.load(this.#slots, SLOT.stop) === 1;

  /**
   * Call wherever the harness waits.
   *
   * @throws {CutShort} if the current work may be cut short, and its time is over or the user stopped it.
   */
  readonly beat = (): void => {
    Atomics.add(this.#slots, SLOT.heartbeat, 1);
    if (this.#until === undefined) return;
    const isStopped = this.stopped() && (this.#endsOnStop || this.#stoppedMs() >= this.#stoppedMaxMs);
    if (!isStopped && realNow() < this.#until) return;
    this.#wasCut = true;
    throw new CutShort(isStopped ? 'it was stopped' : 'its time was over', true);
  };

  #stoppedMs(): number {
    this.#stoppedAt ??= realNow();
    return realNow() - this.#stoppedAt;
  }

  /** Call when the embedded server begins and when it finishes a request: the time in between is not counted as the target's. */
  readonly served = (): void => {
    Atomics.add(this.#slots, SLOT.server, 1);
  };

  /** Call before each run; calls {@link beat}. */
  readonly begun = (): void => {
    this.beat();
    if (this.#isMeasuring) this.#onRun(++this.#run);
  };

  /** Makes undisturbed runs, cutting them short at `until`; resolves to undefined if that happened. */
  async measuring<T>(work: () => Promise<T>, until: number = Number.POSITIVE_INFINITY): Promise<T | undefined> {
    this.#isMeasuring = true;
    try {
      return await this.within(until, work);
    } finally {
      this.#isMeasuring = false;
    }
  }

  /** Runs `work`, cutting it short at `until` (real time); resolves to undefined if it was cut short or stopped. */
  async within<T>(until: number, work: () => Promise<T>): Promise<T | undefined> {
    this.#endsOnStop = true;
    this.#wasCut = false;
    try {
      const done = await this.cutAt(until, work);
      return this.#wasCut ? undefined : done;
    } catch (error) {
      // An error in a run that was cut short is not the target's fault.
      if (!this.#wasCut) throw error;
      return undefined;
    } finally {
      this.#endsOnStop = false;
    }
  }

  /** Runs `work`, aborting any run that is still going at `until` (real time). `work` must handle the aborted run. */
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
