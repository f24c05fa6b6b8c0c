/** Copy-on-write building blocks for defaults: each returns its argument when there is nothing to add. */
import { isList, isMap, jsonEqual } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';

/** Returns `map` with the missing keys of `defaults`. */
export function fill(map: JsonObject, defaults: JsonObject): JsonObject {
  let copy: { [key: string]: JsonValue | undefined } | undefined;
  for (const key in defaults) {
    const value = defaults[key];
    if (map[key] !== undefined || value === undefined) continue;
    copy ??= { ...map };
    copy[key] = value;
  }
  return copy ?? map;
}

/** Returns `map` with `edit` applied to the map at `key`; unchanged when there is no map. */
export function inMap(map: JsonObject, key: string, edit: (inner: JsonObject) => JsonObject): JsonObject {
  const inner = map[key];
  if (!isMap(inner)) return map;
  const edited = edit(inner);
  return edited === inner ? map : { ...map, [key]: edited };
}

/** Returns `map` with `edit` applied to every map in the list at `key`. */
export function inItems(map: JsonObject, key: string, edit: (item: JsonObject) => JsonObject): JsonObject {
  const list = map[key];
  if (!isList(list)) return map;
  let copy: JsonValue[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (!isMap(item)) continue;
    const edited = edit(item);
    if (edited !== item) (copy ??= [...list])[index] = edited;
  }
  return copy === undefined ? map : { ...map, [key]: copy };
}

/** Returns `map` without the listed keys whose value is an empty string, list or map. */
export function withoutEmpty(map: JsonObject, keys: readonly string[]): JsonObject {
  let copy: { [key: string]: JsonValue | undefined } | undefined;
  for (const key of keys) {
    const value = map[key];
    const empty =
      value === '' || (isList(value) && value.length === 0) || (isMap(value) && Object.keys(value).length === 0);
    if (!empty) continue;
    copy ??= { ...map };
    delete copy[key];
  }
  return copy ?? map;
}

/**
 * Keeps a field and the list that replaced it consistent: the old field (`podIP`) equals the first item of the list (`podIPs`). If they
 * differ the field wins, because old clients only know the field. `item` builds an item of the list.
 */
export function paired(
  object: KubeObject,
  part: string,
  one: string,
  many: string,
  item: (value: JsonValue) => JsonValue,
): KubeObject {
  return inMap(object, part, (map) => {
    const first = map[one];
    const list = isList(map[many]) ? map[many] : [];
    const made = first === undefined || first === '' ? undefined : item(first);
    if (made !== undefined && !jsonEqual(list[0], made)) return { ...map, [many]: [made] };
    if (made !== undefined || list[0] === undefined) return map;
    const head = list[0];
    const value = isMap(head) ? Object.values(head)[0] : head;
    return value === undefined ? map : { ...map, [one]: value };
  }) as KubeObject;
}
