/**
 * Valid values of a structural schema as fast-check arbitraries: small, and often at a boundary.
 *
 * Owns: the keywords of Kubernetes' structural schemas. The API server rejects what these keywords cannot express (CEL rules, formats that
 * servers do not validate, patterns with a different meaning in JavaScript than in Go). Start at {@link valueArbitrary}.
 */
import * as fc from 'fast-check';
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import {
  alternativesOf,
  asList,
  asMap,
  asNumber,
  asText,
  boundsOf,
  permits,
  requiredOf,
  schemaOfVersion,
  TEXT_OF_FORMAT,
  typeOf,
} from './schema-view.ts';
import type { Schema } from './schema-view.ts';

/** Below this depth only required fields are set. */
const DEPTH_MAX = 5;
const ITEMS_MAX = 3;
const TEXT_MAX = 12;

/** Generates values that the schema permits, the simplest first. */
export function valueArbitrary(schema: Schema, depth = 0): fc.Arbitrary<JsonValue> {
  const value = ofType(schema, depth);
  return schema['nullable'] === true ? fc.option(value, { nil: null, freq: 8 }) : value;
}

/**
 * Generates whole custom resources of `apiVersion` with the given name, without status.
 *
 * Returns undefined if the CRD does not serve that version.
 */
export function objectArbitrary(
  crd: KubeObject,
  apiVersion: string,
  name: string,
): fc.Arbitrary<KubeObject> | undefined {
  const schema = schemaOfVersion(crd, apiVersion);
  const kind = asText(asMap(asMap(crd['spec'])?.['names'])?.['kind']);
  if (schema === undefined || kind === undefined) return undefined;
  const { apiVersion: _, kind: __, metadata: ___, status: ____, ...properties } = asMap(schema['properties']) ?? {};
  const served = new Set(['apiVersion', 'kind', 'metadata', 'status']);
  const required = requiredOf(schema).filter((key) => !served.has(key));
  return mapArbitrary({ ...schema, properties, required }, 0).map((rest) => ({
    ...rest,
    apiVersion,
    kind,
    metadata: { name },
  }));
}

function ofType(schema: Schema, depth: number): fc.Arbitrary<JsonValue> {
  const allowed = asList(schema['enum']);
  if (allowed !== undefined && allowed.length > 0) return fc.constantFrom(...allowed);
  switch (typeOf(schema)) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integerArbitrary(schema);
    case 'number':
      return integerArbitrary(schema);
    case 'int-or-string':
      return fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom('50%', '1'));
    case 'string':
      return textArbitrary(schema);
    case 'array':
      return listArbitrary(schema, depth);
    case 'object':
      return mapArbitrary(schema, depth);
    default:
      return fc.constantFrom<JsonValue>('a', 1, true);
  }
}

function integerArbitrary(schema: Schema): fc.Arbitrary<number> {
  const bounds = boundsOf(schema);
  const step = asNumber(schema['multipleOf']) ?? 1;
  // Without bounds, large or negative numbers are not intended.
  const min = Math.ceil((Number.isFinite(bounds.min) ? bounds.min : Math.min(0, bounds.max)) / step);
  const max = Math.floor((Number.isFinite(bounds.max) ? bounds.max : Math.max(9 * step, bounds.min + 9 * step)) / step);
  const edges = [min, min + 1, max].filter((n) => n >= min && n <= max);
  const small = fc.integer({ min, max: Math.min(max, min + 9) });
  return fc.oneof(small, fc.constantFrom(...(edges.length === 0 ? [min] : edges))).map((n) => n * step);
}

function textArbitrary(schema: Schema): fc.Arbitrary<string> {
  const format = TEXT_OF_FORMAT[asText(schema['format']) ?? ''];
  if (format !== undefined) return fc.constant(format);
  const min = asNumber(schema['minLength']) ?? 0;
  const max = Math.max(min, Math.min(asNumber(schema['maxLength']) ?? TEXT_MAX, min + TEXT_MAX));
  if (!matching.has(schema)) matching.set(schema, matchingArbitrary(schema, max));
  const drawn = matching.get(schema);
  if (drawn !== undefined) return drawn;
  const lowercase = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789');
  return fc.string({ unit: lowercase, minLength: min, maxLength: max });
}

/** The number of samples that show whether JavaScript's reading of a pattern agrees with Go's. */
const TRIES = 20;

/** Cached arbitraries by schema, because creating one takes milliseconds. */
const matching = new WeakMap<Schema, fc.Arbitrary<string> | undefined>();

/** Returns undefined for patterns that fast-check cannot generate from, and for patterns with a different meaning in JavaScript. */
function matchingArbitrary(schema: Schema, maxLength: number): fc.Arbitrary<string> | undefined {
  const pattern = asText(schema['pattern']);
  if (pattern === undefined) return undefined;
  const fits = (text: string): boolean => permits(schema, text);
  try {
    const drawn = fc.stringMatching(new RegExp(pattern), { maxLength, size: 'xsmall' });
    return fc.sample(drawn, { seed: 1, numRuns: TRIES }).some(fits) ? drawn.filter(fits) : undefined;
  } catch {
    return undefined;
  }
}

function listArbitrary(schema: Schema, depth: number): fc.Arbitrary<readonly JsonValue[]> {
  const minLength = asNumber(schema['minItems']) ?? 0;
  const room = depth >= DEPTH_MAX ? minLength : minLength + ITEMS_MAX;
  const maxLength = Math.max(minLength, Math.min(asNumber(schema['maxItems']) ?? room, room));
  const items = valueArbitrary(asMap(schema['items']) ?? {}, depth + 1);
  const keys = asList(schema['x-kubernetes-list-map-keys'])?.map((key) => asText(key) ?? '');
  const unique = schema['x-kubernetes-list-type'] === 'set' || schema['uniqueItems'] === true || keys !== undefined;
  if (!unique) return fc.array(items, { minLength, maxLength });
  const defaults = asMap(asMap(schema['items'])?.['properties']) ?? {};
  const identity = (item: JsonValue): string =>
    JSON.stringify(
      keys === undefined ? item : keys.map((key) => asMap(item)?.[key] ?? asMap(defaults[key])?.['default']),
    );
  return fc.uniqueArray(items, { minLength, maxLength, selector: identity });
}

function mapArbitrary(schema: Schema, depth: number): fc.Arbitrary<JsonObject> {
  const properties = asMap(schema['properties']) ?? {};
  const required = new Set(requiredOf(schema));
  // One of the alternatives is chosen; keys that only the other alternatives require are left out.
  const branches = alternativesOf(schema);
  const disputed = new Set(branches.flat());
  const chosen = new Set(branches[0]);
  const fields: { [key: string]: fc.Arbitrary<JsonValue> } = {};
  const requiredKeys: string[] = [];
  for (const [key, property] of Object.entries(properties)) {
    const needed = required.has(key) || chosen.has(key);
    if (!needed && (disputed.has(key) || depth >= DEPTH_MAX)) continue;
    fields[key] = valueArbitrary(asMap(property) ?? {}, depth + 1);
    if (needed) requiredKeys.push(key);
  }
  const known = fc.record(fields, { requiredKeys });
  const additional = asMap(schema['additionalProperties']);
  if (additional === undefined) return known;
  const maxKeys = asNumber(schema['maxProperties']) ?? ITEMS_MAX;
  const minKeys = asNumber(schema['minProperties']) ?? 0;
  const extra = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'example.com'), valueArbitrary(additional, depth + 1), {
    minKeys,
    maxKeys: Math.max(minKeys, Math.min(maxKeys, ITEMS_MAX)),
  });
  return fc.tuple(extra, known).map(([more, own]) => ({ ...more, ...own }));
}
