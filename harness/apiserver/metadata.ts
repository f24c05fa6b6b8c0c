/**
 * Object metadata: its canonical form and its rules.
 *
 * Owns: decoding `metadata` strictly into one key order without empty values, what an update may change, and the texts of its
 * refusals (k8s.io/apimachinery `api/validation/objectmeta.go`). Start at {@link decodeMetadata}.
 */
import { jsonEqual } from '../model/leaf.ts';
import { isList, isMap } from '../model/json.ts';
import {
  parseApiVersion,
  type JsonObject,
  type JsonValue,
  type ObjectMeta,
  type OwnerReference,
} from '../model/object.ts';
import { goType, type NameRule } from './definition.ts';
import { fieldForbidden, fieldInvalid, fieldRequired, type FieldError } from './refusal.ts';
import { labelValueErrors, nameErrors, qualifiedNameErrors } from './names.ts';

/** Metadata while a write is being prepared. */
export type MutableMeta = { -readonly [key in keyof ObjectMeta]: ObjectMeta[key] };

const STRINGS = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion'] as const;
const TIMES = ['creationTimestamp', 'deletionTimestamp'] as const;
const MAPS = ['labels', 'annotations'] as const;

/**
 * Canonical metadata: known keys only, in one order, empty values left out. A string is the reason why it cannot be decoded.
 * `managedFields` stays as it was sent: an empty list means something (`apply/ownership.ts`).
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
  for (const one of raw) {
    if (!isMap(one)) return mismatch('ownerReferences', one, 'v1.OwnerReference');
    const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = one;
    for (const [key, value] of Object.entries({ apiVersion, kind, name, uid }))
      if (value !== undefined && value !== null && typeof value !== 'string')
        return mismatch(`ownerReferences.${key}`, value, 'string');
    for (const [key, value] of Object.entries({ controller, blockOwnerDeletion }))
      if (value !== undefined && value !== null && typeof value !== 'boolean')
        return mismatch(`ownerReferences.${key}`, value, 'bool');
    const owner: OwnerReference = {
      apiVersion: (apiVersion as string | undefined) ?? '',
      kind: (kind as string | undefined) ?? '',
      name: (name as string | undefined) ?? '',
      uid: (uid as string | undefined) ?? '',
      ...(typeof controller === 'boolean' ? { controller } : {}),
      ...(typeof blockOwnerDeletion === 'boolean' ? { blockOwnerDeletion } : {}),
    };
    // Exact duplicates are dropped (and warned about), as kube-apiserver does.
    if (!list.some((other) => jsonEqual(other, owner))) list.push(owner);
  }
  return list;
}

function mismatch(key: string, value: JsonValue, type: string): string {
  const field = key === '' ? 'metadata' : `metadata.${key}`;
  return `json: cannot unmarshal ${goType(value)} into Go struct field ObjectMeta.${field} of type ${type}`;
}

/** Whether duplicates among ownerReferences were dropped on decoding. */
export function hadDuplicateOwners(raw: JsonValue | undefined, meta: ObjectMeta): boolean {
  if (!isMap(raw)) return false;
  const owners = raw['ownerReferences'];
  return isList(owners) && owners.length > (meta.ownerReferences?.length ?? 0);
}

/** The rules for metadata of a new object. */
export function validateNewMetadata(meta: ObjectMeta, rule: NameRule): readonly FieldError[] {
  if (isPlain(meta, rule)) return NONE;
  const errors: FieldError[] = [];
  if (meta.generateName !== undefined)
    for (const text of nameErrors(rule, meta.generateName, true))
      errors.push(fieldInvalid('metadata.generateName', meta.generateName, text));
  if (meta.name === undefined) errors.push(fieldRequired('metadata.name', 'name or generateName is required'));
  else
    for (const text of nameErrors(rule, meta.name, false)) errors.push(fieldInvalid('metadata.name', meta.name, text));
  validateCommon(meta, errors);
  return errors;
}

const NONE: readonly FieldError[] = [];

/** The everyday case, decided without allocating. */
function isPlain(meta: ObjectMeta, rule: NameRule): boolean {
  return (
    meta.name !== undefined &&
    meta.generateName === undefined &&
    meta.labels === undefined &&
    meta.annotations === undefined &&
    meta.ownerReferences === undefined &&
    meta.finalizers === undefined &&
    nameErrors(rule, meta.name, false).length === 0
  );
}

/** The rules for metadata of an update; `meta` already carries what the server restores. */
export function validateMetadataUpdate(meta: ObjectMeta, old: ObjectMeta): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined && meta.finalizers !== old.finalizers) {
    const extra = (meta.finalizers ?? []).filter((one) => !(old.finalizers ?? []).includes(one)).sort();
    if (extra.length > 0)
      errors.push(
        fieldForbidden(
          'metadata.finalizers',
          `no new finalizers can be added if the object is being deleted, found new finalizers []string{${extra
            .map((one) => JSON.stringify(one))
            .join(', ')}}`,
        ),
      );
  }
  for (const key of IMMUTABLE)
    if (meta[key] !== old[key]) errors.push(fieldInvalid(`metadata.${key}`, meta[key] ?? null, 'field is immutable'));
  if (
    meta.labels !== old.labels ||
    meta.annotations !== old.annotations ||
    meta.ownerReferences !== old.ownerReferences ||
    meta.finalizers !== old.finalizers
  )
    validateCommon(meta, errors);
  return errors.length === 0 ? NONE : errors;
}

const IMMUTABLE = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** 256 KiB over all annotations, keys included. */
const ANNOTATIONS_MAX_BYTES = 256 * 1024;

function validateCommon(meta: ObjectMeta, errors: FieldError[]): void {
  const { labels, annotations, ownerReferences, finalizers } = meta;
  if (labels !== undefined)
    for (const key in labels) {
      const value = labels[key] ?? '';
      for (const text of qualifiedNameErrors(key)) errors.push(fieldInvalid('metadata.labels', key, text));
      for (const text of labelValueErrors(value)) errors.push(fieldInvalid('metadata.labels', value, text));
    }
  if (annotations !== undefined) {
    let bytes = 0;
    for (const key in annotations) {
      bytes += key.length + (annotations[key] ?? '').length;
      for (const text of qualifiedNameErrors(key.toLowerCase()))
        errors.push(fieldInvalid('metadata.annotations', key, text));
    }
    if (bytes > ANNOTATIONS_MAX_BYTES)
      errors.push({
        type: 'TooLong',
        field: 'metadata.annotations',
        detail: `may not be more than ${ANNOTATIONS_MAX_BYTES} bytes`,
      });
  }
  if (ownerReferences !== undefined) validateOwners(ownerReferences, errors);
  if (finalizers !== undefined) validateFinalizers(finalizers, errors);
}

function validateOwners(owners: readonly OwnerReference[], errors: FieldError[]): void {
  const field = 'metadata.ownerReferences';
  let controller = '';
  for (const owner of owners) {
    if (parseApiVersion(owner.apiVersion).version === '')
      errors.push(fieldInvalid(`${field}.apiVersion`, owner.apiVersion, 'version must not be empty'));
    for (const key of ['kind', 'name', 'uid'] as const)
      if (owner[key] === '') errors.push(fieldInvalid(`${field}.${key}`, '', 'must not be empty'));
    if (owner.apiVersion === 'v1' && owner.kind === 'Event')
      errors.push(fieldInvalid(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
    if (owner.controller !== true) continue;
    const name = `${owner.kind}/${owner.name}`;
    if (controller !== '')
      errors.push(
        fieldInvalid(
          field,
          owners,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`,
        ),
      );
    else controller = name;
  }
}

function validateFinalizers(finalizers: readonly string[], errors: FieldError[]): void {
  for (const one of finalizers)
    for (const text of qualifiedNameErrors(one)) errors.push(fieldInvalid('metadata.finalizers', one, text));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion'))
    errors.push(
      fieldInvalid('metadata.finalizers', finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'),
    );
}
