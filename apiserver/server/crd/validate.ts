/**
 * Validates CustomResourceDefinitions: names, versions, conversion, approval, allowed updates.
 *
 * Mirrors apiextensions-apiserver `apis/apiextensions/validation`. Schemas are validated in `openapi.ts`, `structural.ts`, `defaults.ts`
 * and `rules.ts`. As in apiextensions-apiserver, parts that all versions share are validated once, at the path of the internal type:
 * `spec.validation`, `spec.subresources`. Start at {@link validateCrd}.
 */
import { jsonEqual, isList, isMap, mapOf, mapsOf, textOf, valueAt, withValueAt } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import { nameErrors } from '../names.ts';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired, type FieldError } from '../refusal.ts';
import { validateApproval } from './approval.ts';
import { canonicalSchema } from './canonical.ts';
import { validateConversion } from './conversion.ts';
import { validateDefaults } from './defaults.ts';
import { validateKeywords } from './openapi.ts';
import { validateRules } from './rules.ts';
import { conditionsOf, statusOf } from './status.ts';
import { validateStructure } from './structural.ts';
import { validateColumns, validateDeprecation, validateSelectable, validateSubresources } from './subresources.ts';

/** Sets the default port, 443, of a conversion webhook's service. */
function withServicePort(crd: KubeObject): KubeObject {
  const path = ['spec', 'conversion', 'webhook', 'clientConfig', 'service'];
  const service = valueAt(crd, path);
  if (!isMap(service) || service['port'] !== undefined) return crd;
  return withValueAt(crd, path, { ...service, port: 443 }) as KubeObject;
}

/** Defaults singular, listKind and the conversion strategy, and records the storage version. */
export function defaultedCrd(crd: KubeObject, old: KubeObject | undefined): KubeObject {
  const spec = mapOf(crd['spec']);
  const names = mapOf(spec['names']);
  const kind = textOf(names['kind']);
  let result = crd;
  const complete = textOf(names['singular']) !== '' && textOf(names['listKind']) !== '' && isMap(spec['conversion']);
  if (!complete)
    result = {
      ...crd,
      spec: {
        ...spec,
        names: {
          ...names,
          ...(kind === ''
            ? {}
            : {
                singular: textOf(names['singular']) || kind.toLowerCase(),
                listKind: textOf(names['listKind']) || `${kind}List`,
              }),
        },
        conversion: isMap(spec['conversion']) ? spec['conversion'] : { strategy: 'None' },
      },
    };
  result = withServicePort(withCanonicalSchemas(result));
  return old === undefined ? result : rememberingStorage(result);
}

/** Canonical schemas by schema (schemas are immutable). A harness installs the same definitions into many servers. */
const CANONICAL = new WeakMap<JsonObject, JsonObject>();
/** Schemas that were found valid, each with the paths at which it was validated, and whether with a status subresource. */
const VALID = new WeakMap<JsonObject, Set<string>>();

function knownCanonical(schema: JsonObject): JsonObject {
  let canonical = CANONICAL.get(schema);
  if (canonical === undefined) CANONICAL.set(schema, (canonical = canonicalSchema(schema)));
  return canonical;
}

function withCanonicalSchemas(crd: KubeObject): KubeObject {
  const spec = mapOf(crd['spec']);
  const { versions } = spec;
  if (!isList(versions)) return crd;
  let changed = false;
  const next = versions.map((version) => {
    const schema = isMap(version) ? schemaOf(version) : undefined;
    if (schema === undefined || !isMap(version)) return version;
    const canonical = knownCanonical(schema);
    if (canonical === schema) return version;
    changed = true;
    return { ...version, schema: { ...mapOf(version['schema']), openAPIV3Schema: canonical } };
  });
  return changed ? { ...crd, spec: { ...spec, versions: next } } : crd;
}

function rememberingStorage(crd: KubeObject): KubeObject {
  const status = statusOf(crd);
  const stored = isList(status['storedVersions']) ? status['storedVersions'] : [];
  const storage = mapsOf(mapOf(crd['spec'])['versions']).find((version) => version['storage'] === true)?.['name'];
  if (storage === undefined || stored.includes(storage)) return crd;
  return { ...crd, status: { ...status, storedVersions: [...stored, storage] } };
}

/** Returns all errors in a definition. `old`: the stored one, on updates. */
export function validateCrd(crd: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  const errors: FieldError[] = [];
  const spec = mapOf(crd['spec']);
  const name = crd.metadata.name ?? '';
  if (old === undefined && name !== '' && name !== `${textOf(mapOf(spec['names'])['plural'])}.${textOf(spec['group'])}`)
    errors.push(fieldInvalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group'));
  validateGroup(spec, errors);
  validateVersions(spec, old === undefined ? undefined : mapOf(old['spec']), errors);
  validateNames(mapOf(spec['names']), 'spec.names', errors);
  validateConversion(mapOf(spec['conversion']), errors);
  if (old !== undefined) validateUnchanged(crd, old, errors);
  validateStored(crd, errors);
  validateApproval(crd, old, errors);
  if (spec['preserveUnknownFields'] === true && mapOf(old?.['spec'])['preserveUnknownFields'] !== true)
    errors.push(
      fieldInvalid(
        'spec.preserveUnknownFields',
        true,
        'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ),
    );
  return errors;
}

function validateGroup(spec: JsonObject, errors: FieldError[]): void {
  const group = textOf(spec['group']);
  const wrong = nameErrors('subdomain', group, false);
  if (group === '') errors.push(fieldRequired('spec.group', ''));
  else if (wrong.length > 0) errors.push(fieldInvalid('spec.group', group, wrong.join(',')));
  else if (!group.includes('.'))
    errors.push(fieldInvalid('spec.group', group, 'should be a domain with at least one dot'));
  const scope = textOf(spec['scope']);
  if (scope === '') errors.push(fieldRequired('spec.scope', ''));
  else if (scope !== 'Namespaced' && scope !== 'Cluster')
    errors.push(fieldNotSupported('spec.scope', scope, ['Cluster', 'Namespaced']));
}

/** Reports whether the part at `key` is the same in all versions. */
function shared(versions: readonly JsonObject[], key: string): boolean {
  return versions.length > 0 && versions.every((version) => jsonEqual(version[key], versions[0]?.[key]));
}

function hasStatus(version: JsonObject): boolean {
  return isMap(mapOf(version['subresources'])['status']);
}

function validateVersions(spec: JsonObject, oldSpec: JsonObject | undefined, errors: FieldError[]): void {
  const versions = mapsOf(spec['versions']);
  const one = {
    schema: shared(versions, 'schema'),
    subresources: shared(versions, 'subresources'),
    columns: shared(versions, 'additionalPrinterColumns'),
    selectable: shared(versions, 'selectableFields'),
  };
  if (!one.schema || schemaOf(versions[0]) === undefined)
    for (const [index, version] of versions.entries())
      if (schemaOf(version) === undefined)
        errors.push(fieldRequired(`spec.versions[${index}].schema.openAPIV3Schema`, ''));
  for (const [index, version] of versions.entries()) {
    const at = `spec.versions[${index}]`;
    const name = textOf(version['name']);
    const wrong = nameErrors('service', name, false);
    if (wrong.length > 0) errors.push(fieldInvalid(`${at}.name`, name, wrong.join(',')));
    validateDeprecation(version, at, errors);
    const schema = schemaOf(version);
    const known =
      oldSpec === undefined ? undefined : mapsOf(oldSpec['versions']).find((other) => other['name'] === name);
    if (!one.schema && schema !== undefined)
      validateSchema(schema, `${at}.schema.openAPIV3Schema`, hasStatus(version), schemaOf(known), errors);
    if (!one.subresources) validateSubresources(version['subresources'], `${at}.subresources`, errors);
    if (!one.columns) validateColumns(version['additionalPrinterColumns'], `${at}.additionalPrinterColumns`, errors);
    if (!one.selectable) validateSelectable(version['selectableFields'], schema, `${at}.selectableFields`, errors);
  }
  const names = versions.map((version) => version['name']);
  if (new Set(names).size < names.length)
    errors.push(fieldInvalid('spec.versions', goVersions(versions, one.schema), 'must contain unique version names'));
  if (versions.filter((version) => version['storage'] === true).length !== 1)
    errors.push(
      fieldInvalid(
        'spec.versions',
        goVersions(versions, one.schema),
        'must have exactly one version marked as storage version',
      ),
    );
  const [first] = versions;
  if (first === undefined) return;
  const wrong = nameErrors('service', textOf(first['name']), false);
  if (wrong.length > 0) errors.push(fieldInvalid('spec.version', textOf(first['name']), wrong.join(',')));
  const schema = schemaOf(first);
  if (one.schema && schema !== undefined)
    validateSchema(
      schema,
      'spec.validation.openAPIV3Schema',
      versions.some(hasStatus),
      schemaOf(mapsOf(oldSpec?.['versions'])[0]),
      errors,
    );
  if (one.subresources) validateSubresources(first['subresources'], 'spec.subresources', errors);
  if (one.columns) validateColumns(first['additionalPrinterColumns'], 'spec.additionalPrinterColumns', errors);
  if (one.selectable) validateSelectable(first['selectableFields'], schema, 'spec.selectableFields', errors);
}

function schemaOf(version: JsonObject | undefined): JsonObject | undefined {
  const schema = mapOf(version?.['schema'])['openAPIV3Schema'];
  return isMap(schema) ? schema : undefined;
}

/** Returns the versions as Go prints their internal type, without a shared schema. */
function goVersions(versions: readonly JsonObject[], schemaShared: boolean): readonly JsonObject[] {
  return versions.map((version) => ({
    Name: textOf(version['name']),
    Served: version['served'] === true,
    Storage: version['storage'] === true,
    Deprecated: version['deprecated'] === true,
    DeprecationWarning: version['deprecationWarning'] ?? null,
    Schema: schemaShared ? null : (version['schema'] ?? null),
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  }));
}

const ROOT_WITH_STATUS =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations';

/** Keywords that the root of a schema may not have when a status subresource is validated. */
const NOT_AT_ROOT = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'enum',
  'additionalProperties',
  'maxProperties',
  'minProperties',
];

function validateSchema(
  schema: JsonObject,
  at: string,
  status: boolean,
  old: JsonObject | undefined,
  errors: FieldError[],
): void {
  // Previously accepted values stay valid.
  if (old !== undefined && jsonEqual(schema, old)) return;
  const place = `${at} ${status}`;
  if (VALID.get(schema)?.has(place) === true) return;
  const found: FieldError[] = [];
  if (status) {
    if (schema['type'] !== undefined && schema['type'] !== 'object')
      found.push(
        fieldInvalid(
          `${at}.type`,
          schema['type'] ?? null,
          'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
        ),
      );
    else if (NOT_AT_ROOT.some((key) => schema[key] !== undefined))
      found.push(
        fieldInvalid(
          at,
          schema,
          `only [${ROOT_WITH_STATUS}] fields are allowed at the root of the schema if the status subresource is enabled`,
        ),
      );
  }
  if (schema['nullable'] === true) found.push(fieldForbidden(`${at}.nullable`, 'nullable cannot be true at the root'));
  const structure = validateStructure(schema, at);
  for (const error of structure) found.push(error);
  if (structure.length === 0) validateDefaults(schema, at, found);
  const structural = found.length === 0;
  validateKeywords(schema, at, found);
  if (structural && found.length === 0) validateRules(schema, at, found);
  if (found.length === 0) VALID.set(schema, (VALID.get(schema) ?? new Set()).add(place));
  for (const error of found) errors.push(error);
}

function validateNames(names: JsonObject, at: string, errors: FieldError[]): void {
  for (const key of ['plural', 'singular', 'kind', 'listKind'])
    if (textOf(names[key]) === '') errors.push(fieldRequired(`${at}.${key}`, ''));
  const label = (value: string): string => nameErrors('service', value, false).join(',');
  for (const key of ['plural', 'singular']) {
    const value = textOf(names[key]);
    if (value !== '' && label(value) !== '') errors.push(fieldInvalid(`${at}.${key}`, value, label(value)));
  }
  for (const key of ['kind', 'listKind']) {
    const value = textOf(names[key]);
    const wrong = label(value.toLowerCase());
    if (value !== '' && wrong !== '')
      errors.push(fieldInvalid(`${at}.${key}`, value, `may have mixed case, but should otherwise match: ${wrong}`));
  }
  const kind = textOf(names['kind']);
  for (const key of ['shortNames', 'categories']) {
    if (key === 'categories' && kind !== '' && kind === names['listKind'])
      errors.push(fieldInvalid(`${at}.listKind`, kind, 'kind and listKind may not be the same'));
    const list = names[key];
    for (const [index, value] of (isList(list) ? list : []).entries())
      if (label(textOf(value)) !== '') errors.push(fieldInvalid(`${at}.${key}[${index}]`, value, label(textOf(value))));
  }
}

function validateUnchanged(crd: KubeObject, old: KubeObject, errors: FieldError[]): void {
  const [spec, before] = [mapOf(crd['spec']), mapOf(old['spec'])];
  const immutable = (field: string, value: JsonValue | undefined, was: JsonValue | undefined): void => {
    if (value !== was) errors.push(fieldInvalid(field, value ?? '', 'field is immutable'));
  };
  if (conditionsOf(old).some(({ type, status }) => type === 'Established' && status === 'True')) {
    immutable('spec.scope', spec['scope'], before['scope']);
    immutable('spec.names.kind', mapOf(spec['names'])['kind'], mapOf(before['names'])['kind']);
  }
  immutable('spec.group', spec['group'], before['group']);
  immutable('spec.names.plural', mapOf(spec['names'])['plural'], mapOf(before['names'])['plural']);
}

/** Appends errors in status.storedVersions: it must not be empty, and its versions must stay in the spec. */
function validateStored(crd: KubeObject, errors: FieldError[]): void {
  const field = 'status.storedVersions';
  const status = statusOf(crd)['storedVersions'];
  const stored = isList(status) ? status : [];
  if (stored.length === 0) {
    errors.push(fieldInvalid(field, null, 'must have at least one stored version'));
    return;
  }
  const versions = mapsOf(mapOf(crd['spec'])['versions']);
  const left = new Set(stored);
  for (const version of versions) {
    if (version['storage'] === true && !left.has(version['name'] ?? ''))
      errors.push(fieldInvalid(field, stored, `must have the storage version ${textOf(version['name'])}`));
    left.delete(version['name'] ?? '');
  }
  for (const [index, name] of stored.entries())
    if (!versions.some((version) => version['name'] === name))
      errors.push(
        fieldInvalid(
          `${field}[${index}]`,
          name,
          `missing from spec.versions; ${textOf(name)} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${textOf(name)} and removes ${textOf(name)} from status.storedVersions`,
        ),
      );
}
