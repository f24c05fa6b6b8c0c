/** Reads that come again although nothing has changed: who asks them polls, and is on its way to nothing. */
import type { Item } from '../../model/item.ts';
import { withoutOccurrence } from '../../model/label.ts';

/** So often the same is asked on the way to something: page after page of a list, a try after one that failed. */
const ASKED_MAX = 3;

export class RepeatedReads {
  /** How often each has been asked since anything changed. */
  readonly #asked = new Map<string, number>();

  /** A read reaches the server. */
  asked({ label, touches }: Item): void {
    // Discovery asks for many things under one name.
    if (touches === '') return;
    const read = withoutOccurrence(label) ?? label;
    this.#asked.set(read, (this.#asked.get(read) ?? 0) + 1);
  }

  /** What is read from now on may be new. */
  changed(): void {
    this.#asked.clear();
  }

  /** Whether a read, or the answer to one, is known to be no more than a repetition. */
  includes({ label }: Item): boolean {
    return (this.#asked.get(withoutOccurrence(label) ?? label) ?? 0) > ASKED_MAX;
  }
}
