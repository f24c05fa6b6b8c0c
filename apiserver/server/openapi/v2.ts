/**
 * OpenAPI v2: the document of the built-in groups with the installed custom resources.
 *
 * Owns: converting published v3 schemas to v2. Current clients only use v2 as a fallback.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import type { CustomPart } from './custom.ts';
import { goJson, goJsonMap, openApiV2 } from './data.ts';

/** Returns the document as text, assembled from the texts of its parts. */
export function documentV2(parts: readonly CustomPart[]): string {
  const base = openApiV2();
  const definitions = new Map(baseTexts().definitions);
  const paths = new Map(baseTexts().paths);
  for (const part of parts) {
    const texts = textsOf(part);
    for (const [name, text] of texts.definitions) if (!definitions.has(name)) definitions.set(name, text);
    for (const [path, text] of texts.paths) paths.set(path, text);
  }
  const top = new Map(Object.keys(base).map((key) => [key, '']));
  for (const key of top.keys())
    top.set(
      key,
      key === 'paths' ? goJsonMap(paths) : key === 'definitions' ? goJsonMap(definitions) : goJson(base[key]),
    );
  return goJsonMap(top);
}

interface Texts {
  readonly definitions: ReadonlyMap<string, string>;
  readonly paths: ReadonlyMap<string, string>;
}

let ofBase: Texts | undefined;

function baseTexts(): Texts {
  const { definitions, paths } = openApiV2();
  return (ofBase ??= { definitions: written(definitions as JsonObject), paths: written(paths as JsonObject) });
}

/** The texts of each version of a definition; they do not depend on other definitions. */
const ofParts = new WeakMap<CustomPart, Texts>();

function textsOf(part: CustomPart): Texts {
  let texts = ofParts.get(part);
  if (texts === undefined) {
    texts = { definitions: written(part.schemas, definitionV2), paths: written(part.v2Paths) };
    ofParts.set(part, texts);
  }
  return texts;
}

function written(map: JsonObject, turned: (value: JsonValue) => JsonValue = (value) => value): Texts['paths'] {
  const texts = new Map<string, string>();
  for (const key in map) {
    const value = map[key];
    if (value !== undefined) texts.set(key, goJson(turned(value)));
  }
  return texts;
}

/** v3 keywords without a v2 equivalent. */
const UNKNOWN = new Set(['anyOf', 'oneOf', 'not', 'nullable']);
/** Keywords to drop from the schema of a nullable value. */
const OF_TYPE = new Set(['type', 'items', 'properties', 'additionalProperties']);

/** Converts a schema to v2. kubectl rejects undeclared fields, so a free-form object has no properties. */
function definitionV2(schema: JsonValue): JsonValue {
  if (!isMap(schema) || schema[PRESERVE] !== true || schema[GVK] === undefined) return inV2(schema);
  const fields = schema[SELECTABLE];
  return { type: 'object', [GVK]: schema[GVK], ...(fields === undefined ? {} : { [SELECTABLE]: fields }) };
}

const GVK = 'x-kubernetes-group-version-kind';
const SELECTABLE = 'x-kubernetes-selectable-fields';
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
/** More keywords to drop from the schema of a free-form value. */
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

/** Reports whether a property is optional in v2: a nullable property, and the type of an embedded object of any shape. */
function isOptionalInV2(schema: JsonObject, name: JsonValue): boolean {
  const properties = schema['properties'];
  const property = isMap(properties) && typeof name === 'string' ? properties[name] : undefined;
  const free = schema[PRESERVE] === true && schema['x-kubernetes-embedded-resource'] === true;
  return (free && (name === 'kind' || name === 'apiVersion')) || (isMap(property) && property['nullable'] === true);
}
