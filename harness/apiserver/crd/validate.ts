/**
 * Rules for CustomResourceDefinitions: names, versions, structural schemas.
 *
 * Owns: a subset of apiextensions-apiserver `apis/apiextensions/validation` and `apiserver/schema/validation.go` that catches what
 * people get wrong (DIFFERENCES.md lists what is not checked). Also fills in the defaults of a definition.
 */
import type { JsonObject, JsonValue, KubeObject } from '../../model/object.ts';
import { isList, isMap } from '../definition.ts';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired, type FieldError } from '../refusal.ts';

function map(value: JsonValue | undefined): JsonObject {
  return isMap(value) ? value : {};
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Fills in singular, listKind and the conversion strategy; drops a status that the writer made up on create. */
export function defaultedCrd(crd: KubeObject): KubeObject {
  const spec = map(crd['spec']);
  const names = map(spec['names']);
  const kind = text(names['kind']);
  const complete = text(names['singular']) !== '' && text(names['listKind']) !== '' && isMap(spec['conversion']);
  if (complete || kind === '') return crd;
  return {
    ...crd,
    spec: {
      ...spec,
      names: {
        ...names,
        singular: text(names['singular']) || kind.toLowerCase(),
        listKind: text(names['listKind']) || `${kind}List`,
      },
      conversion: isMap(spec['conversion']) ? spec['conversion'] : { strategy: 'None' },
    },
  };
}

export function validateCrd(crd: KubeObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const spec = map(crd['spec']);
  const names = map(spec['names']);
  const group = text(spec['group']);
  const plural = text(names['plural']);
  const name = crd.metadata.name ?? '';
  if (group === '') errors.push(fieldRequired('spec.group', ''));
  else if (!group.includes('.'))
    errors.push(fieldInvalid('spec.group', group, 'should be a domain with at least one dot'));
  if (plural === '') errors.push(fieldRequired('spec.names.plural', ''));
  if (text(names['kind']) === '') errors.push(fieldRequired('spec.names.kind', ''));
  if (name !== `${plural}.${group}`)
    errors.push(fieldInvalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group'));
  if (/(^|\.)(k8s|kubernetes)\.io$/.test(group) && crd.metadata.annotations?.[APPROVED] === undefined)
    errors.push(
      fieldRequired(
        `metadata.annotations[${APPROVED}]`,
        'protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
      ),
    );
  const scope = spec['scope'];
  if (scope === undefined) errors.push(fieldRequired('spec.scope', ''));
  else if (scope !== 'Namespaced' && scope !== 'Cluster')
    errors.push(fieldNotSupported('spec.scope', scope, ['Cluster', 'Namespaced']));
  if (spec['preserveUnknownFields'] === true)
    errors.push(fieldInvalid('spec.preserveUnknownFields', true, 'must be false'));
  const strategy = map(spec['conversion'])['strategy'];
  if (strategy !== undefined && strategy !== 'None')
    errors.push(fieldNotSupported('spec.conversion.strategy', strategy, ['None']));
  validateVersions(spec['versions'], errors);
  return errors;
}

const APPROVED = 'api-approved.kubernetes.io';

function validateVersions(versions: JsonValue | undefined, errors: FieldError[]): void {
  const list = isList(versions) ? versions.filter(isMap) : [];
  if (list.filter((version) => version['storage'] === true).length !== 1)
    errors.push(
      fieldInvalid('spec.versions', versions ?? null, 'must have exactly one version marked as storage version'),
    );
  const seen = new Set<string>();
  for (const [index, version] of list.entries()) {
    const field = `spec.versions[${index}]`;
    const name = text(version['name']);
    if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name))
      errors.push(
        fieldInvalid(
          `${field}.name`,
          name,
          "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        ),
      );
    if (seen.has(name)) errors.push(fieldInvalid('spec.versions', name, 'must contain unique version names'));
    seen.add(name);
    if (typeof version['served'] !== 'boolean') errors.push(fieldRequired(`${field}.served`, ''));
    if (typeof version['storage'] !== 'boolean') errors.push(fieldRequired(`${field}.storage`, ''));
    const schema = map(version['schema'])['openAPIV3Schema'];
    const at = `${field}.schema.openAPIV3Schema`;
    if (!isMap(schema)) {
      errors.push(fieldRequired(at, 'schemas are required'));
      continue;
    }
    if (schema['type'] !== 'object')
      errors.push(
        schema['type'] === undefined || schema['type'] === ''
          ? fieldRequired(`${at}.type`, 'must not be empty at the root')
          : fieldInvalid(`${at}.type`, schema['type'] ?? null, 'must be object at the root'),
      );
    validateStructure(schema, at, true, errors);
    const status = map(version['subresources'])['scale'];
    if (isMap(status)) validateScale(status, `${field}.subresources.scale`, errors);
  }
}

function validateScale(scale: JsonObject, field: string, errors: FieldError[]): void {
  if (text(scale['specReplicasPath']) === '') errors.push(fieldRequired(`${field}.specReplicasPath`, ''));
  if (text(scale['statusReplicasPath']) === '') errors.push(fieldRequired(`${field}.statusReplicasPath`, ''));
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

function validateStructure(schema: JsonObject, at: string, root: boolean, errors: FieldError[]): void {
  const type = text(schema['type']);
  const free = schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (type === '' && !free && !root)
    errors.push(fieldRequired(`${at}.type`, 'must not be empty for specified object fields'));
  if (type !== '' && !TYPES.includes(type)) errors.push(fieldNotSupported(`${at}.type`, type, TYPES));
  if (type === 'array' && !isMap(schema['items'])) errors.push(fieldRequired(`${at}.items`, 'must be specified'));
  if (schema['$ref'] !== undefined) errors.push(fieldForbidden(`${at}.$ref`, '$ref is not supported'));
  if (schema['uniqueItems'] === true)
    errors.push(
      fieldForbidden(
        `${at}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    );
  const additional = schema['additionalProperties'];
  if (additional !== undefined && additional !== false && isMap(schema['properties']))
    errors.push(fieldForbidden(`${at}.additionalProperties`, 'must not be used together with properties'));
  if (additional === false) errors.push(fieldForbidden(`${at}.additionalProperties`, 'must not be false'));
  if (schema['x-kubernetes-list-type'] === 'map' && !isList(schema['x-kubernetes-list-map-keys']))
    errors.push(
      fieldRequired(`${at}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'),
    );
  for (const [name, property] of Object.entries(map(schema['properties']))) {
    if (isMap(property)) validateStructure(property, `${at}.properties[${name}]`, false, errors);
  }
  if (isMap(schema['items'])) validateStructure(schema['items'], `${at}.items`, false, errors);
  if (isMap(additional)) validateStructure(additional, `${at}.additionalProperties`, false, errors);
}
