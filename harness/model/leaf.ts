/**
 * Leaves: an object flattened to `path → value`, with list items named by an identifying key instead of their index.
 *
 * `spec.replicas`, `metadata.annotations["example.com/a"]`, `status.conditions[type=Ready].status`, `metadata.finalizers["x/y"]`,
 * `metadata.ownerReferences[uid=…].name`. An empty map or list is a leaf of its own, so that removing the last item is visible. Lists of
 * maps are keyed by the first of `uid`, `type`, `name`, `key` that all items have and that is unique; lists of scalars by value (a
 * multiset: duplicates get `~2`); other lists by index.
 */
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';

export type Leaves = ReadonlyMap<string, JsonValue>;

const ITEM_KEYS = ['uid', 'type', 'name', 'key'] as const;
const PLAIN_KEY = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const cache = new WeakMap<object, Leaves>();

/** Returns the leaves of an object, computed once per object (objects are immutable). */
export function leavesOf(object: JsonObject | KubeObject): Leaves {
  let leaves = cache.get(object);
  if (leaves === undefined) {
    const fresh = new Map<string, JsonValue>();
    flatten('', object, fresh);
    cache.set(object, (leaves = fresh));
  }
  return leaves;
}

function flatten(path: string, value: JsonValue | undefined, out: Map<string, JsonValue>): void {
  if (value === undefined) return;
  if (value === null || typeof value !== 'object') {
    out.set(path, value);
    return;
  }
  if (Array.isArray(value)) {
    flattenList(path, value as readonly JsonValue[], out);
    return;
  }
  const map = value as JsonObject;
  let empty = true;
  for (const key in map) {
    if (map[key] === undefined) continue;
    empty = false;
    flatten(path === '' ? key : path + keySegment(key), map[key], out);
  }
  if (empty && path !== '') out.set(path, value);
}

function flattenList(path: string, list: readonly JsonValue[], out: Map<string, JsonValue>): void {
  if (list.length === 0) {
    out.set(path, list);
    return;
  }
  const names = itemNames(list);
  for (let index = 0; index < list.length; index++) flatten(path + (names[index] ?? ''), list[index], out);
}

/** Returns the names of list items as used in leaf paths. */
export function itemNames(list: readonly JsonValue[]): readonly string[] {
  const key = itemKey(list);
  const seen = new Map<string, number>();
  return list.map((item, index) => {
    let name: string;
    if (key !== undefined) name = `[${key}=${(item as JsonObject)[key] as string}]`;
    else if (item === null || typeof item !== 'object') name = `[${JSON.stringify(item)}]`;
    else name = `[${index}]`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name}~${count}`;
  });
}

/** Returns the key that identifies the items of a list of maps, if there is one. */
export function itemKey(list: readonly JsonValue[]): string | undefined {
  for (const key of ITEM_KEYS) {
    const values = new Set<JsonValue>();
    let usable = true;
    for (const item of list) {
      const value =
        item !== null && typeof item === 'object' && !Array.isArray(item) ? (item as JsonObject)[key] : undefined;
      if (typeof value !== 'string' || values.has(value)) {
        usable = false;
        break;
      }
      values.add(value);
    }
    if (usable) return key;
  }
  return undefined;
}

/** Formats a map key as a segment of a leaf path. */
export function keySegment(key: string): string {
  return PLAIN_KEY.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** Returns the object without the leaves that `drop` selects; maps and lists that become empty are removed too. */
export function withoutLeaves<T extends JsonObject>(object: T, drop: (path: string) => boolean): T {
  return (prune('', object, drop) ?? {}) as T;
}

function prune(path: string, value: JsonValue | undefined, drop: (path: string) => boolean): JsonValue | undefined {
  if (value === null || typeof value !== 'object') return value === undefined || drop(path) ? undefined : value;
  if (Array.isArray(value)) {
    const list = value as readonly JsonValue[];
    const names = itemNames(list);
    // Not `flatMap`, because a list that is an item of another list must stay one item.
    const kept = list
      .map((item, index) => prune(path + (names[index] ?? ''), item, drop))
      .filter((item) => item !== undefined);
    return kept.length === 0 && (list.length > 0 || drop(path)) ? undefined : kept;
  }
  const out: { [key: string]: JsonValue } = {};
  let any = false;
  let size = 0;
  for (const [key, item] of Object.entries(value as JsonObject)) {
    size++;
    const kept = prune(path === '' ? key : path + keySegment(key), item, drop);
    if (kept === undefined) continue;
    out[key] = kept;
    any = true;
  }
  return any || (size === 0 && !drop(path)) ? out : undefined;
}

export interface LeafChange {
  readonly path: string;
  /** Absent if the leaf is new. */
  readonly from?: JsonValue;
  /** Absent if the leaf was removed. */
  readonly to?: JsonValue;
}

/** Returns the changes from one version to the next, in the order of the new object, removals last. */
export function diffLeaves(from: JsonObject | undefined, to: JsonObject | undefined): readonly LeafChange[] {
  if (from === to) return [];
  const diff: Diff = { changes: [], removals: [] };
  diffMaps('', from ?? {}, to ?? {}, diff);
  return diff.removals.length === 0 ? diff.changes : [...diff.changes, ...diff.removals];
}

/**
 * As {@link diffLeaves}, without the leaves that the server maintains ({@link isServerLeaf}), because no writer intends their changes. This
 * is also cheaper.
 */
export function diffContent(from: KubeObject | undefined, to: KubeObject | undefined): readonly LeafChange[] {
  if (from === to) return [];
  const diff: Diff = { changes: [], removals: [] };
  const before: JsonObject = from ?? {};
  const after: JsonObject = to ?? {};
  for (const key in after) {
    if (key === 'metadata') diffMetadata(from?.metadata ?? {}, to?.metadata ?? {}, diff);
    else if (key !== 'apiVersion' && key !== 'kind') diffValues(key, before[key], after[key], diff);
  }
  for (const key in before) {
    if (after[key] !== undefined || key === 'apiVersion' || key === 'kind') continue;
    if (key === 'metadata') diffMetadata(before[key] as JsonObject, {}, diff);
    else diffValues(key, before[key], undefined, diff);
  }
  return diff.removals.length === 0 ? diff.changes : [...diff.changes, ...diff.removals];
}

interface Diff {
  readonly changes: LeafChange[];
  readonly removals: LeafChange[];
}

function diffMetadata(before: JsonObject, after: JsonObject, diff: Diff): void {
  for (const key in after) {
    if (!SERVER_METADATA.has(key)) diffValues(`metadata${keySegment(key)}`, before[key], after[key], diff);
  }
  for (const key in before) {
    if (after[key] !== undefined || SERVER_METADATA.has(key)) continue;
    diffValues(`metadata${keySegment(key)}`, before[key], undefined, diff);
  }
}

function diffMaps(path: string, before: JsonObject, after: JsonObject, diff: Diff): void {
  for (const key in after) {
    if (before[key] !== after[key]) {
      diffValues(path === '' ? key : path + keySegment(key), before[key], after[key], diff);
    }
  }
  for (const key in before) {
    if (after[key] !== undefined || before[key] === undefined) continue;
    diffValues(path === '' ? key : path + keySegment(key), before[key], undefined, diff);
  }
}

/**
 * Adds the differences between two values to `diff`, building paths only where something differs. Lists that differ are flattened as a
 * whole, since item names depend on all items.
 */
function diffValues(path: string, before: JsonValue | undefined, after: JsonValue | undefined, diff: Diff): void {
  if (before === after) return;
  if (isFilledMap(before) && isFilledMap(after)) {
    diffMaps(path, before, after, diff);
    return;
  }
  if (isScalar(before) && isScalar(after)) {
    diff.changes.push({ path, from: before, to: after });
    return;
  }
  if (jsonEqual(before, after)) return;
  const old = new Map<string, JsonValue>();
  const fresh = new Map<string, JsonValue>();
  flatten(path, before, old);
  flatten(path, after, fresh);
  for (const [leaf, value] of fresh) {
    const was = old.get(leaf);
    if (was === undefined) diff.changes.push({ path: leaf, to: value });
    else if (!jsonEqual(was, value)) diff.changes.push({ path: leaf, from: was, to: value });
  }
  for (const [leaf, value] of old) if (!fresh.has(leaf)) diff.removals.push({ path: leaf, from: value });
}

function isScalar(value: JsonValue | undefined): value is null | boolean | number | string {
  return value !== undefined && (value === null || typeof value !== 'object');
}

function isFilledMap(value: JsonValue | undefined): value is JsonObject {
  if (value === undefined || value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const map: JsonObject = value as JsonObject;
  for (const key in map) if (map[key] !== undefined) return true;
  return false;
}

const SERVER_METADATA: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
]);

/** Matches metadata that the server maintains and no writer sets. */
const SERVER_LEAF =
  /^metadata\.(uid|resourceVersion|generation|creationTimestamp|deletionTimestamp|deletionGracePeriodSeconds|selfLink|managedFields)(?![A-Za-z])/;

/** Describes a leaf pattern in words: `"name" in an entry of "metadata.ownerReferences"` for `metadata.ownerReferences[uid=*].name`. */
export function leafInWords(pattern: string): string {
  let words = '';
  let rest = pattern;
  for (const [found, key = ''] of pattern.matchAll(/\[([^\]]*)\]\.?/g)) {
    const at = rest.indexOf(found);
    const list = rest.slice(0, at);
    const entry = /^\w+=[^*]/.test(key) ? `the entry ${key.replaceAll('=', ' ')}` : 'an entry';
    words = `${entry} of "${list}"${words === '' ? '' : ` in ${words}`}`;
    rest = rest.slice(at + found.length);
  }
  if (rest === '') return words;
  return words === '' ? `"${rest}"` : `"${rest}" in ${words}`;
}

/** Reports whether the server, not a writer, sets the leaf. */
export function isServerLeaf(path: string): boolean {
  return SERVER_LEAF.test(path) || path === 'apiVersion' || path === 'kind';
}

/** Returns the pattern of a leaf: list keys that vary between runs (uids, indexes) become `*`, names chosen by people stay. */
export function leafPattern(path: string): string {
  return path.replace(/\[uid=[^\]]*\]/g, '[uid=*]').replace(/\[\d+\]/g, '[*]');
}

/** Reports whether a value is a time in the form of RFC 3339, which differs between two runs of one trial. */
export function isTime(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && TIME.test(value);
}

/** Reports whether a value is absent or empty; encoders of structs omit empty values, and both mean the same. */
export function isEmptyValue(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
