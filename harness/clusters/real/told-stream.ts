/**
 * One watch on its way from the server: its events wait until the changes that they speak of have been told.
 *
 * Owns: their order. Start at {@link ToldStream}.
 */
import type { KubeObject } from '../../model/object.ts';

export class ToldStream {
  readonly #isTold: (object: Partial<KubeObject>) => boolean;
  readonly #queue: { readonly pass: () => void; readonly object: Partial<KubeObject> | undefined }[] = [];

  constructor(isTold: (object: Partial<KubeObject>) => boolean) {
    this.#isTold = isTold;
  }

  get isWaiting(): boolean {
    return this.#queue.length > 0;
  }

  /** Calls `pass` as soon as everything before it has been passed and what it is about has been told. */
  push(pass: () => void, object: Partial<KubeObject> | undefined): void {
    this.#queue.push({ pass, object });
    this.flow();
  }

  /** Passes what can be passed. */
  flow(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (next.object !== undefined && !this.#isTold(next.object)) return;
      this.#queue.shift();
      next.pass();
    }
  }
}
