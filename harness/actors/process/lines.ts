/** What a program prints, line by line. Start at {@link Lines}. */

/** Of a line that does not end, this much is kept. */
const LINE_MAX = 4_000;

export class Lines {
  readonly #report: (line: string) => void;
  #rest = '';

  constructor(report: (line: string) => void) {
    this.#report = report;
  }

  /** More of it. */
  take(piece: string): void {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = (lines.pop() ?? '').slice(0, LINE_MAX);
    for (const line of lines) this.#report(line.slice(0, LINE_MAX));
  }

  /** There is no more. */
  end(): void {
    if (this.#rest !== '') this.#report(this.#rest);
    this.#rest = '';
  }
}
