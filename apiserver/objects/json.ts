/**
 * Reads JSON whose shape has not been checked: type checks, and accessors that return an empty value where there is none.
 *
 * Owns: the accessors that every layer shares. Does not own: the types (`object.ts`), paths that select list items by name
 * (`harness/model/edit.ts`).
 */
import type { JsonObject, JsonValue } from './object.ts';

const NO_MAP: JsonObject = {};
const NO_LIST: readonly never[] = [];

/** Reports whether `value` is an object: neither null nor a list. */
export function isMap(value: JsonValue | undefined): value is JsonObject {
  return isRecord(value);
}

/** Reports the same as {@link isMap} for a value of any type. */
export function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Returns `value` when it is a map, otherwise an empty map. */
export function mapOf(value: JsonValue | undefined): JsonObject {
  return isMap(value) ? value : NO_MAP;
}

/** Returns `value` when it is a list, otherwise an empty list. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : NO_LIST;
}

/** Returns the same value with the keys of all maps sorted. */
export function sortedKeys(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(sortedKeys);
  if (!isMap(value)) return value;
  const out: [string, JsonValue][] = [];
  for (const key of Object.keys(value).sort()) {
    const item = value[key];
    if (item !== undefined) out.push([key, sortedKeys(item)]);
  }
  return Object.fromEntries(out);
}

/**
 * Returns a copy of `map` without `keys`, which must be in the order of the map. Deleting them from a copy would take far longer, and more
 * memory.
 */
export function withoutKeys(
  map: { readonly [key: string]: JsonValue | undefined },
  keys: readonly string[],
): { [key: string]: JsonValue | undefined } {
  const copy: { [key: string]: JsonValue | undefined } = {};
  let next = 0;
  for (const key in map)
    if (key === keys[next]) next++;
    else copy[key] = map[key];
  return copy;
}

/** Reports whether a value nests deeper than `levels`, or is cyclic. Iterative; visits each part once per level, even if shared. */
export function nestsDeeper(value: unknown, levels: number): boolean {
  let level = new Set([value]);
  for (let depth = 0; level.size > 0; depth++) {
    if (depth > levels) return true;
    const next = new Set<unknown>();
    for (const one of level)
      if (typeof one === 'object' && one !== null)
        for (const part of Object.values(one)) if (typeof part === 'object' && part !== null) next.add(part);
    level = next;
  }
  return false;
}

/** Returns the maps in a list; other items are skipped. */
export function mapsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return isList(value) ? value.filter(isMap) : NO_LIST;
}

/** Returns `value` when it is a string, otherwise an empty string. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the strings in a list; other items are skipped. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  return isList(value) ? value.filter((one) => typeof one === 'string') : NO_LIST;
}

/** Returns the value at `path`, following maps only. */
export function valueAt(object: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let value = object;
  for (const key of path) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}

/** Returns a copy of `object` with `value` at `path`; maps along the path are copied or created. */
export function withValueAt(object: JsonObject, path: readonly string[], value: JsonValue): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return object;
  if (rest.length === 0) return { ...object, [key]: value };
  return { ...object, [key]: withValueAt(mapOf(object[key]), rest, value) };
}

/** Reports whether two JSON values are deeply equal; key order does not matter, an absent key equals `undefined`. */
export function jsonEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!jsonEqual(a[i] as JsonValue, b[i] as JsonValue)) return false;
    return true;
  }
  const left = a as JsonObject;
  const right = b as JsonObject;
  for (const key in left) if (!jsonEqual(left[key], right[key])) return false;
  for (const key in right) if (right[key] !== undefined && left[key] === undefined) return false;
  return true;
}
