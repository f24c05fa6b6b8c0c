/**
 * What every life of a target has in common, whatever it is that lives: it begins once, is reported until it is over, and is cleared up
 * once.
 */
import type { ProcessEventKind } from '../../model/history.ts';

/** Hears what a life goes through. */
export type ReportLife = (kind: ProcessEventKind, detail: string) => void;

export class Life {
  readonly #report: ReportLife;
  readonly #clear: () => void;
  #over = false;
  /** Its owner cleans up. */
  #beginning = true;

  constructor(report: ReportLife, clear: () => void) {
    this.#report = report;
    this.#clear = clear;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Nothing is reported after the end. */
  report(kind: ProcessEventKind, detail: string): void {
    if (!this.#over) this.#report(kind, detail);
  }

  /** Errors in `steps` are reported, never thrown. They look at {@link over} before they begin what takes long. */
  async begin(steps: () => Promise<void>): Promise<void> {
    try {
      await steps();
    } catch (error) {
      this.report('start-failed', error instanceof Error ? error.message : String(error));
    } finally {
      this.#beginning = false;
      // A life that ended meanwhile gives back here what it has taken since.
      if (this.#over) this.#clear();
    }
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    if (!this.#beginning) this.#clear();
  }
}
