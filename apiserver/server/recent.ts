/**
 * A cache of values derived from objects.
 *
 * Unlike a WeakMap it evicts entries that were not read recently, and its entries cost the garbage collector nothing. It has two
 * generations: an entry stays until `room` other entries have been set since it was last read.
 */
export class Recent<Key extends object, Value> {
  readonly #room: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  /** @param room The number of entries in a generation. */
  constructor(room: number) {
    this.#room = room;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#room) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
