/** Programs that wait for an object to be made: whoever marks every new pod or node waits for the next one. */
import type { ObjectTarget } from '../../model/workload.ts';

export class Awaited {
  readonly #waiting = new Map<() => void, ObjectTarget>();

  /** Resolves once somebody says that the object is there, or that nobody needs to wait any more. */
  appears(target: ObjectTarget): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(resolve, target);
    return promise;
  }

  /** Lets those go on whose object `is` there. */
  tell(is: (target: ObjectTarget) => boolean): void {
    for (const [resolve, target] of this.#waiting) {
      if (!is(target)) continue;
      this.#waiting.delete(resolve);
      resolve();
    }
  }
}
