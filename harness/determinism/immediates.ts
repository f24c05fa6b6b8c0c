/**
 * Counts pending immediates to detect quiescence. setImmediate stays real, so that streams and libraries behave as usual.
 *
 * Immediates of a dead owner never run.
 */
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Owner, Owners } from './owners.ts';
import type { Patches } from './patches.ts';
import { realClearImmediate, realSetImmediate } from './real-time.ts';

type Callback = (...args: readonly unknown[]) => void;

/** The bookkeeping of one immediate, stored on the immediate itself. */
interface Ticket {
  readonly owner: Owner | undefined;
  readonly callback: Callback;
  readonly args: readonly unknown[];
  readonly run: number;
  /** Whether `pending` includes the immediate until it is over; false if its owner was dead when it was queued. */
  counted: boolean;
  over: boolean;
}

const TICKET = Symbol('stalemate.immediate');
type Ticketed = NodeJS.Immediate & { [TICKET]?: Ticket };

export class Immediates {
  /** Number of immediates queued in this run that have not run yet. */
  pending = 0;
  /** Incremented whenever an immediate is queued or runs. */
  activity = 0;
  readonly #owners: Owners;
  #run = 0;

  constructor(owners: Owners) {
    this.#owners = owners;
  }

  reset(): void {
    this.#run++;
    this.pending = 0;
  }

  set(callback: unknown, ...args: readonly unknown[]): NodeJS.Immediate {
    if (typeof callback !== 'function') return realSetImmediate(callback as () => void); // throws the platform's own error
    const owner = this.#owners.current();
    const counted = owner?.live !== false;
    const ticket: Ticket = { owner, callback: callback as Callback, args, run: this.#run, counted, over: false };
    const immediate: Ticketed = realSetImmediate(this.#execute, ticket);
    immediate[TICKET] = ticket;
    if (counted) {
      this.pending++;
      this.activity++;
    }
    return immediate;
  }

  clear(immediate: unknown): void {
    const ticket = (immediate as Ticketed | undefined)?.[TICKET];
    if (ticket !== undefined) this.#settle(ticket);
    realClearImmediate(immediate as NodeJS.Immediate | undefined);
  }

  install(patches: Patches): void {
    const set = Object.assign((callback: unknown, ...args: readonly unknown[]) => this.set(callback, ...args), {
      [promisify.custom]: (value: unknown) => this.#promise(value),
    });
    const clear = (immediate: unknown): void => this.clear(immediate);
    for (const target of [globalThis, timers]) {
      patches.value(target, 'setImmediate', set);
      patches.value(target, 'clearImmediate', clear);
    }
    patches.value(timersPromises, 'setImmediate', (value?: unknown, options?: { readonly signal?: AbortSignal }) =>
      this.#promise(value, options?.signal),
    );
    patches.value(timersPromises.scheduler, 'yield', () => this.#promise(undefined));
  }

  readonly #execute = (ticket: Ticket): void => {
    if (!this.#settle(ticket) || ticket.owner?.live === false) return;
    ticket.callback(...ticket.args);
  };

  /** Marks an immediate as over. Returns false if it already was. */
  #settle(ticket: Ticket): boolean {
    if (ticket.over) return false;
    ticket.over = true;
    if (ticket.counted && ticket.run === this.#run) {
      this.pending--;
      this.activity++;
    }
    return true;
  }

  #promise(value: unknown, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const immediate = this.set(() => resolve(value));
      signal?.addEventListener(
        'abort',
        () => {
          this.clear(immediate);
          reject(signal.reason as Error);
        },
        { once: true },
      );
    });
  }
}
