/** Replaces properties of platform objects and restores them. */

export class Patches {
  readonly #undo: (() => void)[] = [];

  /** Sets `target[key]` to a new value until {@link restore}. */
  value(target: object, key: PropertyKey, value: unknown): void {
    this.#define(target, key, { value, writable: true, configurable: true, enumerable: isEnumerable(target, key) });
  }

  getter(target: object, key: PropertyKey, get: () => unknown): void {
    this.#define(target, key, { get, configurable: true, enumerable: isEnumerable(target, key) });
  }

  /** Restores all properties, starting with the last one changed. */
  restore(): void {
    for (const undo of this.#undo.splice(0).reverse()) undo();
  }

  #define(target: object, key: PropertyKey, descriptor: PropertyDescriptor): void {
    const before = Object.getOwnPropertyDescriptor(target, key);
    Object.defineProperty(target, key, descriptor);
    this.#undo.push(() => {
      if (before === undefined) Reflect.deleteProperty(target, key);
      else Object.defineProperty(target, key, before);
    });
  }
}

function isEnumerable(target: object, key: PropertyKey): boolean {
  return Object.getOwnPropertyDescriptor(target, key)?.enumerable ?? false;
}
