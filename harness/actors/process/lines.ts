/** Splits the output of a program into lines. Start at {@link Lines}. */

/** The most characters kept of an unterminated line. */
const LINE_MAX = 4_000;

export class Lines {
  readonly #report: (line: string) => void;
  #rest = '';

  constructor(report: (line: string) => void) {
    this.#report = report;
  }

  /** Adds output. */
  take(piece: string): void {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = (lines.pop() ?? '').slice(0, LINE_MAX);
    for (const line of lines) this.#report(line.slice(0, LINE_MAX));
  }

  /** Ends the output. */
  end(): void {
    if (this.#rest !== '') this.#report(this.#rest);
    this.#rest = '';
  }
}
