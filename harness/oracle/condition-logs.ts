/**
 * Logs among conditions: lists in a status whose items have a `type` that repeats. Conditions are a map by type (API conventions); where a
 * type repeats, the controller appends an entry for each transition, and which entries there are depends on the path taken.
 *
 * Owns: which lists are logs. Start at {@link withNewestOfLogs}.
 */
import { isMap } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import type { LeafChange } from '../model/leaf.ts';

/** Matches a leaf of a status below a list whose items have no identifying key. */
const BY_INDEX = /^status\b.*\[\d+\]/;

/** Reports whether a log may be among what differs: its items have no identifying key in at least one of the two objects. */
export function mayDifferInLogs(changes: readonly LeafChange[]): boolean {
  return changes.some(({ path }) => BY_INDEX.test(path));
}

/** Returns two objects, reduced to the newest entry in each list of their statuses that is a log in one of them. */
export function withNewestOfLogs(one: KubeObject, other: KubeObject): readonly [KubeObject, KubeObject] {
  const [a, b] = newest(one['status'], other['status']);
  return [withStatus(one, a), withStatus(other, b)];
}

function withStatus(object: KubeObject, status: JsonValue | undefined): KubeObject {
  return status === undefined || status === object['status'] ? object : { ...object, status };
}

function newest(
  one: JsonValue | undefined,
  other: JsonValue | undefined,
): readonly [JsonValue | undefined, JsonValue | undefined] {
  if (Array.isArray(one) && Array.isArray(other))
    return isLog(one) || isLog(other) ? [one.slice(-1), other.slice(-1)] : [one, other];
  if (!isMap(one) || !isMap(other)) return [one, other];
  const both = Object.keys(one)
    .filter((key) => other[key] !== undefined)
    .map((key) => [key, ...newest(one[key], other[key])] as const);
  return [
    { ...one, ...Object.fromEntries(both.map(([key, a]) => [key, a])) },
    { ...other, ...Object.fromEntries(both.map(([key, , b]) => [key, b])) },
  ] as readonly [JsonObject, JsonObject];
}

function isLog(list: readonly JsonValue[]): boolean {
  const types = list.map((item) => (isMap(item) ? item['type'] : undefined));
  return types.every((type) => typeof type === 'string') && new Set(types).size < types.length;
}
