/** Schemas of a definition as Go encodes them: without empty values, and without keywords that are false by default. */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';

/** Keywords that are omitted when false. */
const FLAGS = [
  'exclusiveMaximum',
  'exclusiveMinimum',
  'uniqueItems',
  'nullable',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
];
const TEXTS = ['id', '$schema', 'description', 'type', 'format', 'title', 'pattern'];
const LISTS = ['enum', 'required', 'allOf', 'oneOf', 'anyOf', 'x-kubernetes-list-map-keys', 'x-kubernetes-validations'];

/** Returns the schema without the parts that Go omits; the same object when nothing is omitted. */
export function canonicalSchema(schema: JsonObject): JsonObject {
  let copy: { [key: string]: JsonValue | undefined } | undefined;
  const put = (key: string, value: JsonValue | undefined): void => {
    if (value === schema[key]) return;
    copy ??= { ...schema };
    if (value === undefined) delete copy[key];
    else copy[key] = value;
  };
  for (const key of FLAGS) if (schema[key] === false) put(key, undefined);
  for (const key of TEXTS) if (schema[key] === '') put(key, undefined);
  for (const key of LISTS) {
    const value = schema[key];
    if (isList(value) && value.length === 0) put(key, undefined);
  }
  for (const key of ['allOf', 'oneOf', 'anyOf']) {
    const value = (copy ?? schema)[key];
    if (isList(value))
      put(
        key,
        sameOr(
          value,
          value.map((one) => (isMap(one) ? canonicalSchema(one) : one)),
        ),
      );
  }
  for (const key of ['items', 'not', 'additionalProperties']) {
    const value = schema[key];
    if (isMap(value)) put(key, canonicalSchema(value));
  }
  const { properties } = schema;
  if (isMap(properties)) put('properties', canonicalProperties(properties));
  return copy ?? schema;
}

function sameOr(was: readonly JsonValue[], now: readonly JsonValue[]): readonly JsonValue[] {
  return now.every((one, at) => one === was[at]) ? was : now;
}

function canonicalProperties(properties: JsonObject): JsonObject | undefined {
  let copy: { [key: string]: JsonValue | undefined } | undefined;
  let empty = true;
  for (const name in properties) {
    empty = false;
    const property = properties[name];
    if (!isMap(property)) continue;
    const canonical = canonicalSchema(property);
    if (canonical !== property) (copy ??= { ...properties })[name] = canonical;
  }
  return empty ? undefined : (copy ?? properties);
}
