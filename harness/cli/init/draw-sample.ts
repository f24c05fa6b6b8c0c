/**
 * Draws an object of a CRD from its schema: required fields, fields with defaults, and the counts, switches and enums near the
 * top, because writers change those. Deterministic for a given schema.
 */
import { sample, stringMatching } from 'fast-check';
import { isMap, listOf, mapOf, textOf } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import { goRegExp } from 'stalemate-apiserver/wire/go-regexp';

type Schema = JsonObject;

/** Draws an object of the storage version, to which objects of all other versions are converted. */
export function drawSample(crd: KubeObject): KubeObject {
  const spec = mapOf(crd['spec']);
  const names = mapOf(spec['names']);
  const versions = listOf(spec['versions']).map(mapOf);
  const version = versions.find((one) => one['storage'] === true) ?? versions[0] ?? {};
  const schema = mapOf(mapOf(version['schema'])['openAPIV3Schema']);
  const properties = mapOf(schema['properties']);
  const kind = textOf(names['kind']);
  const drawn = isMap(properties['spec']) ? { spec: drawSpec(properties['spec']) } : {};
  const others = listOf(schema['required'])
    .map(textOf)
    .filter((name) => !['apiVersion', 'kind', 'metadata', 'spec', 'status'].includes(name))
    .map((name): [string, JsonValue] => [name, draw(mapOf(properties[name]), name, 1)]);
  return {
    apiVersion: `${textOf(spec['group'])}/${textOf(version['name'])}`,
    kind,
    metadata: { name: 'example' },
    ...drawn,
    ...Object.fromEntries(others),
  };
}

/** Depth below which only required fields are drawn. */
const DEPTH_SHOWN = 1;
const DEPTH_MAX = 12;

/** Number of levels drawn with all their fields if the spec would be empty otherwise, since writers could not change an empty spec. */
const WHOLE_LEVELS = 3;

function drawSpec(schema: Schema): JsonValue {
  const drawn = draw(schema, 'spec', 0);
  return isMap(drawn) && Object.keys(drawn).length === 0 ? draw(schema, 'spec', 0, WHOLE_LEVELS) : drawn;
}

/** @param whole - The depth above which all fields are drawn. */
function draw(schema: Schema, name: string, depth: number, whole = 0): JsonValue {
  if ('default' in schema) return schema['default'] ?? null;
  const choices = listOf(schema['enum']);
  if (choices.length > 0) return choices[0] ?? null;
  if (schema['x-kubernetes-int-or-string'] === true) return 1;
  switch (schema['type']) {
    case 'object':
      return drawObject(schema, depth, whole);
    case 'array':
      return Array.from({ length: Math.min(Math.max(number(schema['minItems'], 0), depth < whole ? 1 : 0), 4) }, () =>
        draw(mapOf(schema['items']), name, depth + 1, whole),
      );
    case 'integer':
    case 'number':
      return drawNumber(schema);
    case 'boolean':
      return false;
    case 'string':
      return drawText(schema, name);
    default:
      return {};
  }
}

function drawObject(schema: Schema, depth: number, whole: number): JsonObject {
  const properties = Object.entries(mapOf(schema['properties']));
  const required = listOf(schema['required']);
  const chosen = properties.filter(
    ([name, of]) =>
      depth < DEPTH_MAX && (depth < whole || required.includes(name) || (depth < DEPTH_SHOWN && isShown(mapOf(of)))),
  );
  return Object.fromEntries(chosen.map(([name, of]) => [name, draw(mapOf(of), name, depth + 1, whole)]));
}

function isShown(schema: Schema): boolean {
  return (
    'default' in schema || listOf(schema['enum']).length > 0 || ['integer', 'boolean'].includes(textOf(schema['type']))
  );
}

function drawNumber(schema: Schema): number {
  const least = number(schema['minimum'], 1) + (schema['exclusiveMinimum'] === true ? 1 : 0);
  const most = number(schema['maximum'], Number.POSITIVE_INFINITY);
  const step = number(schema['multipleOf'], 1);
  // Draws a count of two if that is allowed, because one would not show a difference.
  const wanted = Math.min(Math.max(2, least), most);
  return Math.ceil(wanted / step) * step <= most ? Math.ceil(wanted / step) * step : wanted;
}

const BY_FORMAT: { readonly [format: string]: string } = {
  'date-time': '2030-01-01T00:00:00Z',
  date: '2030-01-01',
  duration: '1m',
  email: 'nobody@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  cidr: '192.0.2.0/24',
  uri: 'https://example.com',
  uuid: '8a7b3c1e-5d2f-4c6a-9b0e-1f2d3c4b5a69',
  byte: 'ZXhhbXBsZQ==',
};
const ORDINARY: readonly string[] = [
  'example',
  '1',
  '1Gi',
  '10m',
  '1.2.3',
  'v1.2.3',
  'https://example.com',
  'example.com/example',
  'Example',
];

function drawText(schema: Schema, name: string): string {
  const format = BY_FORMAT[textOf(schema['format'])];
  if (format !== undefined) return format;
  const [least, most] = [number(schema['minLength'], 0), number(schema['maxLength'], Number.POSITIVE_INFINITY)];
  const pattern = textOf(schema['pattern']);
  const asGo = goRegExp(pattern);
  const fits = (one: string): boolean => one.length >= least && one.length <= most && asGo?.test(one) !== false;
  const image = /image/i.test(name) ? ['registry.example.com/example:v1'] : [];
  const ordinary = [...image, ...ORDINARY].find(fits);
  if (ordinary !== undefined) return ordinary;
  if (pattern === '') return 'x'.repeat(Math.min(Math.max(least, 1), most));
  return matching(pattern).find(fits) ?? 'example';
}

/** Returns texts that match the pattern as a JavaScript regular expression, which agrees with Go for most patterns. */
function matching(pattern: string): readonly string[] {
  try {
    return sample(stringMatching(new RegExp(pattern)), { seed: 1, numRuns: 50 }).toSorted(
      (a, b) => a.length - b.length,
    );
  } catch {
    return [];
  }
}

function number(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
