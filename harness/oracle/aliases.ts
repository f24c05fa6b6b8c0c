/**
 * What one run calls by other names than another run: uids, generated names, and addresses that the cluster assigns.
 *
 * Owns: which values these are, and comparing leaves of two runs without them. Start at {@link withoutAliased}.
 */
import { isMap, jsonEqual } from 'stalemate-apiserver/objects/json';
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import type { LeafChange } from '../model/leaf.ts';

/**
 * Values that are valid in one run only, with their run-independent equivalents, the longest first: an address may begin another. The
 * equivalents contain no spaces, which would make a sentence of a key.
 */
export type Aliases = ReadonlyMap<string, string>;

type Objects = ReadonlyMap<string, { readonly object: KubeObject }>;

const known = new WeakMap<Objects, Aliases>();
/** Objects that are not compared, but that the objects of a state may name, with their keys. */
const uncompared = new WeakMap<Objects, Objects>();

/** Adds objects to those whose aliases count in a state. */
export function nameAlso(state: Objects, others: Objects): void {
  uncompared.set(state, others);
}

/** Returns the aliases in a state: its objects by their canonical keys. */
export function aliases(state: Objects): Aliases {
  let found = known.get(state);
  if (found === undefined) {
    found = aliasesIn(state);
    known.set(state, found);
  }
  return found;
}

function aliasesIn(state: Objects): Aliases {
  const out: [string, string][] = [];
  for (const [key, { object }] of [...state, ...(uncompared.get(state) ?? [])]) {
    const { uid, name } = object.metadata;
    if (uid !== undefined) out.push([uid, `uid:${key}`]);
    if (name !== undefined && key.includes('~')) out.push([name, `name:${key}`]);
    for (const [at, address] of addressesOf(object).entries()) out.push([address, `address${at}:${key}`]);
  }
  return new Map(out.sort(([a], [b]) => b.length - a.length));
}

/** Returns the addresses that the cluster gave to a pod or a service. Which ones depends on what was created before. */
function addressesOf({ kind, status, spec }: KubeObject): readonly string[] {
  if (kind === 'Pod') return textsAt(status, 'podIPs', 'podIP');
  return kind === 'Service' ? textsAt(spec, 'clusterIPs', 'clusterIP').filter((text) => text !== 'None') : [];
}

/** Returns the texts in a list, of values or of maps with an `ip`, or else the one in a field. */
function textsAt(part: JsonValue | undefined, list: string, field: string): readonly string[] {
  if (!isMap(part)) return [];
  const all = part[list];
  const values = Array.isArray(all) && all.length > 0 ? all : [part[field]];
  const texts = values.map((one: JsonValue | undefined) => (isMap(one) ? one['ip'] : one));
  return texts.filter((text) => typeof text === 'string' && text !== '') as readonly string[];
}

/**
 * Drops differences, in values and in paths, that are only an alias in the other run.
 *
 * @param have - The aliases in the state whose values are `to`.
 * @param want - The aliases in the state whose values are `from`.
 */
export function withoutAliased(changes: readonly LeafChange[], have: Aliases, want: Aliases): LeafChange[] {
  const expected = new Map<string, JsonValue | undefined>();
  for (const { path, from } of changes)
    if (from !== undefined) expected.set(pathWith(path, want), valueWith(from, want));
  const actual = new Map<string, JsonValue | undefined>();
  for (const { path, to } of changes) if (to !== undefined) actual.set(pathWith(path, have), valueWith(to, have));
  return changes.filter(({ path, from, to }) => {
    const key = placeWith({ path, to }, have, want);
    const other = from === undefined ? expected.get(key) : valueWith(from, want);
    const mine = to === undefined ? actual.get(key) : valueWith(to, have);
    return !jsonEqual(mine, other);
  });
}

/** Returns the path of a change without the aliases of either run, so that the same change of two runs has the same one. */
export function placeWith(
  { path, to }: { readonly path: string; readonly to?: JsonValue | undefined },
  have: Aliases,
  want: Aliases,
): string {
  return pathWith(path, to === undefined ? want : have);
}

function valueWith(value: JsonValue, by: Aliases): JsonValue {
  return typeof value === 'string' ? textWith(value, by) : value;
}

function pathWith(path: string, by: Aliases): string {
  return path.includes('[') ? textWith(path, by) : path;
}

/** Replaces aliases anywhere in a text: `198.18.0.1:6379`, or the name of a child within that of its own child. */
function textWith(text: string, by: Aliases): string {
  let out = text;
  for (const [from, to] of by) if (out.includes(from)) out = out.replaceAll(from, to);
  return out;
}
