/** The target's output in one run, bounded: the first and the last lines, and the number of lines omitted between them. */
import type { ActorId } from '../model/actor.ts';
import type { History, Mark } from '../model/history.ts';

export type LogLine = NonNullable<History['logs']>[number];

/** The number of lines kept from the beginning of a run (the startup), and as many from its end (the last output). */
const LINES_KEPT = 250;

export class LogBook {
  readonly #first: LogLine[] = [];
  /** A ring buffer of the latest lines. */
  readonly #last: LogLine[] = [];
  /** The last line that was dropped. */
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

  /** The lines that were kept, in order of output. */
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
