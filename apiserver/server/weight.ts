/**
 * How large an object may be: what etcd takes, and how deep our own walks go.
 *
 * Owns: these limits. Sizes are estimated from below without writing anything: an object that is refused here would be refused by etcd.
 */
import { longIntegerDigits } from '../wire/go-json.ts';
import { isList, nestsDeeper } from '../objects/json.ts';
import type { JsonObject, JsonValue } from '../objects/object.ts';
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

/** Different keys that one body may have: a map of many keys takes ten times as long to read as a list of as many items. */
export const KEYS_MAX = 150_000;

/** The same for a body of more maps and lists than that. */
export const KEYS_OF_MANY_MAX = 75_000;

/** Errors that are collected of one object: with one for each of a hundred thousand items, an answer would have tens of megabytes. */
export const ERRORS_MAX = 10_000;

/** What etcd says of a request with too large an object. */
export const TOO_LARGE_TO_STORE: Refusal = rawError('etcdserver: request is too large');

/** Defaults that add up to more than can be stored. Thrown where they are filled in, caught where the object is decoded. */
export class TooMuchFilledIn extends Error {}

/**
 * Whether etcd would refuse it.
 *
 * @param named - Names of fields are stored too, as in JSON and unlike in protobuf.
 * @param metadata - What it is stored with, where that is not its own.
 */
export function isTooLargeToStore(
  object: JsonObject,
  named: boolean,
  metadata: JsonValue | undefined = object['metadata'],
): boolean {
  // On every write: no copy is made of the object with its metadata. The braces are there once.
  const room = roomAfter({ metadata }, STORED_BYTES_MAX + BRACES, named);
  return roomAfter(object, room, named, 'metadata') < 0;
}

/** The bytes that etcd would take beside an object, at most. */
export function roomBeside(object: JsonObject, named: boolean): number {
  return roomAfter(object, STORED_BYTES_MAX, named);
}

/** Fields of built-in kinds whose keys are no names of fields, so that they are stored; and how much of each character of a value is. */
const MAPS: ReadonlyMap<string, number> = new Map([
  ...['labels', 'annotations', 'data', 'stringData', 'fieldsV1', 'matchLabels'].map((name) => [name, 1] as const),
  // Base64 is stored as what it stands for.
  ['binaryData', 0.75],
  // Quantities may be stored in a shorter form.
  ...['hard', 'limits', 'requests', 'capacity', 'allocatable'].map((name) => [name, 0] as const),
]);

/** Bytes of a map or list that holds nothing. */
const BRACES = 2;

/** The bytes of a value, at least; of one that cannot be stored, more than can be. */
export function weightOf(value: JsonValue): number {
  return STORED_BYTES_MAX - roomAfter(value, STORED_BYTES_MAX, true);
}

/** What is left of some bytes behind a value, but for one of its fields; less than nothing where a part of it is too much already. */
function roomAfter(value: JsonValue, room: number, named: boolean, except?: string, share = 1): number {
  if (typeof value === 'string') return room - value.length * share - 2;
  if (value === null || typeof value !== 'object') return room - 1;
  let left = room;
  if (isList(value)) {
    left -= BRACES;
    for (let index = 0; index < value.length && left >= 0; index++)
      left = roomAfter(value[index] as JsonValue, left, named);
  } else if (longIntegerDigits(value) === undefined) {
    left -= BRACES;
    for (const key in value) {
      const item = value[key];
      if (item === undefined || key === except) continue;
      if (named) left -= key.length + 4;
      const part = named ? undefined : MAPS.get(key);
      if ((left = roomAfter(item, left, named || part !== undefined, undefined, part ?? share)) < 0) break;
    }
  }
  return left;
}

/** Whether a value nests deeper than {@link LEVELS_MAX}. */
export function isTooDeep(value: JsonValue): boolean {
  return nestsDeeper(value, LEVELS_MAX);
}
