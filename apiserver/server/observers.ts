/** Listeners that are called for every commit before watches receive it. */
import type { CommittedChange } from './store.ts';

/** An error that is thrown once a commit is complete. */
export interface Thrown {
  readonly error: unknown;
}

export type Observer = (change: CommittedChange) => void;

export class Observers {
  readonly #all = new Set<Observer>();

  /** Adds an observer. The returned function removes it. */
  add(observer: Observer): () => void {
    this.#all.add(observer);
    return () => {
      this.#all.delete(observer);
    };
  }

  /** Calls all observers, even if one throws; returns the first error, which the caller throws once the commit is complete. */
  notify(change: CommittedChange): Thrown | undefined {
    let thrown: Thrown | undefined;
    for (const observer of this.#all) {
      try {
        observer(change);
      } catch (error) {
        thrown ??= { error };
      }
    }
    return thrown;
  }
}
