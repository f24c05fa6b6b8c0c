/**
 * OpenAPI v2: the document of the built-in groups with the custom resources of the moment.
 *
 * Owns: turning published v3 schemas into what v2 can say. Clients of today read it only where v3 fails them.
 */
import { isList, isMap } from '../../model/json.ts';
import type { JsonObject, JsonValue } from '../../model/object.ts';
import type { CustomPart } from './custom.ts';
import { openApiV2 } from './data.ts';

export function documentV2(parts: readonly CustomPart[]): JsonObject {
  const base = openApiV2();
  if (parts.length === 0) return base;
  const definitions: { [name: string]: JsonValue } = { ...(base['definitions'] as JsonObject) } as {
    [name: string]: JsonValue;
  };
  const paths: { [path: string]: JsonValue } = { ...(base['paths'] as JsonObject) } as { [path: string]: JsonValue };
  for (const part of parts) {
    for (const [name, schema] of Object.entries(part.schemas)) definitions[name] ??= definitionV2(schema);
    for (const [path, item] of Object.entries(part.v2Paths)) if (item !== undefined) paths[path] = item;
  }
  return { ...base, paths, definitions };
}

/** What v2 has no words for. */
const UNKNOWN = new Set(['anyOf', 'oneOf', 'not', 'nullable']);
/** What a nullable value does not promise. */
const OF_TYPE = new Set(['type', 'items', 'properties', 'additionalProperties']);

/** kubectl takes whatever is described for all there is: of an object that may hold anything, nothing is. */
function definitionV2(schema: JsonValue): JsonValue {
  if (!isMap(schema) || schema[PRESERVE] !== true || schema[GVK] === undefined) return inV2(schema);
  const fields = schema[SELECTABLE];
  return { type: 'object', [GVK]: schema[GVK], ...(fields === undefined ? {} : { [SELECTABLE]: fields }) };
}

const GVK = 'x-kubernetes-group-version-kind';
const SELECTABLE = 'x-kubernetes-selectable-fields';
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
/** What a value that may hold anything does not say either. */
const OF_FIELDS = new Set(['items', 'properties']);

function inV2(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(inV2);
  if (!isMap(value)) return value;
  const nullable = value['nullable'] === true;
  const anything = value[PRESERVE] === true;
  const copy: { [key: string]: JsonValue } = {};
  for (const key in value) {
    const one = value[key];
    if (one === undefined || UNKNOWN.has(key) || (nullable && OF_TYPE.has(key))) continue;
    if (anything && (OF_FIELDS.has(key) || (key === 'type' && (one === 'object' || one === 'array')))) continue;
    if (key === '$ref' && typeof one === 'string') copy[key] = one.replace('#/components/schemas/', '#/definitions/');
    else if (key === 'allOf' && isList(one) && one.length === 1 && isMap(one[0]) && one[0]['$ref'] !== undefined)
      Object.assign(copy, inV2(one[0]) as JsonObject);
    else if (key === 'properties' && isMap(one))
      copy[key] = Object.fromEntries(Object.entries(one).map(([name, property]) => [name, inV2(property ?? null)]));
    else if (key === 'required' && isList(one)) {
      const required = one.filter((name) => !isOptionalInV2(value, name));
      if (required.length > 0) copy[key] = required;
    } else copy[key] = inV2(one);
  }
  return copy;
}

/** What may be null, and what an embedded object of any shape would be made to have. */
function isOptionalInV2(schema: JsonObject, name: JsonValue): boolean {
  const properties = schema['properties'];
  const property = isMap(properties) && typeof name === 'string' ? properties[name] : undefined;
  const free = schema[PRESERVE] === true && schema['x-kubernetes-embedded-resource'] === true;
  return (free && (name === 'kind' || name === 'apiVersion')) || (isMap(property) && property['nullable'] === true);
}
