/**
 * Who set a timer, drew a random number, queued an immediate: tracked through promises and callbacks by AsyncLocalStorage.
 *
 * An owner is one incarnation. Once dropped it is dead for ever: what its code does afterwards has no effect on any run, also
 * when a later run has an owner of the same name.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Random } from './random.ts';

/** The name of code that runs outside every incarnation, such as module-level code of the target. */
export const NOBODY = 'process';

export interface Owner {
  readonly name: string;
  live: boolean;
  /** What its code draws from; made on the first draw. */
  random: Random | undefined;
}

export class Owners {
  readonly #storage = new AsyncLocalStorage<Owner>();
  readonly #living = new Map<string, Owner>();
  #root = new Random(0);
  #nobodys: Random | undefined;
  /** The dead draw from here, so that they disturb nobody's stream. */
  readonly #deads = new Random(0);

  /** A new run: everybody known so far is dead. */
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

  /** The stream that the code running now draws from. */
  random(): Random {
    const owner = this.#storage.getStore();
    if (owner === undefined) return (this.#nobodys ??= this.#root.child(NOBODY));
    return owner.live ? (owner.random ??= this.#root.child(owner.name)) : this.#deads;
  }
}
