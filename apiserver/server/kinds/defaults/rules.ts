/** A defaulting rule: a function on values of one Go type. It returns its argument when there is nothing to add. */
import { isMap } from '../../../objects/json.ts';
import type { JsonObject } from '../../../objects/object.ts';
import { fill } from '../fill.ts';

export type Defaulting = (map: JsonObject) => JsonObject;

/** Defaulting rules by Go type, such as `core/v1.PodSpec`. */
export type Defaults = { readonly [goType: string]: Defaulting };

/** Returns a rule that adds missing keys. */
export function filling(defaults: JsonObject): Defaulting {
  return (map) => fill(map, defaults);
}

const EMPTY: JsonObject = {};

/** Returns the map at a key, or an empty one. */
export function mapIn(map: JsonObject, key: string): JsonObject {
  const value = map[key];
  return isMap(value) ? value : EMPTY;
}

/** Applies `edit` to the map at `key`, which is created when absent. */
export function inMade(map: JsonObject, key: string, edit: Defaulting): JsonObject {
  const before = map[key];
  const after = edit(mapIn(map, key));
  return after === before ? map : { ...map, [key]: after };
}

/** Returns a copy of `map` without a key. */
export function without(map: JsonObject, key: string): JsonObject {
  if (map[key] === undefined) return map;
  const { [key]: _, ...rest } = map;
  return rest;
}
