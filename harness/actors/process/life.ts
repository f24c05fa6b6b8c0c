/**
 * What every life of a target has in common, whatever it is that lives: it is begun once, told of until it is over, and cleared up once.
 */
import type { ProcessEventKind } from '../../model/history.ts';

/** Hears what a life goes through. */
export type TellLife = (kind: ProcessEventKind, detail: string) => void;

export class Life {
  readonly #tell: TellLife;
  readonly #clear: () => void;
  #over = false;
  /** Its owner cleans up. */
  #beginning = true;

  constructor(tell: TellLife, clear: () => void) {
    this.#tell = tell;
    this.#clear = clear;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Nothing is told of what is over. */
  tell(kind: ProcessEventKind, detail: string): void {
    if (!this.#over) this.#tell(kind, detail);
  }

  /** What goes wrong in `steps` is told, never thrown. They look at {@link over} before they begin what takes long. */
  async begin(steps: () => Promise<void>): Promise<void> {
    try {
      await steps();
    } catch (error) {
      this.tell('start-failed', error instanceof Error ? error.message : String(error));
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
