/** Lets writers' programs wait for an object to be created, such as the next pod or node for a writer that labels every new one. */
import type { ObjectTarget } from '../../model/workload.ts';

export class Awaited {
  readonly #waiting = new Map<() => void, ObjectTarget>();

  /** Resolves once {@link tell} matches the target: the object exists, or the wait is over. */
  appears(target: ObjectTarget): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(resolve, target);
    return promise;
  }

  /** Ends the waits whose target satisfies `is`. */
  tell(is: (target: ObjectTarget) => boolean): void {
    for (const [resolve, target] of this.#waiting) {
      if (!is(target)) continue;
      this.#waiting.delete(resolve);
      resolve();
    }
  }
}
