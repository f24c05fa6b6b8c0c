/**
 * Executes items as soon as the scheduler allows them, for gates that do not wait for the target to come to rest.
 *
 * Owns: asking the scheduler whenever an item arrives. Items that the scheduler holds stay pending until something else happens or the
 * scheduler is asked again. Does not own: what is held (a `Scheduler` over a schedule). Start at {@link FreeRunning}.
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

  /** `gate` is called only when the first item arrives: the gate does not exist yet, because it is created with `parked` as a hook. */
  constructor(scheduler: Scheduler, gate: () => Gate) {
    this.#scheduler = scheduler;
    this.#gate = gate;
  }

  /** Called when an item has arrived, or when the scheduler may decide differently. */
  readonly parked = (): void => {
    // Executing an item makes others arrive. They are executed after it; otherwise events of one watch would overtake each other.
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
