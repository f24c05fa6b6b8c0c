/**
 * Edits of immutable JSON: the result shares unchanged parts with its source.
 *
 * Owns: following, setting, appending to and removing a {@link FieldPath}. Every function returns its argument itself if nothing changes,
 * so `===` detects an edit without effect. Start at {@link setAt}.
 */
import { jsonEqual, isMap } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue } from 'stalemate-apiserver/objects/object';
import { itemKey } from './leaf.ts';
import type { FieldPath } from './workload.ts';

type Segment = FieldPath[number];
type Edit = (value: JsonValue | undefined) => JsonValue | undefined;

/** Returns the value at `path`; undefined if there is none. */
export function valueAt(value: JsonValue | undefined, path: FieldPath): JsonValue | undefined {
  let current = value;
  for (const segment of path) {
    current =
      typeof segment === 'string' ? fieldOf(current, segment) : listOf(current)?.find((item) => is(item, segment));
  }
  return current;
}

/** Returns a copy with `value` at `path`; `null` removes the key or item. Missing maps and list items on the path are created. */
export function setAt<T extends JsonObject>(object: T, path: FieldPath, value: JsonValue): T {
  return editAt(object, path, 0, (old) => (value === null ? undefined : jsonEqual(old, value) ? old : value)) as T;
}

/** Returns a copy with `item` in the list at `path`: in place of the item with the same identity, else at the end. */
export function appendItem<T extends JsonObject>(object: T, path: FieldPath, item: JsonValue): T {
  return editAt(object, path, 0, (old) => {
    if (old !== undefined && !Array.isArray(old)) return old;
    const list = listOf(old) ?? [];
    const index = indexOfItem(list, item);
    if (index < 0) return [...list, item];
    return jsonEqual(list[index], item) ? list : list.with(index, item);
  }) as T;
}

/** Returns a copy whose list at `path` lacks the item with the identity of `item`. The list is kept even if empty. */
export function removeItem<T extends JsonObject>(object: T, path: FieldPath, item: JsonValue): T {
  const list = listOf(valueAt(object, path));
  if (list === undefined) return object;
  const index = indexOfItem(list, item);
  return index < 0 ? object : (editAt(object, path, 0, () => list.toSpliced(index, 1)) as T);
}

/** Returns the index of the list item with the identity of `item`, or -1; compares `uid`, `type`, `name` or `key`, else the value. */
function indexOfItem(list: readonly JsonValue[], item: JsonValue): number {
  const key = itemKey(list.length === 0 ? [item] : list);
  const id = key === undefined ? undefined : fieldOf(item, key);
  if (key === undefined || id === undefined) return list.findIndex((other) => jsonEqual(other, item));
  return list.findIndex((other) => fieldOf(other, key) === id);
}

/** Returns the path as a JSON pointer into `object`, with list items by index; undefined if one of those items does not exist. */
export function pointerTo(object: JsonValue | undefined, path: FieldPath): string | undefined {
  let pointer = '';
  let current = object;
  for (const segment of path) {
    if (typeof segment === 'string') {
      pointer += `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      current = fieldOf(current, segment);
      continue;
    }
    const list = listOf(current) ?? [];
    const index = list.findIndex((item) => is(item, segment));
    if (index < 0) return undefined;
    pointer += `/${index}`;
    current = list[index];
  }
  return pointer;
}

function editAt(value: JsonValue | undefined, path: FieldPath, depth: number, edit: Edit): JsonValue | undefined {
  const segment = path[depth];
  if (segment === undefined) return edit(value);
  if (typeof segment !== 'string') return editItem(value, segment, path, depth, edit);
  // A scalar or a list where a map was expected: a shape that another client wrote; leave it alone.
  if (value !== undefined && !isMap(value)) return value;
  const old = fieldOf(value, segment);
  const next = editAt(old, path, depth + 1, edit);
  if (next === old) return value;
  if (next !== undefined) return { ...value, [segment]: next };
  const { [segment]: _, ...rest } = value ?? {};
  return rest;
}

function editItem(
  value: JsonValue | undefined,
  segment: Exclude<Segment, string>,
  path: FieldPath,
  depth: number,
  edit: Edit,
): JsonValue | undefined {
  if (value !== undefined && !Array.isArray(value)) return value;
  const list = listOf(value) ?? [];
  const index = list.findIndex((item) => is(item, segment));
  if (index < 0) {
    const made = editAt(depth === path.length - 1 ? undefined : segment, path, depth + 1, edit);
    return made === undefined || made === segment ? value : [...list, made];
  }
  const old = list[index];
  const next = editAt(old, path, depth + 1, edit);
  if (next === old) return value;
  return next === undefined ? list.toSpliced(index, 1) : list.with(index, next);
}

function is(item: JsonValue, segment: Exclude<Segment, string>): boolean {
  for (const key in segment) if (fieldOf(item, key) !== segment[key]) return false;
  return true;
}

function fieldOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : undefined;
}
