/** Detects reads that are repeated although nothing has changed: they are polls, not work in progress. */
import type { Item } from '../../model/item.ts';
import { withoutOccurrence } from '../../model/label.ts';

/** The number of times the same read may occur during work: for pages of a list, or a retry after an error. */
const ASKED_MAX = 3;

export class RepeatedReads {
  /** The number of times each read has been sent since the last change. */
  readonly #asked = new Map<string, number>();

  /** Records a read that reaches the server. */
  asked({ label, touches }: Item): void {
    // Discovery uses one label for many different requests.
    if (touches === '') return;
    const read = withoutOccurrence(label) ?? label;
    this.#asked.set(read, (this.#asked.get(read) ?? 0) + 1);
  }

  /** Call after a change: every later read may return something new. */
  changed(): void {
    this.#asked.clear();
  }

  /** Reports whether an item is a repeated read, or the answer to one. */
  includes({ label }: Item): boolean {
    return (this.#asked.get(withoutOccurrence(label) ?? label) ?? 0) > ASKED_MAX;
  }
}
