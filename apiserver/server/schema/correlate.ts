/**
 * For ratcheting (126): finds the stored value that a new value is compared with, and decides whether they count as equal.
 *
 * Mirrors k8s.io/apiserver `cel/common/equality.go`: items of map lists are correlated by key, other items are not correlated, and values
 * without a schema are never equal.
 */
import { jsonEqual, isList, isMap, sortedKeys } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import type { SchemaNode } from './schema-node.ts';

/** Returns the stored item with the same key in a map list; undefined in other lists. */
export function oldItem(
  node: SchemaNode,
  item: JsonValue,
  old: readonly JsonValue[] | undefined,
): JsonValue | undefined {
  if (old === undefined || node.listType !== 'map' || !isMap(item)) return undefined;
  let named = namesakes.get(old);
  if (named === undefined || named.node !== node) namesakes.set(old, (named = { node, items: byKeys(node, old) }));
  return named.items.get(keysText(node, item));
}

/** The items of each list by key: searching a list for each item would be quadratic. */
const namesakes = new WeakMap<
  readonly JsonValue[],
  { readonly node: SchemaNode; readonly items: ReadonlyMap<string, JsonValue> }
>();

function byKeys(node: SchemaNode, list: readonly JsonValue[]): ReadonlyMap<string, JsonValue> {
  const items = new Map<string, JsonValue>();
  for (const item of list) {
    if (!isMap(item)) continue;
    const text = keysText(node, item);
    if (!items.has(text)) items.set(text, item);
  }
  return items;
}

function keysText({ listKeys }: SchemaNode, item: JsonObject): string {
  return JSON.stringify(listKeys.map((key) => [sortedKeys(item[key] ?? null), item[key] === undefined]));
}

/** Returns the schema of a map's value; undefined when the map's schema does not declare the key. */
function nodeAt(node: SchemaNode, key: string): SchemaNode | undefined {
  return node.properties.get(key) ?? (typeof node.additional === 'object' ? node.additional : undefined);
}

/** Reports whether a value counts as unchanged for ratcheting. */
export function isUnchanged(node: SchemaNode, value: JsonValue, old: JsonValue): boolean {
  if (isList(value)) return isList(old) && listUnchanged(node, value, old);
  if (!isMap(value)) return jsonEqual(value, old);
  if (!isMap(old) || sizeOf(value) !== sizeOf(old)) return false;
  for (const key in value) {
    const [now, before] = [value[key], old[key]];
    if (now === undefined) continue;
    const below = nodeAt(node, key);
    if (below === undefined || before === undefined || !isUnchanged(below, now, before)) return false;
  }
  return true;
}

function listUnchanged(node: SchemaNode, value: readonly JsonValue[], old: readonly JsonValue[]): boolean {
  if (value.length !== old.length) return false;
  const { items } = node;
  if (node.listType !== 'map' || items === undefined) return jsonEqual(value, old);
  return value.every((item) => {
    const before = oldItem(node, item, old);
    return before !== undefined && isUnchanged(items, item, before);
  });
}

function sizeOf(map: JsonObject): number {
  let size = 0;
  for (const key in map) if (map[key] !== undefined) size++;
  return size;
}
