/** Lets a writer's program wait until an object is created. For example, a writer that labels every new pod waits for the next one. */
import type { ObjectTarget } from '../../model/workload.ts';

export class Awaited {
  readonly #waiting = new Map<() => void, ObjectTarget>();

  /** Resolves once {@link tell} is called with a predicate that matches the target: the object now exists, or the wait is cancelled. */
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
