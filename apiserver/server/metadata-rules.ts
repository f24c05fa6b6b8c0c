/**
 * The rules of object metadata (k8s.io/apimachinery `api/validation/objectmeta.go`).
 *
 * Owns: validation of metadata, allowed updates, messages, and how often each error is reported: a real server validates metadata once for
 * all kinds and again in the code of the kind, so clients see every cause twice. Start at {@link validateNewMetadata} and {@link
 * validateMetadataUpdate}.
 */
import { parseApiVersion, type ObjectMeta, type OwnerReference } from '../objects/object.ts';
import type { MetadataValidation, NameRule } from './definition.ts';
import { labelValueErrors, nameErrors, qualifiedNameErrors } from './names.ts';
import { fieldForbidden, fieldInvalid, fieldRequired, type FieldError } from './refusal.ts';
import { ERRORS_MAX } from './weight.ts';

const NONE: readonly FieldError[] = [];

/**
 * Returns errors in the metadata of a new object. `content`: the errors in the rest of the object; kinds without metadata validation of
 * their own validate metadata only if there are none.
 */
export function validateNewMetadata(
  meta: ObjectMeta,
  rule: NameRule,
  metadataValidation: MetadataValidation['create'],
  content: readonly FieldError[],
): readonly FieldError[] {
  if (isPlain(meta, rule) || (metadataValidation === 'none' && content.length > 0)) return content;
  const errors: FieldError[] = [];
  if (meta.generateName !== undefined)
    for (const text of nameErrors(rule, meta.generateName, true))
      errors.push(fieldInvalid('metadata.generateName', meta.generateName, text));
  if (meta.name === undefined) errors.push(fieldRequired('metadata.name', 'name or generateName is required'));
  else
    for (const text of nameErrors(rule, meta.name, false)) errors.push(fieldInvalid('metadata.name', meta.name, text));
  validateMaps(meta, errors);
  validateFinalizers(meta.finalizers, errors);
  if (metadataValidation === 'core') validateFinalizerHomes(meta.finalizers, errors);
  return [...errors, ...content];
}

/** Reports, without allocating, whether metadata is of the common form, which is valid. */
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

/** Returns errors in the metadata of an update; `meta` already has the values that the server restores. */
export function validateMetadataUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  metadataValidation: MetadataValidation['update'],
): readonly FieldError[] {
  const frozen: FieldError[] = [];
  validateFrozen(meta, old, frozen);
  const sameMaps =
    meta.labels === old.labels && meta.annotations === old.annotations && meta.ownerReferences === old.ownerReferences;
  if (sameMaps && frozen.length === 0 && meta.finalizers === old.finalizers) return NONE;
  const maps: FieldError[] = [];
  if (!sameMaps) validateMaps(meta, maps);
  const finalizers: FieldError[] = [];
  const homes: FieldError[] = [];
  if (meta.finalizers !== old.finalizers) {
    validateFinalizers(meta.finalizers, finalizers);
    if (metadataValidation.some((one) => one.startsWith('core'))) validateFinalizerHomes(meta.finalizers, homes);
  }
  if (frozen.length + maps.length + finalizers.length + homes.length === 0) return NONE;
  const groups = [maps, finalizers, frozen, maps];
  for (const one of metadataValidation) {
    if (one === 'core-change' || one === 'change') groups.push(frozen);
    groups.push(maps);
    if (one === 'core' || one === 'plain') groups.push(finalizers);
    if (one === 'core' || one === 'core-change') groups.push(homes);
  }
  return groups.flat();
}

/** Checks that immutable fields are unchanged. */
function validateFrozen(meta: ObjectMeta, old: ObjectMeta, errors: FieldError[]): void {
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
}

const IMMUTABLE = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** The limit on all annotations together, keys included: 256 KiB. */
const ANNOTATIONS_MAX_BYTES = 256 * 1024;

/** Validates labels, annotations and owner references. */
function validateMaps(meta: ObjectMeta, errors: FieldError[]): void {
  const { labels, annotations, ownerReferences } = meta;
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
    if (owner.controller !== true || errors.length > ERRORS_MAX) continue;
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

function validateFinalizers(finalizers: readonly string[] | undefined, errors: FieldError[]): void {
  if (finalizers === undefined) return;
  for (const one of finalizers)
    for (const text of qualifiedNameErrors(one)) errors.push(fieldInvalid('metadata.finalizers', one, text));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion'))
    errors.push(
      fieldInvalid('metadata.finalizers', finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'),
    );
}

const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];

/** Checks that finalizers are qualified names, which the oldest kinds require. */
function validateFinalizerHomes(finalizers: readonly string[] | undefined, errors: FieldError[]): void {
  for (const [index, one] of (finalizers ?? []).entries())
    if (!one.includes('/') && !STANDARD_FINALIZERS.includes(one))
      errors.push(
        fieldInvalid(
          `metadata.finalizers[${index}]`,
          one,
          'name is neither a standard finalizer name nor is it fully qualified',
        ),
      );
}
