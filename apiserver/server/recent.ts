/**
 * What was worked out of an object a short while ago.
 *
 * Unlike a WeakMap it lets go of what nobody has asked for lately, and costs the garbage collector nothing per entry. Two generations:
 * an entry lives until as many others as there is room for have been set since it was last asked for.
 */
export class Recent<Key extends object, Value> {
  readonly #room: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  /** @param room How many entries a generation holds. */
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
