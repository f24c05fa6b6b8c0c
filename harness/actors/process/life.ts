/** The common lifecycle of all incarnations, whatever they run: begins once, is reported until it ends, and is cleaned up once. */
import type { ProcessEventKind } from '../../model/history.ts';

/** Called with the events of an incarnation. */
export type ReportLife = (kind: ProcessEventKind, detail: string) => void;

export class Lifecycle {
  readonly #report: ReportLife;
  readonly #clear: () => void;
  #over = false;
  /** True until {@link begin} has run its steps: if the incarnation ends before that, `begin` cleans up. */
  #beginning = true;

  constructor(report: ReportLife, clear: () => void) {
    this.#report = report;
    this.#clear = clear;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Reports an event; ignored after the end. */
  report(kind: ProcessEventKind, detail: string): void {
    if (!this.#over) this.#report(kind, detail);
  }

  /** Runs `steps`. Errors are reported, never thrown. The steps check {@link over} before they begin something slow. */
  async begin(steps: () => Promise<void>): Promise<void> {
    try {
      await steps();
    } catch (error) {
      this.report('start-failed', error instanceof Error ? error.message : String(error));
    } finally {
      this.#beginning = false;
      // If the incarnation ended in the meantime, `end` has left the cleanup to this method.
      if (this.#over) this.#clear();
    }
  }

  /** Cleans up what has begun, and runs `steps` as in {@link begin}. */
  async again(steps: () => Promise<void>): Promise<void> {
    if (this.#over) return;
    this.#beginning = true;
    this.#clear();
    await this.begin(steps);
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    if (!this.#beginning) this.#clear();
  }
}
