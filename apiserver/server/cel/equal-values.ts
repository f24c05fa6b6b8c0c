/**
 * Finds equal values without comparing all pairs: lists of ten thousand items would block a server for seconds.
 *
 * Owns: a hash key for values. Does not own: equality (`equality.ts`). Start at {@link EqualValues}.
 */
import { Optional } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { fieldsOf } from './messages.ts';
import { associationOf } from './shapes.ts';

type Key = string | number | boolean | null | undefined;

/** Values by a key; `keyOf` gives equal values the same key, and unequal ones usually different keys. */
export class EqualValues {
  readonly #keyOf: (value: unknown) => Key;
  readonly #equal: (left: unknown, right: unknown) => boolean;
  readonly #places = new Map<Key, { readonly value: unknown; readonly at: number }[]>();

  constructor(
    equal: (left: unknown, right: unknown) => boolean,
    values: readonly unknown[] = [],
    keyOf: (value: unknown) => Key = keyOfValue,
  ) {
    this.#equal = equal;
    this.#keyOf = keyOf;
    for (const [at, value] of values.entries()) this.add(value, at);
  }

  add(value: unknown, at: number): void {
    const key = this.#keyOf(value);
    const places = this.#places.get(key);
    if (places === undefined) this.#places.set(key, [{ value, at }]);
    else places.push({ value, at });
  }

  /** Returns the index of the first equal value; -1 when there is none. */
  find(value: unknown): number {
    for (const place of this.#places.get(this.#keyOf(value)) ?? [])
      if (this.#equal(place.value, value)) return place.at;
    return -1;
  }
}

/** Returns a key that equal values share. It is as long as the value, because nested differences count too. */
export function keyOfValue(value: unknown): Key {
  // Numbers of different types are equal if they have the same value.
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value as Key;
  if (value instanceof Date) return `time ${value.getTime()}`;
  if (value instanceof Duration) return `duration ${value.seconds}.${value.nanos}`;
  if (value instanceof Uint8Array) return `bytes ${value.length}`;
  if (value instanceof Optional) return 'optional';
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) parts.push(keyText(item));
    // Sets and maps ignore order.
    return `list ${(associationOf(value) === undefined ? parts : parts.sort()).join()}`;
  }
  if (value instanceof Map) {
    for (const [key, one] of value) parts.push(`${keyText(key)}=${keyText(one)}`);
    return `map ${parts.sort().join()}`;
  }
  for (const name of fieldsOf(value)?.keys() ?? []) {
    const one = (value as { readonly [name: string]: unknown })[name];
    if (one !== undefined) parts.push(`${name}=${keyText(one)}`);
  }
  return `message ${parts.sort().join()}`;
}

/** Returns a key of several values. */
export function keyOfValues(values: readonly unknown[]): string {
  return values.map(keyText).join();
}

/** Returns a key as text with a length prefix. Quoting it would double the number of escapes with each level of nesting. */
function keyText(value: unknown): string {
  const key = keyOfValue(value);
  const text = String(key);
  return `${typeof key} ${text.length} ${text}`;
}
