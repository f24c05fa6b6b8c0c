/**
 * Size limits of objects: etcd's request limit, and the depth of recursive traversals.
 *
 * Owns: these limits. Sizes are lower bounds that are computed without serialising: etcd would also refuse any object that is refused here.
 */
import { longIntegerDigits } from '../wire/go-json.ts';
import { isList, nestsDeeper } from '../objects/json.ts';
import type { JsonObject, JsonValue } from '../objects/object.ts';
import { rawError, type Refusal } from './refusal.ts';

/** etcd's `--max-request-bytes`. */
export const STORED_BYTES_MAX: number = 1.5 * 1024 * 1024;

/**
 * The maximum nesting depth of bodies. Go accepts 10 000 levels; here most traversals of an object are recursive, and a deeper object would
 * overflow the stack.
 */
export const LEVELS_MAX = 1000;

/** The maximum number of maps and lists in one body: an empty one takes two bytes of text, and many times as much memory. */
export const CONTAINERS_MAX = 250_000;

/** The maximum number of distinct keys in one body: a map takes ten times as long to parse as a list with the same number of items. */
export const KEYS_MAX = 150_000;

/** The maximum number of distinct keys in a body that also has more maps and lists than this number. */
export const KEYS_OF_MANY_MAX = 75_000;

/**
 * The maximum number of collected errors per object: with one error for each of a hundred thousand items, an answer would have tens of
 * megabytes.
 */
export const ERRORS_MAX = 10_000;

/** etcd's message for a request that is too large. */
export const TOO_LARGE_TO_STORE: Refusal = rawError('etcdserver: request is too large');

/** Thrown while defaulting when the defaults make an object too large to store; caught while decoding. */
export class TooMuchFilledIn extends Error {}

/**
 * Reports whether etcd would refuse an object because of its size.
 *
 * @param named - Whether field names are stored too, which JSON does and protobuf does not.
 * @param metadata - The stored metadata, if it differs from the object's own.
 */
export function isTooLargeToStore(
  object: JsonObject,
  named: boolean,
  metadata: JsonValue | undefined = object['metadata'],
): boolean {
  // This function runs on every write, so it does not copy the object with its metadata. The braces are counted only once.
  const room = roomAfter({ metadata }, STORED_BYTES_MAX + BRACES, named);
  return roomAfter(object, room, named, 'metadata') < 0;
}

/** Returns how many bytes can still be stored in addition to an object. */
export function roomBeside(object: JsonObject, named: boolean): number {
  return roomAfter(object, STORED_BYTES_MAX, named);
}

/**
 * Fields of built-in kinds that are maps with arbitrary keys: their keys are stored too. The number is how many bytes are stored for each
 * character of a value.
 */
const MAPS: ReadonlyMap<string, number> = new Map([
  ...['labels', 'annotations', 'data', 'stringData', 'fieldsV1', 'matchLabels'].map((name) => [name, 1] as const),
  // Base64 is stored in decoded form.
  ['binaryData', 0.75],
  // Quantities may be stored in a shorter form.
  ...['hard', 'limits', 'requests', 'capacity', 'allocatable'].map((name) => [name, 0] as const),
]);

/** Bytes of an empty map or list. */
const BRACES = 2;

/** Returns the minimum size of a value in bytes; for a value that is too large to store, any number above the limit. */
export function weightOf(value: JsonValue): number {
  return STORED_BYTES_MAX - roomAfter(value, STORED_BYTES_MAX, true);
}

/** Returns what is left of `room` bytes after a value without its field `except`; negative once the limit is exceeded. */
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

/** Reports whether a value nests deeper than {@link LEVELS_MAX}. */
export function isTooDeep(value: JsonValue): boolean {
  return nestsDeeper(value, LEVELS_MAX);
}
