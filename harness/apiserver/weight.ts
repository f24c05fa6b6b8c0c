/**
 * How large an object may be: what etcd takes, and how deep our own walks go.
 *
 * Owns: these limits. Sizes are estimated from below without writing anything: an object that is refused here would be refused by etcd.
 */
import { longIntegerDigits } from '../wire/go-json.ts';
import { isList, nestsDeeper } from '../model/json.ts';
import type { JsonObject, JsonValue } from '../model/object.ts';
import { rawError, type Refusal } from './refusal.ts';

/** etcd's `--max-request-bytes`. */
export const STORED_BYTES_MAX: number = 1.5 * 1024 * 1024;

/**
 * How deep bodies may nest. Go reads 10 000 levels; here most walks over an object call themselves, and a deeper one would end them
 * half-way.
 */
export const LEVELS_MAX = 1000;

/** Maps and lists that one body may have: each takes many times the two bytes that it is sent in. */
export const CONTAINERS_MAX = 250_000;

/** What etcd says of a request with too large an object. */
export const TOO_LARGE_TO_STORE: Refusal = rawError('etcdserver: request is too large');

/** Defaults that add up to more than can be stored. Thrown where they are filled in, caught where the object is decoded. */
export class TooMuchFilledIn extends Error {}

/** Whether etcd would refuse it. `named`: names of fields are stored too, as in JSON and unlike in protobuf. */
export function isTooLargeToStore(object: JsonObject, named: boolean): boolean {
  return new Scale(named).add(object) > STORED_BYTES_MAX;
}

/** The bytes of a value, at least. */
export function weightOf(value: JsonValue): number {
  return new Scale(true).add(value);
}

class Scale {
  readonly #named: boolean;
  #bytes = 0;

  constructor(named: boolean) {
    this.#named = named;
  }

  /** All that has been added, or a part of it that is too much already. */
  add(value: JsonValue): number {
    if (typeof value === 'string') this.#bytes += value.length + 2;
    else if (value === null || typeof value !== 'object') this.#bytes += 1;
    else if (isList(value)) {
      this.#bytes += 2;
      for (let index = 0; index < value.length && this.#bytes <= STORED_BYTES_MAX; index++)
        this.add(value[index] as JsonValue);
    } else if (longIntegerDigits(value) === undefined) {
      this.#bytes += 2;
      for (const key in value) {
        const item = value[key];
        if (item === undefined) continue;
        if (this.#named) this.#bytes += key.length + 4;
        if (this.add(item) > STORED_BYTES_MAX) break;
      }
    }
    return this.#bytes;
  }
}

/** Whether a value nests deeper than {@link LEVELS_MAX}. */
export function isTooDeep(value: JsonValue): boolean {
  return nestsDeeper(value, LEVELS_MAX);
}
