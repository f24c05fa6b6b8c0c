/**
 * Strategic merge patch: a merge patch with rules for lists.
 *
 * Owns: all directives (`$patch`, `$setElementOrder/x`, `$deleteFromPrimitiveList/x`, `$retainKeys`) and the errors of k8s.io/apimachinery
 * `util/strategicpatch`. Lists merge by the keys in the kind's schema nodes. Does not own: the order of merged lists (`list-order.ts`),
 * decoding the result. Pure: neither argument is modified. Start at {@link applyStrategicMergePatch}.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { goPrinted, goReflected } from './go-print.ts';
import { badArgument, normaliseOrder, partition, SmpError } from './list-order.ts';

/** The media type of a strategic merge patch. */
export const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';

type MutableMap = { [key: string]: JsonValue | undefined };

export type StrategicMergeResult =
  | { readonly outcome: 'merged'; readonly value: JsonObject }
  | { readonly outcome: 'refused'; readonly code: 400 | 422 | 500; readonly why: string };

/** Merges `patch` into `live`, whose kind has `root` as its schema. */
export function applyStrategicMergePatch(live: JsonObject, patch: JsonObject, root: SchemaNode): StrategicMergeResult {
  const own = structuredCopy(patch) as MutableMap;
  try {
    const value = mergeMap(live, own, { node: root, name: '' }) as JsonObject;
    left.set(value, own);
    return { outcome: 'merged', value };
  } catch (error) {
    if (error instanceof SmpError) return { outcome: 'refused', code: error.code, why: error.message };
    throw error;
  }
}

const left = new WeakMap<JsonObject, JsonObject>();

/** Returns the patch without its processed directives, the form in which messages about `result` show it. */
export function leftOfPatch(result: JsonObject): JsonObject {
  return left.get(result) ?? {};
}

/** Returns a copy that the merge may modify. */
function structuredCopy(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(structuredCopy);
  if (!isMap(value)) return value;
  const copy: MutableMap = {};
  for (const key in value) {
    const one = value[key];
    if (one !== undefined) copy[key] = structuredCopy(one);
  }
  return copy;
}

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const SET_ORDER = '$setElementOrder';
const DELETE_PRIMITIVES = '$deleteFromPrimitiveList';

/** The position of a merge in the schema. The root and every field have a node; `name` is the name of the field, for messages. */
interface MergePosition {
  readonly node: SchemaNode | undefined;
  readonly name: string;
}

/** The merge strategy of a field. */
interface FieldMerge {
  readonly place: MergePosition;
  /** The patch strategy: empty, `merge` or `replace`. */
  readonly strategy: string;
  readonly mergeKey: string;
}

function lookUp(place: MergePosition, key: string): FieldMerge {
  const { node } = place;
  if (node === undefined || node.type === '' || (node.preserve && node.properties.size === 0))
    throw new SmpError(500, `merging an object in json but data type is not struct, instead is: ${kindName(node)}`);
  if (node.type !== 'object')
    throw new SmpError(500, `merging an object in json but data type is not struct, instead is: ${kindName(node)}`);
  if (typeof node.additional === 'object')
    return { place: { node: node.additional, name: key }, strategy: '', mergeKey: '' };
  const field = node.properties.get(key);
  if (field === undefined)
    throw new SmpError(
      500,
      `unable to find api field in struct ${place.name} for the json field ${JSON.stringify(key)}`,
    );
  const strategies = field.patchStrategy.split(',').filter((one) => one !== '' && one !== 'retainKeys');
  return { place: { node: field, name: key }, strategy: strategies[0] ?? '', mergeKey: field.patchMergeKey };
}

function kindName(node: SchemaNode | undefined): string {
  switch (node?.type) {
    case 'array':
      return 'slice';
    case 'boolean':
      return 'bool';
    case 'integer':
      return node.format;
    default:
      return node?.type ?? 'interface';
  }
}

function lookUpList(place: MergePosition, key: string): FieldMerge {
  const field = lookUp(place, key);
  const { node } = field.place;
  if (node?.type !== 'array') throw new SmpError(500, `expected slice or array type, but got: ${kindName(place.node)}`);
  return { ...field, place: { node: node.items, name: key } };
}

/** Merges maps. `patch` is modified: its directives are removed. `original` is copied. */
function mergeMap(original: JsonObject, patch: MutableMap, place: MergePosition): JsonValue {
  const directive = patch[DIRECTIVE];
  if (directive !== undefined) {
    if (directive === 'replace') {
      delete patch[DIRECTIVE];
      return patch;
    }
    if (directive === 'delete') return {};
    throw new SmpError(500, `unknown patch type: ${goPrinted(directive)} in map: ${goPrinted(patch)}`);
  }
  const merged: MutableMap = { ...original };
  retainKeys(merged, patch);
  setOrders(merged, patch, place);
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value !== undefined) mergeField(merged, key, value, place);
  }
  return merged;
}

function mergeField(merged: MutableMap, patchKey: string, value: JsonValue, place: MergePosition): void {
  const deletes = patchKey.startsWith(DELETE_PRIMITIVES);
  const key = deletes ? fieldOf(patchKey, DELETE_PRIMITIVES, 'invalid patch format of primitive list') : patchKey;
  if (value === null) {
    delete merged[key];
    return;
  }
  const was = merged[key];
  const bothMaps = isMap(was) && isMap(value);
  const bothLists = isList(was) && isList(value);
  if (bothMaps) {
    const { place: inner, strategy } = lookUp(place, key);
    merged[key] = strategy === 'replace' ? value : mergeMap(was, value, inner);
  } else if (bothLists) {
    const { place: inner, strategy, mergeKey } = lookUpList(place, key);
    merged[key] = strategy === 'merge' || deletes ? mergeList(was, value, inner, mergeKey, deletes) : value;
  } else if (!deletes) {
    const kept = withoutDirectives(value, was === undefined || !isSameScalarType(was, value));
    if (kept === undefined) delete merged[key];
    else merged[key] = kept;
  } else if (was !== undefined && isSameScalarType(was, value)) merged[key] = value;
}

function isSameScalarType(a: JsonValue, b: JsonValue): boolean {
  return goReflected(a) === goReflected(b);
}

function fieldOf(key: string, prefix: string, problem: string): string {
  const slash = key.indexOf('/');
  if (slash < 0 || key.slice(0, slash) !== prefix) throw new SmpError(400, problem);
  return key.slice(slash + 1);
}

/** Removes keys that are not listed. Every key that the patch sets must be listed. */
function retainKeys(merged: MutableMap, patch: MutableMap): void {
  const keys = patch[RETAIN_KEYS];
  if (keys === undefined) return;
  delete patch[RETAIN_KEYS];
  if (!isList(keys)) throw new SmpError(400, 'invalid patch format of retainKeys');
  const retained = new Set(keys);
  for (const key of Object.keys(patch)) {
    if (patch[key] === null || key.startsWith(DELETE_PRIMITIVES) || key.startsWith(SET_ORDER)) continue;
    if (!retained.has(key)) throw new SmpError(400, 'invalid patch format of retainKeys');
  }
  for (const key of Object.keys(merged)) if (!retained.has(key)) delete merged[key];
}

/** Merges and orders every list that has a `$setElementOrder`, and removes these lists from `patch`. */
function setOrders(merged: MutableMap, patch: MutableMap, place: MergePosition): void {
  for (const directive of Object.keys(patch)) {
    if (!directive.startsWith(SET_ORDER)) continue;
    const order = patch[directive];
    delete patch[directive];
    if (!isList(order)) throw badArgument('[]interface {}', order);
    const key = fieldOf(directive, SET_ORDER, 'invalid patch format of setElementOrder list');
    const was = merged[key];
    const change = patch[key];
    if (was !== undefined && !isList(was)) throw badArgument('[]interface {}', was);
    if (change !== undefined && !isList(change)) throw badArgument('[]interface {}', change);
    const { place: inner, strategy, mergeKey } = lookUpList(place, key);
    checkOrder(change ?? [], order, mergeKey);
    let list: readonly JsonValue[];
    if (was === undefined) {
      if (change === undefined) continue;
      list = change.map((one) => withoutDirectives(one, false)).filter((one) => one !== undefined);
    } else if (change === undefined) list = was;
    else list = strategy === 'merge' ? mergeList(was, change, inner, mergeKey, false) : change;
    const [inOrder, others] = partition(list, order, mergeKey);
    checkItemTypes([was ?? [], change ?? []]);
    merged[key] = normaliseOrder(inOrder, others, order, was ?? [], mergeKey);
    delete patch[key];
  }
}

/** Checks that the items that the patch adds are in its `$setElementOrder` list, in the same order. */
function checkOrder(patch: readonly JsonValue[], order: readonly JsonValue[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const added = mergeKey === '' ? patch : patch.filter((item) => !isDeletion(item));
  let at = 0;
  let inOrder = 0;
  while (at < added.length && inOrder < order.length) {
    const item = added[at] as JsonValue;
    if (isMap(item) && item[DIRECTIVE] !== undefined) {
      at++;
      continue;
    }
    if (keyOf(item, mergeKey) === keyOf(order[inOrder] as JsonValue, mergeKey)) at++;
    inOrder++;
  }
  if (at < added.length)
    throw new SmpError(
      500,
      `The order in patch list:\n${goPrinted(patch)}\n doesn't match ${SET_ORDER} list:\n${goPrinted(order)}\n`,
    );
}

function isDeletion(item: JsonValue): boolean {
  if (!isMap(item)) throw badArgument('map[string]interface {}', item);
  return item[DIRECTIVE] === 'delete';
}

function keyOf(item: JsonValue, mergeKey: string): JsonValue {
  if (mergeKey === '') return item;
  if (!isMap(item)) throw badArgument('map[string]interface {}', item);
  const key = item[mergeKey];
  if (key === undefined) throw noMergeKey(item, mergeKey);
  return key;
}

function noMergeKey(item: JsonObject, mergeKey: string): SmpError {
  return new SmpError(500, `map: ${goPrinted(item)} does not contain declared merge key: ${mergeKey}`);
}

function checkItemTypes(lists: readonly (readonly JsonValue[])[]): string {
  let type: string | undefined;
  for (const list of lists)
    for (const item of list) {
      const one = goReflected(item);
      if (type === undefined && isList(item)) throw new SmpError(422, 'lists of lists are not supported');
      if (type !== undefined && one !== type)
        throw new SmpError(500, `list element types are not identical: ${goPrinted(lists)}`);
      type = one;
    }
  if (type === undefined) throw new SmpError(500, 'no elements in any of the given slices');
  return type;
}

function mergeList(
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
  place: MergePosition,
  mergeKey: string,
  deletes: boolean,
): readonly JsonValue[] {
  if (original.length === 0 && patch.length === 0) return original;
  const type = checkItemTypes([original, patch]);
  if (type !== 'map[string]interface {}') {
    const named = new Set(patch);
    if (deletes) return original.filter((item) => !named.has(item));
    const both = [...new Set([...original, ...patch])];
    const [inPatch, others] = partition(both, patch, '');
    return normaliseOrder(inPatch, others, patch, original, '');
  }
  if (mergeKey === '')
    throw new SmpError(
      500,
      `cannot merge lists without merge key for ${place.node?.type === 'object' ? 'struct' : kindName(place.node)}`,
    );
  let base: readonly JsonObject[] = original as readonly JsonObject[];
  const plain: JsonObject[] = [];
  const deleted = new Set<JsonValue | undefined>();
  let replaces = false;
  for (const item of patch as readonly JsonObject[]) {
    const directive = item[DIRECTIVE];
    if (directive === undefined) plain.push(item);
    else if (directive === 'delete') {
      const key = item[mergeKey];
      if (key === undefined) throw noMergeKey(item, mergeKey);
      deleted.add(key);
    } else if (directive === 'replace') replaces = true;
    else if (directive === 'merge') throw new SmpError(500, 'merging lists cannot yet be specified in the patch');
    else throw new SmpError(500, `unknown patch type: ${goPrinted(directive)} in map: ${goPrinted(item)}`);
  }
  // A list that is replaced is not merged.
  if (replaces) base = plain;
  else if (deleted.size > 0) base = base.filter((one) => !deleted.has(one[mergeKey]));
  const additions = replaces ? [] : plain;
  const merged: JsonValue[] = [...base];
  const places = new Map<JsonValue | undefined, number>();
  for (const [index, one] of base.entries()) if (!places.has(one[mergeKey])) places.set(one[mergeKey], index);
  for (const item of additions) {
    const key = item[mergeKey];
    if (key === undefined) throw noMergeKey(item, mergeKey);
    const index = places.get(key);
    if (index === undefined) places.set(key, merged.push(item) - 1);
    else merged[index] = mergeMap(merged[index] as JsonObject, item, place);
  }
  const [inPatch, others] = partition(merged, additions, mergeKey);
  return normaliseOrder(inPatch, others, additions, base, mergeKey);
}

/** Removes directives from a value in place, and nulls if `discardNulls`; undefined when the value is itself a directive. */
function withoutDirectives(value: JsonValue, discardNulls: boolean): JsonValue | undefined {
  if (isList(value)) return value.map((one) => withoutDirectives(one, discardNulls)).filter((one) => one !== undefined);
  if (!isMap(value)) return value;
  if (value[DIRECTIVE] !== undefined && (value[DIRECTIVE] !== null || !discardNulls)) return undefined;
  const map: MutableMap = value;
  for (const key of Object.keys(map)) {
    const one = map[key] ?? null;
    const kept = one === null && discardNulls ? undefined : withoutDirectives(one, discardNulls);
    if (kept === undefined) delete map[key];
    // Assigns only changed values: most stay unchanged, and copying a map of a hundred thousand keys would be slow.
    else if (kept !== one) map[key] = kept;
  }
  return value;
}
