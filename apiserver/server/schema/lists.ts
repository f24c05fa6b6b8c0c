/** Uniqueness of items in set lists and map lists (125). */
import { isList, isMap, sortedKeys } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import type { FieldError } from '../refusal.ts';
import type { SchemaNode } from './schema-node.ts';

/** Reports whether `node`, or any node below it, is a set list or a map list. */
export function hasAssociativeLists(node: SchemaNode): boolean {
  if (node.listType === 'set' || node.listType === 'map') return true;
  for (const property of node.properties.values()) if (hasAssociativeLists(property)) return true;
  return (
    (node.items !== undefined && hasAssociativeLists(node.items)) ||
    (typeof node.additional === 'object' && hasAssociativeLists(node.additional))
  );
}

/** Appends an error for every duplicate item. */
export function validateLists(node: SchemaNode, value: JsonValue, path: string, errors: FieldError[]): void {
  if (isList(value)) {
    if (node.listType === 'set') addDuplicates(value, value, path, errors);
    else if (node.listType === 'map') validateListMap(node, value, path, errors);
    if (node.items !== undefined)
      for (const [index, item] of value.entries()) validateLists(node.items, item, `${path}[${index}]`, errors);
  } else if (isMap(value)) {
    for (const key in value) {
      const item = value[key];
      if (item === undefined || item === null || typeof item !== 'object') continue;
      const property = node.properties.get(key);
      if (typeof node.additional === 'object') validateLists(node.additional, item, `${path}[${key}]`, errors);
      if (property !== undefined) validateLists(property, item, path === '' ? key : `${path}.${key}`, errors);
    }
  }
}

function validateListMap(node: SchemaNode, list: readonly JsonValue[], path: string, errors: FieldError[]): void {
  const stranger = list.findIndex((item) => item !== null && !isMap(item));
  if (stranger >= 0) {
    errors.push({
      type: 'Invalid',
      field: `${path}[${stranger}]`,
      value: list[stranger] ?? null,
      detail: 'must be an object for an array of list-type map',
    });
    return;
  }
  const keys = list.map((item): JsonObject => {
    const key: { [name: string]: JsonValue } = {};
    for (const name of node.listKeys.toSorted()) {
      const value = isMap(item) ? item[name] : undefined;
      if (value !== undefined) key[name] = value;
    }
    return key;
  });
  addDuplicates(list, keys, path, errors);
}

/** Appends an error for each value that occurs more than once, at its second occurrence. */
function addDuplicates(
  list: readonly JsonValue[],
  keys: readonly JsonValue[],
  path: string,
  errors: FieldError[],
): void {
  if (list.length < 2) return;
  const seen = new Map<JsonValue, number>();
  for (const [index, key] of keys.entries()) {
    // The key of a map or list starts with a bracket, the key of a string with a quote, so they cannot collide.
    const found = typeof key === 'string' ? `"${key}` : isObject(key) ? JSON.stringify(sortedKeys(key)) : key;
    const times = seen.get(found) ?? 0;
    if (times === 1) errors.push({ type: 'Duplicate', field: `${path}[${index}]`, value: key, detail: '' });
    seen.set(found, times + 1);
  }
}

function isObject(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null;
}
