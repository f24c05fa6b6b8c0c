/**
 * Object metadata in canonical form.
 *
 * Owns: strict decoding of `metadata`: keys in a fixed order, no empty values. Validation is in `metadata-rules.ts`. Start at {@link
 * decodeMetadata}.
 */
import { isList, isMap } from '../objects/json.ts';
import type { JsonObject, JsonValue, ObjectMeta, OwnerReference } from '../objects/object.ts';
import { goType } from './definition.ts';

/** Metadata of a write in progress. */
export type MutableMeta = { -readonly [key in keyof ObjectMeta]: ObjectMeta[key] };

const STRINGS = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion'] as const;
const TIMES = ['creationTimestamp', 'deletionTimestamp'] as const;
const MAPS = ['labels', 'annotations'] as const;

/**
 * Returns canonical metadata: known keys only, in a fixed order, without empty values. A string is a decoding error. `managedFields` is
 * kept as sent, because an empty list has a meaning (`apply/ownership.ts`).
 */
export function decodeMetadata(raw: JsonValue | undefined): MutableMeta | string {
  if (raw === undefined || raw === null) return {};
  if (!isMap(raw)) return mismatch('', raw, 'v1.ObjectMeta');
  const meta: MutableMeta = {};
  for (const key of STRINGS) {
    const value = raw[key];
    if (value === undefined || value === null || value === '') continue;
    if (typeof value !== 'string') return mismatch(key, value, 'string');
    meta[key] = value;
  }
  const generation = raw['generation'];
  if (typeof generation === 'number' && generation !== 0) meta.generation = generation;
  else if (generation !== undefined && generation !== null && typeof generation !== 'number')
    return mismatch('generation', generation, 'int64');
  for (const key of TIMES) {
    const value = raw[key];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string') return mismatch(key, value, 'v1.Time');
    meta[key] = value;
  }
  const grace = raw['deletionGracePeriodSeconds'];
  if (typeof grace === 'number') meta.deletionGracePeriodSeconds = grace;
  else if (grace !== undefined && grace !== null) return mismatch('deletionGracePeriodSeconds', grace, 'int64');
  for (const key of MAPS) {
    const value = raw[key];
    if (value === undefined || value === null) continue;
    const map = decodeStringMap(key, value);
    if (typeof map === 'string') return map;
    if (map !== undefined) meta[key] = map;
  }
  const owners = raw['ownerReferences'];
  if (owners !== undefined && owners !== null) {
    const list = decodeOwners(owners);
    if (typeof list === 'string') return list;
    if (list.length > 0) meta.ownerReferences = list;
  }
  const finalizers = raw['finalizers'];
  if (finalizers !== undefined && finalizers !== null) {
    if (!isList(finalizers)) return mismatch('finalizers', finalizers, '[]string');
    for (const one of finalizers) if (typeof one !== 'string') return mismatch('finalizers', one, 'string');
    if (finalizers.length > 0) meta.finalizers = finalizers as readonly string[];
  }
  const managed = raw['managedFields'];
  if (managed !== undefined && managed !== null) {
    if (!isList(managed)) return mismatch('managedFields', managed, '[]v1.ManagedFieldsEntry');
    for (const one of managed) if (!isMap(one)) return mismatch('managedFields', one, 'v1.ManagedFieldsEntry');
    meta.managedFields = managed as readonly JsonObject[];
  }
  return meta;
}

function decodeStringMap(key: string, raw: JsonValue): { readonly [key: string]: string } | string | undefined {
  if (!isMap(raw)) return mismatch(key, raw, 'map[string]string');
  let empty = true;
  let nulls = false;
  for (const name in raw) {
    const value = raw[name];
    if (value === undefined) continue;
    if (value === null) nulls = true;
    else if (typeof value !== 'string') return mismatch(key, value, 'string');
    empty = false;
  }
  if (empty) return undefined;
  if (!nulls) return raw as { readonly [key: string]: string };
  // Go decodes a null map value as the zero value.
  const copy: { [key: string]: string } = {};
  for (const name in raw) copy[name] = (raw[name] as string | null) ?? '';
  return copy;
}

function decodeOwners(raw: JsonValue): readonly OwnerReference[] | string {
  if (!isList(raw)) return mismatch('ownerReferences', raw, '[]v1.OwnerReference');
  const list: OwnerReference[] = [];
  const seen = new Set<string>();
  for (const one of raw) {
    if (!isMap(one)) return mismatch('ownerReferences', one, 'v1.OwnerReference');
    const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = one;
    const problem =
      unless('string', 'apiVersion', apiVersion) ??
      unless('string', 'kind', kind) ??
      unless('string', 'name', name) ??
      unless('string', 'uid', uid) ??
      unless('boolean', 'controller', controller) ??
      unless('boolean', 'blockOwnerDeletion', blockOwnerDeletion);
    if (problem !== undefined) return problem;
    const owner: { -readonly [key in keyof OwnerReference]: OwnerReference[key] } = {
      apiVersion: (apiVersion as string | undefined) ?? '',
      kind: (kind as string | undefined) ?? '',
      name: (name as string | undefined) ?? '',
      uid: (uid as string | undefined) ?? '',
    };
    if (typeof controller === 'boolean') owner.controller = controller;
    if (typeof blockOwnerDeletion === 'boolean') owner.blockOwnerDeletion = blockOwnerDeletion;
    // Exact duplicates are dropped with a warning, as in kube-apiserver.
    if (raw.length > 1) {
      const text = JSON.stringify(owner);
      if (seen.has(text)) continue;
      seen.add(text);
    }
    list.push(owner);
  }
  return list;
}

/** Returns the decoding error of a field of an owner reference; undefined if its type is right. */
function unless(type: 'string' | 'boolean', key: string, value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null || typeof value === type) return undefined;
  return mismatch(`ownerReferences.${key}`, value, type === 'string' ? type : 'bool');
}

function mismatch(key: string, value: JsonValue, type: string): string {
  const field = key === '' ? 'metadata' : `metadata.${key}`;
  return `json: cannot unmarshal ${goType(value)} into Go struct field ObjectMeta.${field} of type ${type}`;
}

/** Reports whether decoding dropped duplicate ownerReferences. */
export function hadDuplicateOwners(raw: JsonValue | undefined, meta: ObjectMeta): boolean {
  if (!isMap(raw)) return false;
  const owners = raw['ownerReferences'];
  return isList(owners) && owners.length > (meta.ownerReferences?.length ?? 0);
}
