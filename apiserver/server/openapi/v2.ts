/**
 * OpenAPI v2: the document of the built-in groups with the custom resources of the moment.
 *
 * Owns: turning published v3 schemas into what v2 can say. Clients of today read it only where v3 fails them.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import type { CustomPart } from './custom.ts';
import { goJson, goJsonMap, openApiV2 } from './data.ts';

/** The document as text, put together from the texts of its parts. */
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

/** Made once for each version of a definition: another definition changes nothing about it. */
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
