/**
 * Validates that schemas are structural: every value has exactly one declared type, and all other keywords only restrict values.
 *
 * Mirrors apiextensions-apiserver `apiserver/schema/validation.go`. Start at {@link validateStructure}.
 */
import { jsonEqual, isMap, mapOf, mapsOf, textOf } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { patternFault } from '../../wire/go-regexp.ts';
import { fieldErrorText, fieldForbidden, fieldInvalid, fieldRequired, type FieldError } from '../refusal.ts';

type Level = 'root' | 'item' | 'field';

/** Returns the violations, sorted by text. */
export function validateStructure(schema: JsonObject, at: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  validateInvariants(schema, 'root', at, errors);
  validateCompleteness(schema, schema, at, at, errors);
  return errors.toSorted((left, right) => (fieldErrorText(left) < fieldErrorText(right) ? -1 : 1));
}

const INT_OR_STRING: JsonValue = [{ type: 'integer' }, { type: 'string' }];

const EMPTY: { readonly [level in Level]: string } = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function validateInvariants(schema: JsonObject, level: Level, at: string, errors: FieldError[]): void {
  const type = textOf(schema['type']);
  const { items } = schema;
  const additional = schema['additionalProperties'];
  const properties = mapOf(schema['properties']);
  const intOrString = schema['x-kubernetes-int-or-string'] === true;
  const preserve = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  if (type === 'array' && !isMap(items)) errors.push(fieldRequired(`${at}.items`, 'must be specified'));
  if (isMap(items)) validateInvariants(items, 'item', `${at}.items`, errors);
  for (const [name, property] of Object.entries(properties))
    validateInvariants(mapOf(property), 'field', `${at}.properties[${name}]`, errors);
  if (additional !== undefined && additional !== null) {
    if (level === 'root') errors.push(fieldForbidden(`${at}.additionalProperties`, 'must not be used at the root'));
    if (isMap(additional)) validateInvariants(additional, 'field', `${at}.additionalProperties`, errors);
  }
  if (intOrString && preserve)
    errors.push(
      fieldInvalid(
        `${at}.x-kubernetes-preserve-unknown-fields`,
        true,
        'must be false if x-kubernetes-int-or-string is true',
      ),
    );
  if (intOrString && embedded)
    errors.push(
      fieldInvalid(`${at}.x-kubernetes-embedded-resource`, true, 'must be false if x-kubernetes-int-or-string is true'),
    );
  validateValues(
    schema,
    isIntOrString(schema['anyOf']),
    isIntOrString(mapsOf(schema['allOf'])[0]?.['anyOf']),
    at,
    errors,
  );
  if (embedded && type !== 'object') {
    const why = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? fieldRequired(`${at}.type`, why) : fieldInvalid(`${at}.type`, type, why));
  } else if (type === '' && !intOrString && !preserve) errors.push(fieldRequired(`${at}.type`, EMPTY[level]));
  if (embedded && isMap(additional))
    errors.push(
      fieldForbidden(`${at}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set'),
    );
  if (level === 'root' && type !== '' && type !== 'object')
    errors.push(fieldInvalid(`${at}.type`, type, 'must be object at the root'));
  validateMeta(schema, level, embedded, at, errors);
  if (embedded && !preserve && Object.keys(properties).length === 0)
    errors.push(
      fieldRequired(
        `${at}.properties`,
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    );
}

function isIntOrString(value: JsonValue | undefined): boolean {
  return value !== undefined && jsonEqual(value, INT_OR_STRING);
}

/** Appends errors in the schemas of `apiVersion`, `kind` and `metadata`, which may only specify what applies to every resource. */
function validateMeta(schema: JsonObject, level: Level, embedded: boolean, at: string, errors: FieldError[]): void {
  const properties = mapOf(schema['properties']);
  const checked = level === 'root' || embedded;
  for (const key of ['kind', 'apiVersion']) {
    const property = properties[key];
    if (checked && isMap(property) && property['type'] !== 'string')
      errors.push(fieldInvalid(`${at}.properties[${key}].type`, textOf(property['type']), 'must be string'));
  }
  const { metadata } = properties;
  if (!isMap(metadata)) return;
  if (checked && metadata['type'] !== 'object')
    errors.push(fieldInvalid(`${at}.properties[metadata].type`, textOf(metadata['type']), 'must be object'));
  if (level !== 'root') return;
  const named = Object.keys(mapOf(metadata['properties'])).every((name) => name === 'name' || name === 'generateName');
  const others = Object.keys(metadata).filter(
    (key) => !['type', 'properties', 'default'].includes(key) && !isPlain(metadata, key),
  );
  if (!named || others.length > 0)
    errors.push(
      fieldForbidden(
        `${at}.properties[metadata]`,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    );
}

function isPlain(schema: JsonObject, key: string): boolean {
  const value = schema[key];
  return value === undefined || value === null || value === false || value === '';
}

function validateValues(
  schema: JsonObject,
  skipAnyOf: boolean,
  skipFirstAllOf: boolean,
  at: string,
  errors: FieldError[],
): void {
  if (!skipAnyOf)
    for (const [index, one] of mapsOf(schema['anyOf']).entries())
      validateNested(one, false, `${at}.anyOf[${index}]`, errors);
  for (const [index, one] of mapsOf(schema['allOf']).entries())
    validateNested(one, skipFirstAllOf && index === 0, `${at}.allOf[${index}]`, errors);
  for (const [index, one] of mapsOf(schema['oneOf']).entries())
    validateNested(one, false, `${at}.oneOf[${index}]`, errors);
  if (isMap(schema['not'])) validateNested(schema['not'], false, `${at}.not`, errors);
  const pattern = textOf(schema['pattern']);
  const fault = patternFault(pattern);
  if (fault !== undefined)
    errors.push(fieldInvalid(`${at}.pattern`, pattern, `must be a valid regular expression, but isn't: ${fault}`));
}

/** Keywords that specify a value, and the messages for them inside `anyOf` and similar. */
const FORBIDDEN: readonly (readonly [string, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function validateNested(schema: JsonObject, skipAnyOf: boolean, at: string, errors: FieldError[]): void {
  validateValues(schema, skipAnyOf, false, at, errors);
  if (isMap(schema['items'])) validateNested(schema['items'], false, `${at}.items`, errors);
  const properties = mapOf(schema['properties']);
  for (const [name, property] of Object.entries(properties))
    validateNested(mapOf(property), false, `${at}.properties[${name}]`, errors);
  for (const [key, why] of FORBIDDEN) if (!isPlain(schema, key)) errors.push(fieldForbidden(`${at}.${key}`, why));
  if (properties['metadata'] !== undefined)
    errors.push(fieldForbidden(`${at}.properties[metadata]`, 'must not be specified in a nested context'));
}

/** Checks that fields in the root's value validations are declared in the structure. Deeper fields are not checked, as in a real server. */
function validateCompleteness(
  values: JsonObject,
  structure: JsonObject | undefined,
  at: string,
  from: string,
  errors: FieldError[],
): void {
  const nested: (readonly [JsonObject, string])[] = [];
  if (isMap(values['not'])) nested.push([values['not'], `${from}.not`]);
  for (const key of ['allOf', 'anyOf', 'oneOf'])
    for (const [index, one] of mapsOf(values[key]).entries()) nested.push([one, `${from}.${key}[${index}]`]);
  for (const [one, path] of nested) validateNestedCompleteness(one, structure, at, path, errors);
}

function validateNestedCompleteness(
  values: JsonObject,
  structure: JsonObject | undefined,
  at: string,
  from: string,
  errors: FieldError[],
): void {
  if (structure === undefined) {
    errors.push(fieldRequired(at, `because it is defined in ${from}`));
    return;
  }
  validateCompleteness(values, structure, at, from, errors);
  const { items } = values;
  const below = structure['items'];
  if (isMap(items))
    validateNestedCompleteness(items, isMap(below) ? below : undefined, `${at}.items`, `${from}.items`, errors);
  for (const [name, property] of Object.entries(mapOf(values['properties']))) {
    const known = mapOf(structure['properties'])[name];
    const path = `${at}.properties[${name}]`;
    if (!isMap(known)) errors.push(fieldRequired(path, `because it is defined in ${from}.properties[${name}]`));
    else validateNestedCompleteness(mapOf(property), known, path, `${from}.properties[${name}]`, errors);
  }
}
