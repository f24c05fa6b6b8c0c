/**
 * Merges an applied value into the live one.
 *
 * Owns: structured-merge-diff `typed/merge.go`: fields of the applied value win, the rest is kept, and the items of set and map lists keep
 * the order of both lists where possible. Unchanged parts are shared with the live value.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { fieldType } from './field-set.ts';
import { elementText } from './path-element.ts';
import { ApplyError, handled, isEmptyMap, itemName, shapeOf } from './typed.ts';
import { DEDUCED, type ListType, type MapType, type TypeNode } from './types.ts';

/** Returns the merged value; undefined when it is empty. */
export function merge(
  type: TypeNode,
  live: JsonValue | undefined,
  applied: JsonValue | undefined,
): JsonValue | undefined {
  const shapeLive = shapeOf(type, live);
  const shapeApplied = shapeOf(type, applied);
  // If the type of the value changed, the live value is traversed too, but the applied one wins.
  const form = handled(type, applied === undefined ? shapeLive : shapeApplied);
  if (form === 'map' && type.map !== undefined && !type.map.atomic && (isFull(live) || isFull(applied)))
    return mergeMaps(type.map, live, applied);
  if (form === 'list' && type.list !== undefined && !type.list.atomic && (isFullList(live) || isFullList(applied)))
    return mergeLists(type.list, isList(live) ? live : [], isList(applied) ? applied : []);
  return applied ?? (applied === null ? null : live);
}

function isFull(value: JsonValue | undefined): boolean {
  return isMap(value) && !isEmptyMap(value);
}

function isFullList(value: JsonValue | undefined): boolean {
  return isList(value) && value.length > 0;
}

function mergeMaps(map: MapType, live: JsonValue | undefined, applied: JsonValue | undefined): JsonObject | undefined {
  const left: JsonObject = isMap(live) ? live : {};
  const right: JsonObject = isMap(applied) ? applied : {};
  const out: { [key: string]: JsonValue } = {};
  let any = false;
  let same = isMap(live);
  const take = (name: string, value: JsonValue | undefined): void => {
    if (value !== left[name]) same = false;
    if (value === undefined) return;
    out[name] = value;
    any = true;
  };
  for (const name in left)
    if (left[name] !== undefined) take(name, merge(fieldType(map, name) ?? DEDUCED, left[name], right[name]));
  for (const name in right)
    if (right[name] !== undefined && left[name] === undefined)
      take(name, merge(fieldType(map, name) ?? DEDUCED, undefined, right[name]));
  if (!any) return undefined;
  return same ? left : out;
}

interface Named {
  readonly names: readonly string[];
  /** The items by key; null for a key that several items have. */
  readonly items: ReadonlyMap<string, JsonValue>;
}

function named(list: ListType, items: readonly JsonValue[], duplicates: boolean): Named {
  const names: string[] = [];
  const found = new Map<string, JsonValue>();
  items.forEach((item, index) => {
    const name = itemName(list, item);
    if ('why' in name) throw new ApplyError(`element ${index}: ${name.why}`);
    const { element } = name;
    if (found.has(element)) {
      if (!duplicates) throw new ApplyError(`duplicate entries for key ${elementText(element)}`);
      found.set(element, null);
    } else found.set(element, item);
    names.push(element);
  });
  return { names, items: found };
}

function mergeLists(
  list: ListType,
  live: readonly JsonValue[],
  applied: readonly JsonValue[],
): readonly JsonValue[] | undefined {
  const right = named(list, applied, false);
  const left = named(list, live, true);
  const type = list.element();
  const out: JsonValue[] = [];
  const put = (from: JsonValue | undefined, to: JsonValue | undefined): void => {
    const value = merge(type, from, to);
    if (value !== undefined) out.push(value);
  };
  const shared = right.names.filter((name) => left.items.has(name));
  let turn = 0;
  let next = shared[turn];
  const merged = new Set<string>();
  const mergeBoth = (name: string): void => {
    merged.add(name);
    put(left.items.get(name), right.items.get(name));
  };
  for (let l = 0, r = 0; l < left.names.length || r < right.names.length;) {
    const leftName = left.names[l];
    const rightName = right.names[r];
    if (leftName !== undefined && rightName !== undefined) {
      if (leftName === rightName) {
        mergeBoth(leftName);
        l++;
        r++;
        next = shared[++turn];
        continue;
      }
      if (right.items.has(leftName) && next !== undefined && next !== leftName) {
        // The live item is in both lists, but comes later in the applied one.
        l++;
        continue;
      }
    }
    if (leftName !== undefined) {
      if (!right.items.has(leftName)) {
        put(live[l], undefined);
        l++;
        continue;
      }
      if (merged.has(leftName)) l++;
    }
    if (rightName !== undefined) {
      mergeBoth(rightName);
      r++;
      if (next === rightName) next = shared[++turn];
    }
  }
  if (out.length === 0) return undefined;
  return out.length === live.length && out.every((item, index) => item === live[index]) ? live : out;
}
