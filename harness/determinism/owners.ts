/**
 * Uses AsyncLocalStorage to track which incarnation sets a timer, draws a random number or queues an immediate, across promises and
 * callbacks.
 *
 * An owner is one incarnation. Once dropped it is dead for good: what its code does afterwards has no effect on any run, even if a later
 * run has an owner of the same name.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Random } from './random.ts';

/** The name of the owner of code outside every incarnation, such as module-level code of the target. */
export const NOBODY = 'process';

export interface Owner {
  readonly name: string;
  live: boolean;
  /** The stream that the owner's code draws from; created on the first draw. */
  random: Random | undefined;
}

export class Owners {
  readonly #storage = new AsyncLocalStorage<Owner>();
  readonly #living = new Map<string, Owner>();
  #root = new Random(0);
  #nobodys: Random | undefined;
  /** Dead owners draw from this stream, so that their draws do not change any other stream. */
  readonly #deads = new Random(0);

  /** Starts a new run: from now on, all previous owners are dead. */
  reset(random: Random): void {
    for (const owner of this.#living.values()) owner.live = false;
    this.#living.clear();
    this.#root = random;
    this.#nobodys = undefined;
  }

  runAs<T>(name: string, fn: () => T): T {
    let owner = this.#living.get(name);
    if (owner === undefined) {
      owner = { name, live: true, random: undefined };
      this.#living.set(name, owner);
    }
    return this.#storage.run(owner, fn);
  }

  current(): Owner | undefined {
    return this.#storage.getStore();
  }

  drop(name: string): void {
    const owner = this.#living.get(name);
    if (owner === undefined) return;
    owner.live = false;
    this.#living.delete(name);
  }

  /** Returns the stream for the code that is running now. */
  random(): Random {
    const owner = this.#storage.getStore();
    if (owner === undefined) return (this.#nobodys ??= this.#root.child(NOBODY));
    return owner.live ? (owner.random ??= this.#root.child(owner.name)) : this.#deads;
  }
}
