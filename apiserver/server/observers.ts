/** Listeners that see every commit before watches do. */
import type { CommittedChange } from './store.ts';

export type Observer = (change: CommittedChange) => void;

export class Observers {
  readonly #all = new Set<Observer>();

  /** Adds an observer until the returned function is called. */
  add(observer: Observer): () => void {
    this.#all.add(observer);
    return () => {
      this.#all.delete(observer);
    };
  }

  /** Calls all observers, even if one throws; returns their errors, which the caller throws once the commit is complete. */
  notify(change: CommittedChange): readonly unknown[] {
    const errors: unknown[] = [];
    for (const observer of this.#all) {
      try {
        observer(change);
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }
}
