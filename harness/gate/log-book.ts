/** What the target printed in one run, bounded: the first lines and the last ones, and how many were left out between them. */
import type { ActorId } from '../model/actor.ts';
import type { History, Mark } from '../model/history.ts';

export type LogLine = NonNullable<History['logs']>[number];

/** Kept of the beginning and of the end of a run: how it came up, and what it said last. */
const LINES_KEPT = 250;

export class LogBook {
  readonly #first: LogLine[] = [];
  /** The latest ones, over and over in the same places. */
  readonly #last: LogLine[] = [];
  /** The latest one that had to go. */
  #leftOut: LogLine | undefined;
  #lines = 0;

  add(actor: ActorId, line: string, mark: Mark): void {
    const entry = { actor, line, ...mark };
    if (this.#lines < LINES_KEPT) this.#first.push(entry);
    else {
      const place = this.#lines % LINES_KEPT;
      this.#leftOut = this.#last[place];
      this.#last[place] = entry;
    }
    this.#lines++;
  }

  /** In the order in which they were printed. */
  get lines(): readonly LogLine[] {
    const leftOut = this.#leftOut;
    if (leftOut === undefined) return [...this.#first, ...this.#last];
    const count = this.#lines - 2 * LINES_KEPT;
    const oldest = this.#lines % LINES_KEPT;
    return [
      ...this.#first,
      { ...leftOut, line: `(${count} line${count === 1 ? '' : 's'} left out)` },
      ...this.#last.slice(oldest),
      ...this.#last.slice(0, oldest),
    ];
  }
}
