/**
 * Validates the OpenAPI keywords of a definition's schema, level by level.
 *
 * Mirrors `ValidateCustomResourceDefinitionOpenAPISchema` of apiextensions-apiserver. The structure is validated in `structural.ts`,
 * defaults in `defaults.ts`, rules in `rules.ts`.
 */
import { isList, isMap, mapOf, mapsOf, textOf } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired, type FieldError } from '../refusal.ts';
import { validateRuleTexts } from './rules.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** State that a level inherits from the levels above. */
interface Surroundings {
  readonly root: boolean;
  readonly insideMeta: boolean;
  /** Why defaults are forbidden at this level. */
  readonly noDefaults: string;
}

const UNSUPPORTED: readonly (readonly [string, string])[] = [
  ['id', 'id is not supported'],
  ['additionalItems', 'additionalItems is not supported'],
  ['patternProperties', 'patternProperties is not supported'],
  ['definitions', 'definitions is not supported'],
  ['dependencies', 'dependencies is not supported'],
  ['$ref', '$ref is not supported'],
];

/** Appends errors in the keywords of a schema and of all nested schemas. */
export function validateKeywords(schema: JsonObject, at: string, errors: FieldError[]): void {
  validateLevel(schema, at, { root: true, insideMeta: false, noDefaults: '' }, errors);
}

function validateLevel(schema: JsonObject, at: string, around: Surroundings, errors: FieldError[]): void {
  const type = textOf(schema['type']);
  if (type !== '' && !TYPES.includes(type)) errors.push(fieldNotSupported(`${at}.type`, type, TYPES));
  if (isSet(schema['default']) && around.noDefaults !== '')
    errors.push(fieldForbidden(`${at}.default`, `must not be set ${around.noDefaults}`));
  for (const [key, why] of UNSUPPORTED)
    if (isSet(schema[key]) && schema[key] !== '') errors.push(fieldForbidden(`${at}.${key}`, why));
  if (type === 'null')
    errors.push(fieldForbidden(`${at}.type`, 'type cannot be set to null, use nullable as an alternative'));
  if (isList(schema['items']))
    errors.push(fieldForbidden(`${at}.items`, 'items must be a schema object and not an array'));
  if (around.insideMeta && schema['x-kubernetes-embedded-resource'] === true)
    errors.push(fieldForbidden(`${at}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'));
  if (schema['uniqueItems'] === true)
    errors.push(
      fieldForbidden(
        `${at}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    );
  descend(schema, at, around, errors);
  validateExtensions(schema, at, type, errors);
  if (schema['x-kubernetes-list-type'] === 'map') validateListMap(schema, at, errors);
  validateItemsOfAssociative(schema, at, errors);
  validateRuleTexts(schema, at, errors);
}

function isSet(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

const META = ['metadata', 'kind', 'apiVersion'];

function descend(schema: JsonObject, at: string, around: Surroundings, errors: FieldError[]): void {
  const inner: Surroundings = { ...around, root: false };
  const additional = schema['additionalProperties'];
  const properties = mapOf(schema['properties']);
  if (additional !== undefined && additional !== null) {
    if (Object.keys(properties).length > 0 && additional !== true)
      errors.push(
        fieldForbidden(`${at}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
      );
    const noDefaults = around.insideMeta ? 'inside additionalProperties applying to object metadata' : inner.noDefaults;
    if (isMap(additional)) validateLevel(additional, `${at}.additionalProperties`, { ...inner, noDefaults }, errors);
  }
  for (const [name, property] of Object.entries(properties)) {
    const meta = (around.root || schema['x-kubernetes-embedded-resource'] === true) && META.includes(name);
    const below: Surroundings = {
      root: false,
      insideMeta: inner.insideMeta || meta,
      noDefaults: meta && around.root ? `in top-level ${name}` : inner.noDefaults,
    };
    validateLevel(mapOf(property), `${at}.properties[${name}]`, below, errors);
  }
  if (isMap(schema['not'])) validateLevel(schema['not'], `${at}.not`, inner, errors);
  for (const key of ['allOf', 'oneOf', 'anyOf'])
    for (const [index, one] of mapsOf(schema[key]).entries())
      validateLevel(one, `${at}.${key}[${index}]`, inner, errors);
  if (isMap(schema['items'])) validateLevel(schema['items'], `${at}.items`, inner, errors);
}

function validateExtensions(schema: JsonObject, at: string, type: string, errors: FieldError[]): void {
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    errors.push(fieldInvalid(`${at}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  const mapType = schema['x-kubernetes-map-type'];
  if (isSet(mapType)) {
    mustBe('object', 'x-kubernetes-map-type', type, at, errors);
    if (mapType !== 'atomic' && mapType !== 'granular')
      errors.push(fieldNotSupported(`${at}.x-kubernetes-map-type`, mapType ?? '', ['atomic', 'granular']));
  }
  const listType = schema['x-kubernetes-list-type'];
  const items = schema['items'];
  if (isSet(listType)) {
    if (type !== 'array') mustBe('array', 'x-kubernetes-list-type', type, at, errors);
    else if (listType === 'set' && isMap(items)) validateSetItems(items, at, errors);
    if (listType !== 'atomic' && listType !== 'set' && listType !== 'map')
      errors.push(fieldNotSupported(`${at}.x-kubernetes-list-type`, listType ?? '', ['atomic', 'set', 'map']));
  }
  if (isList(schema['x-kubernetes-list-map-keys']) && schema['x-kubernetes-list-map-keys'].length > 0) {
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty';
    if (!isSet(listType)) errors.push(fieldRequired(`${at}.x-kubernetes-list-type`, why));
    else if (listType !== 'map') errors.push(fieldInvalid(`${at}.x-kubernetes-list-type`, listType ?? '', why));
  }
}

function mustBe(wanted: string, because: string, type: string, at: string, errors: FieldError[]): void {
  if (type === wanted) return;
  const why = `must be ${wanted} if ${because} is specified`;
  errors.push(type === '' ? fieldRequired(`${at}.type`, why) : fieldInvalid(`${at}.type`, type, why));
}

function validateSetItems(items: JsonObject, at: string, errors: FieldError[]): void {
  const why = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items['x-kubernetes-list-type'] ?? null;
  if (items['type'] === 'array' && listType !== null && listType !== 'atomic')
    errors.push(fieldInvalid(`${at}.items.x-kubernetes-list-type`, listType, why));
  if (items['type'] === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    errors.push(fieldInvalid(`${at}.items.x-kubernetes-map-type`, listType, why));
}

function validateListMap(schema: JsonObject, at: string, errors: FieldError[]): void {
  const keys = isList(schema['x-kubernetes-list-map-keys']) ? schema['x-kubernetes-list-map-keys'] : [];
  const keysAt = `${at}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.push(fieldRequired(keysAt, 'must not be empty if x-kubernetes-list-type is map'));
  const { items } = schema;
  if (!isMap(items)) {
    if (!isSet(items)) errors.push(fieldRequired(`${at}.items`, 'must have a schema if x-kubernetes-list-type is map'));
    return;
  }
  if (items['type'] !== 'object') {
    errors.push(
      fieldInvalid(
        `${at}.items.type`,
        textOf(items['type']),
        "must be object if parent array's x-kubernetes-list-type is map",
      ),
    );
    return;
  }
  const seen = new Set<JsonValue>();
  for (const key of keys) {
    const property = mapOf(items['properties'])[textOf(key)];
    if (!isMap(property)) errors.push(fieldInvalid(keysAt, keys, 'entries must all be names of item properties'));
    else if (property['type'] === 'array' || property['type'] === 'object')
      errors.push(
        fieldInvalid(
          `${at}.items.properties[${textOf(key)}].type`,
          'object',
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      );
    if (seen.has(key)) errors.push(fieldInvalid(keysAt, keys, 'must not contain duplicate entries'));
    seen.add(key);
  }
}

function validateItemsOfAssociative(schema: JsonObject, at: string, errors: FieldError[]): void {
  const { items } = schema;
  const listType = schema['x-kubernetes-list-type'];
  if (!isMap(items) || (listType !== 'set' && listType !== 'map')) return;
  if (items['nullable'] === true)
    errors.push(
      fieldForbidden(`${at}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    );
  const keys = schema['x-kubernetes-list-map-keys'];
  if (listType !== 'map' || !isList(keys)) return;
  const required = isList(items['required']) ? items['required'] : [];
  for (const key of keys) {
    const property = mapOf(items['properties'])[textOf(key)];
    if (!isMap(property)) continue;
    const where = `${at}.items.properties[${textOf(key)}]`;
    if (!required.includes(key) && !isSet(property['default']))
      errors.push(
        fieldRequired(
          `${where}.default`,
          'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
        ),
      );
    if (property['nullable'] === true)
      errors.push(
        fieldForbidden(`${where}.nullable`, 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'),
      );
  }
}
