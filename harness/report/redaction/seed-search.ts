/**
 * Searches for many texts in one pass, whatever their number (Wu and Manber, "A fast algorithm for multi-pattern searching", 1994). The
 * search moves a window as long as the shortest seed over the text, skips most characters, and compares a seed only if the last characters
 * in the window fit it.
 */

/** Number of characters that decide how far the window moves. */
const BLOCK = 3;
const TABLE_SIZE = 1 << 15;

export interface Seed<T> {
  /** At least {@link BLOCK} characters. */
  readonly text: string;
  readonly of: T;
}

export class SeedSearch<T> {
  /** Length of the shortest seed. */
  readonly #window: number;
  readonly #shifts = new Uint8Array(TABLE_SIZE);
  /** Seeds by the hash of the block at the end of their window. */
  readonly #seeds = new Map<number, Seed<T>[]>();

  constructor(seeds: readonly Seed<T>[]) {
    const window = seeds.reduce((least, { text }) => Math.min(least, text.length), 255);
    this.#window = window;
    this.#shifts.fill(Math.max(1, window - BLOCK + 1));
    for (const seed of seeds) {
      for (let end = BLOCK; end <= window; end++) {
        const hash = blockHash(seed.text, end);
        this.#shifts[hash] = Math.min(this.#shifts[hash] ?? 0, window - end);
        if (end === window) this.#seeds.set(hash, [...(this.#seeds.get(hash) ?? []), seed]);
      }
    }
  }

  /** Reports whether the text contains any of the seeds. */
  isIn(text: string): boolean {
    return this.#some(text, () => true);
  }

  /** Calls `found` for each seed in the text, from left to right. */
  each(text: string, found: (at: number, of: T) => void): void {
    this.#some(text, (at, of) => {
      found(at, of);
      return false;
    });
  }

  /** Searches until `isWanted` returns true; reports whether it did. */
  #some(text: string, isWanted: (at: number, of: T) => boolean): boolean {
    const window = this.#window;
    for (let end = window; end <= text.length;) {
      const hash = blockHash(text, end);
      const shift = this.#shifts[hash] ?? 1;
      if (shift > 0) {
        end += shift;
        continue;
      }
      const at = end - window;
      for (const seed of this.#seeds.get(hash) ?? [])
        if (text.startsWith(seed.text, at) && isWanted(at, seed.of)) return true;
      end++;
    }
    return false;
  }
}

function blockHash(text: string, end: number): number {
  const code = (text.charCodeAt(end - 3) << 10) ^ (text.charCodeAt(end - 2) << 5) ^ text.charCodeAt(end - 1);
  return code & (TABLE_SIZE - 1);
}
