/**
 * `metadata.managedFields`: decoding and encoding.
 *
 * Owns: entries and their identity, order, the merging of old updates (k8s.io/apimachinery `util/managedfields/internal`
 * `managedfields.go`, `capmanagers.go`). Recently decoded entries are cached.
 */
import { isList, isMap, textOf } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { Recent } from '../recent.ts';
import { decodeFieldSet, EMPTY_SET, FieldSet } from './field-set.ts';

/**
 * One entry of `managedFields`: the fields of one manager. Two entries are the same if manager, operation and subresource are equal; for
 * updates the version too.
 */
export interface Owner {
  readonly id: string;
  readonly manager: string;
  readonly applied: boolean;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly set: FieldSet;
  /** RFC 3339. */
  readonly time: string | undefined;
}

/** The decoded `managedFields`: owners by id. Immutable once shared. */
export type Managed = ReadonlyMap<string, Owner>;

export const NO_MANAGERS: Managed = new Map();

/** Returns the identity of an entry: kube-apiserver sorts and merges by this text. */
function ownerId(manager: string, applied: boolean, apiVersion: string, subresource: string): string {
  return JSON.stringify({
    ...(manager === '' ? {} : { manager }),
    operation: applied ? 'Apply' : 'Update',
    ...(applied ? {} : { apiVersion }),
    ...(subresource === '' ? {} : { subresource }),
  });
}

export function owner(
  manager: string,
  applied: boolean,
  apiVersion: string,
  subresource: string,
  set: FieldSet = EMPTY_SET,
  time?: string,
): Owner {
  const id = ownerId(manager, applied, apiVersion, subresource);
  return { id, manager, applied, apiVersion, subresource, set, time };
}

/** Returns a copy of an owner with another set; the owner itself when the set is the same. */
export function owning(one: Owner, set: FieldSet): Owner {
  return one.set === set ? one : { ...one, set };
}

/** The number of cached lists of entries: an object that was written is often written again soon. */
const RECENT = 2000;

const decoded = new Recent<object, Managed | string>(RECENT);

/** Decodes the entries of `managedFields`; returns an error as a string. */
export function decodeManaged(entries: JsonValue | undefined): Managed | string {
  if (!isList(entries) || entries.length === 0) return NO_MANAGERS;
  let managed = decoded.get(entries);
  if (managed === undefined) decoded.set(entries, (managed = decode(entries)));
  return managed;
}

function decode(entries: readonly JsonValue[]): Managed | string {
  const managed = new Map<string, Owner>();
  for (const [index, entry] of entries.entries()) {
    if (!isMap(entry)) return `entry ${index} is not a map`;
    const { operation, fieldsType, fieldsV1 } = entry;
    if (operation !== 'Apply' && operation !== 'Update') return 'operation must be `Apply` or `Update`';
    const apiVersion = textOf(entry['apiVersion']);
    if (apiVersion === '') return 'apiVersion must not be empty';
    if (fieldsType === undefined || fieldsType === '') return `missing fieldsType in managed fields entry ${index}`;
    if (fieldsType !== 'FieldsV1')
      return `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`;
    const set = fieldsV1 === undefined ? EMPTY_SET : decodeFieldSet(fieldsV1);
    if (typeof set === 'string') return `error decoding set: ${set}`;
    const time = typeof entry['time'] === 'string' ? entry['time'] : undefined;
    const one = owner(
      textOf(entry['manager']),
      operation === 'Apply',
      apiVersion,
      textOf(entry['subresource']),
      set,
      time,
    );
    managed.set(one.id, one);
  }
  return managed;
}

/** Encodes owners as sorted entries of `managedFields`; undefined when there are none. */
export function encodeManaged(managed: Managed): readonly JsonObject[] | undefined {
  const list = entriesOf([...managed.values()]);
  if (list !== undefined) decoded.set(list, managed);
  return list;
}

/** Returns the sorted entries of owners. If two have the same identity, decoding the entries keeps only the last one. */
export function entriesOf(owners: readonly Owner[]): readonly JsonObject[] | undefined {
  return owners.length === 0 ? undefined : [...owners].sort(compareOwners).map(entryOf);
}

const entries = new Recent<Owner, JsonObject>(RECENT);

function entryOf(one: Owner): JsonObject {
  let entry = entries.get(one);
  if (entry === undefined) {
    entry = {
      ...(one.manager === '' ? {} : { manager: one.manager }),
      operation: one.applied ? 'Apply' : 'Update',
      apiVersion: one.apiVersion,
      ...(one.time === undefined ? {} : { time: one.time }),
      fieldsType: 'FieldsV1',
      fieldsV1: shared(one.set.encode()),
      ...(one.subresource === '' ? {} : { subresource: one.subresource }),
    };
    entries.set(one, entry);
  }
  return entry;
}

/** Encoded sets by text, shared between objects: a program usually owns the same fields of all its objects. */
const forms = new Map<string, JsonObject>();
const FORMS_MAX = 1000;

function shared(fields: JsonObject): JsonObject {
  const text = JSON.stringify(fields);
  const known = forms.get(text);
  if (known !== undefined) return known;
  if (forms.size >= FORMS_MAX) forms.clear();
  forms.set(text, fields);
  return fields;
}

function isPlain(time: string): boolean {
  return time.length === 20 && time.endsWith('Z');
}

function seconds(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares owners: applies come before updates, then by time, then by name. */
function compareOwners(a: Owner, b: Owner): number {
  if (a.applied !== b.applied) return a.applied ? -1 : 1;
  if (a.time !== b.time) {
    // Times in the same format sort as text.
    if (a.time !== undefined && b.time !== undefined && isPlain(a.time) && isPlain(b.time))
      return order(a.time, b.time);
    const apart = seconds(a.time) - seconds(b.time);
    if (apart !== 0) return apart;
  }
  return order(a.manager, b.manager) || order(a.apiVersion, b.apiVersion) || order(a.subresource, b.subresource);
}

/** kube-apiserver's limit on the number of update entries. */
const UPDATERS_MAX = 10;
const ANCIENT = 'ancient-changes';

/** Merges the oldest updates of each version into one entry when there are too many. */
export function capped(managed: Managed): Managed {
  const updaters = [...managed.values()].filter((one) => !one.applied);
  if (updaters.length <= UPDATERS_MAX) return managed;
  updaters.sort((a, b) => seconds(a.time) - seconds(b.time) || order(a.id, b.id));
  const out = new Map(managed);
  const first = new Map<string, Owner>();
  // The sets of merged entries. They are united at the end, because uniting them one by one would be quadratic.
  const sets = new Map<string, FieldSet[]>();
  let count = updaters.length;
  for (const one of updaters) {
    if (count <= UPDATERS_MAX) break;
    const oldest = first.get(one.apiVersion);
    if (oldest === undefined) {
      first.set(one.apiVersion, one);
      continue;
    }
    const bucket = owner(ANCIENT, false, one.apiVersion, '');
    let into = out.get(bucket.id);
    if (into === undefined) {
      into = oldest;
      out.delete(oldest.id);
    }
    const parts = sets.get(bucket.id) ?? [into.set];
    parts.push(one.set);
    sets.set(bucket.id, parts);
    out.set(bucket.id, { ...bucket, set: one.set, time: one.time });
    // As in Go, if the merged entry is the existing `ancient-changes` entry and not the oldest one, it is lost here.
    out.delete(one.id);
    if (one.id === bucket.id) sets.delete(one.id);
    count--;
  }
  for (const [id, parts] of sets) {
    const bucket = out.get(id);
    if (bucket !== undefined) out.set(id, { ...bucket, set: FieldSet.unionOf(parts) });
  }
  return out;
}
