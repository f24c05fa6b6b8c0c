/**
 * Lets items happen by themselves, the moment they may: how the gate runs where rest is not waited for.
 *
 * Owns: asking the scheduler whenever something arrives. What it leaves waiting (held items) stays pending until something else happens
 * or it is asked again. Does not own: what is held (a `Scheduler` over a schedule). Start at {@link FreeRunning}.
 */
import type { ActorId } from '../model/actor.ts';
import type { Scheduler } from '../model/item.ts';
import type { Gate } from './gate.ts';

const NOBODY: ReadonlySet<ActorId> = new Set();

export class FreeRunning {
  readonly #scheduler: Scheduler;
  readonly #gate: () => Gate;
  #running = false;
  #step = 0;

  /** `gate` is asked for when the first item arrives, for the gate's hooks name `parked` below. */
  constructor(scheduler: Scheduler, gate: () => Gate) {
    this.#scheduler = scheduler;
    this.#gate = gate;
  }

  /** Items that have happened. */
  get steps(): number {
    return this.#step;
  }

  /** Something has arrived, or the scheduler may see things differently now. */
  readonly parked = (): void => {
    // What happens makes others arrive; each gets its turn after what it came from, or events of one watch would overtake each other.
    if (this.#running) return;
    this.#running = true;
    try {
      const gate = this.#gate();
      while (gate.pending.length > 0) {
        const view = { items: gate.pending, timer: undefined, nowMs: 0, step: this.#step, completed: NOBODY };
        const choice = this.#scheduler.next(view);
        if (choice === undefined) break;
        this.#step++;
        gate.execute(choice.item, choice.fault);
      }
    } finally {
      this.#running = false;
    }
  };
}
