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
    for (const [name, schema] of Object.entries(part.schemas)) definitions[name] ??= inV2(schema);
    for (const [path, item] of Object.entries(part.v2Paths)) if (item !== undefined) paths[path] = item;
  }
  return { ...base, paths, definitions };
}

/** What v2 has no words for. */
const UNKNOWN = new Set(['anyOf', 'oneOf', 'not', 'nullable']);
/** What a nullable value does not promise. */
const OF_TYPE = new Set(['type', 'items', 'properties', 'additionalProperties']);

function inV2(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(inV2);
  if (!isMap(value)) return value;
  const nullable = value['nullable'] === true;
  const copy: { [key: string]: JsonValue } = {};
  for (const key in value) {
    const one = value[key];
    if (one === undefined || UNKNOWN.has(key) || (nullable && OF_TYPE.has(key))) continue;
    if (key === '$ref' && typeof one === 'string') copy[key] = one.replace('#/components/schemas/', '#/definitions/');
    else if (key === 'allOf' && isList(one) && one.length === 1 && isMap(one[0]) && one[0]['$ref'] !== undefined)
      Object.assign(copy, inV2(one[0]) as JsonObject);
    else if (key === 'properties' && isMap(one))
      copy[key] = Object.fromEntries(Object.entries(one).map(([name, property]) => [name, inV2(property ?? null)]));
    else copy[key] = inV2(one);
  }
  return copy;
}
