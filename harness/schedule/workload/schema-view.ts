/**
 * Reads a structural schema (`openAPIV3Schema`) and finds other values for one of its leaves.
 *
 * Owns: the few keywords that matter for a small valid value. The API server decides whether a value is really valid.
 */
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import { parseApiVersion, type JsonObject, type JsonValue, type KubeObject } from 'stalemate-apiserver/objects/object';
import { goRegExp } from 'stalemate-apiserver/wire/go-regexp';

export type Schema = JsonObject;

const NO_SCHEMA: Schema = {};

export function asMap(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

export function asList(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : undefined;
}

export function asNumber(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

export function asText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the schema of `apiVersion` in a CRD; undefined if the CRD does not serve that version. */
export function schemaOfVersion(crd: KubeObject, apiVersion: string): Schema | undefined {
  const { version } = parseApiVersion(apiVersion);
  const versions = asList(asMap(crd['spec'])?.['versions']) ?? [];
  const served = versions.map(asMap).find((candidate) => candidate?.['name'] === version);
  return asMap(asMap(served?.['schema'])?.['openAPIV3Schema']);
}

/**
 * Returns the resources (`gr`) of the CRDs whose `status.conditions` the API server treats as one value, because no version declares keys
 * for its items (or has a schema for it at all).
 */
export function withWholeConditions(crds: readonly KubeObject[]): readonly string[] {
  return crds.filter(hasWholeConditions).map((crd) => crd.metadata.name ?? '');
}

function hasWholeConditions(crd: KubeObject): boolean {
  const lists = (asList(asMap(crd['spec'])?.['versions']) ?? [])
    .map((version) => asMap(asMap(asMap(version)?.['schema'])?.['openAPIV3Schema']))
    .map((schema) => asMap(asMap(schema?.['properties'])?.['status']))
    .map((status) => asMap(asMap(status?.['properties'])?.['conditions']))
    .filter((list) => list !== undefined);
  return lists.every((list) => list['x-kubernetes-list-type'] !== 'map');
}

/** Returns `integer`, `string`, …; `int-or-string` for fields that allow both; empty if any type is allowed. */
export function typeOf(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'int-or-string';
  return asText(schema['type']) ?? '';
}

/** Returns the schema of one key of a map; undefined if the schema does not permit the key. */
export function propertySchema(schema: Schema, key: string): Schema | undefined {
  const properties = asMap(schema['properties']);
  if (properties !== undefined && Object.hasOwn(properties, key)) return asMap(properties[key]) ?? NO_SCHEMA;
  const additional = schema['additionalProperties'];
  if (asMap(additional) !== undefined) return asMap(additional);
  return additional === true || schema['x-kubernetes-preserve-unknown-fields'] === true ? NO_SCHEMA : undefined;
}

export function requiredOf(schema: Schema): readonly string[] {
  return (asList(schema['required']) ?? []).filter((key) => typeof key === 'string');
}

/** Returns the keys that each alternative (`oneOf`, `anyOf`) requires. */
export function alternativesOf(schema: Schema): readonly (readonly string[])[] {
  const branches = [...(asList(schema['oneOf']) ?? []), ...(asList(schema['anyOf']) ?? [])];
  return branches.map((branch) => requiredOf(asMap(branch) ?? {}));
}

/** Reports whether a transition rule forbids every change of the value. */
export function isImmutable(schema: Schema): boolean {
  const rules = asList(schema['x-kubernetes-validations']) ?? [];
  return rules.some((rule) =>
    /^\s*(self\s*==\s*oldSelf|oldSelf\s*==\s*self)\s*$/.test(asText(asMap(rule)?.['rule']) ?? ''),
  );
}

/** Returns the bounds of a number; exclusive ones are moved inwards by one. */
export function boundsOf(schema: Schema): { readonly min: number; readonly max: number } {
  const min = asNumber(schema['minimum']) ?? Number.NEGATIVE_INFINITY;
  const max = asNumber(schema['maximum']) ?? Number.POSITIVE_INFINITY;
  return {
    min: schema['exclusiveMinimum'] === true ? min + 1 : min,
    max: schema['exclusiveMaximum'] === true ? max - 1 : max,
  };
}

/** Reports whether a scalar satisfies the keywords that this file reads. */
export function permits(schema: Schema, value: JsonValue): boolean {
  const allowed = asList(schema['enum']);
  if (allowed !== undefined && !allowed.some((one) => jsonEqual(one, value))) return false;
  switch (typeof value) {
    case 'number': {
      const { min, max } = boundsOf(schema);
      const step = asNumber(schema['multipleOf']);
      return value >= min && value <= max && (step === undefined || Number.isInteger(value / step));
    }
    case 'string':
      return (
        value.length >= (asNumber(schema['minLength']) ?? 0) &&
        value.length <= (asNumber(schema['maxLength']) ?? Number.POSITIVE_INFINITY) &&
        (goRegExp(asText(schema['pattern']) ?? '')?.test(value) ?? true)
      );
    default:
      return true;
  }
}

/**
 * Returns other values for a scalar that is `current` (undefined: absent), the most informative first. All satisfy the keywords that this
 * file reads.
 */
export function otherScalars(schema: Schema, current: JsonValue | undefined): readonly JsonValue[] {
  const start = current ?? schema['default'];
  const allowed = asList(schema['enum']);
  const candidates = allowed ?? candidatesFor(schema, typeOf(schema), start);
  const out: JsonValue[] = [];
  for (const candidate of candidates) {
    if (candidate === null || jsonEqual(candidate, start) || !permits(schema, candidate)) continue;
    if (!out.some((one) => jsonEqual(one, candidate))) out.push(candidate);
  }
  return out;
}

function candidatesFor(schema: Schema, type: string, start: JsonValue | undefined): readonly JsonValue[] {
  if (typeof start === 'boolean' || type === 'boolean') return [start !== true];
  if (typeof start === 'number' || type === 'integer' || type === 'number') return numbersNear(schema, asNumber(start));
  if (typeof start === 'string' || type === 'string') return textsNear(schema, asText(start));
  return type === 'int-or-string' ? [1] : [];
}

function numbersNear(schema: Schema, start: number | undefined): readonly number[] {
  const { min, max } = boundsOf(schema);
  const step = asNumber(schema['multipleOf']) ?? 1;
  const around = start === undefined ? [1, 2] : [start + step, start - step];
  // Counts are not negative unless the schema says so, and a very low minimum is not an interesting boundary.
  const floor = Number.isFinite(min) ? min : Math.min(0, start ?? 0);
  return [...around, 0, min, max].filter((n) => n >= floor && Math.abs(n - (start ?? 0)) <= 10);
}

function textsNear(schema: Schema, start: string | undefined): readonly string[] {
  const format = asText(schema['format']) ?? '';
  if (start === undefined || start === '') {
    const fresh = TEXT_OF_FORMAT[format];
    return fresh === undefined ? ['stalemate', 'a', '1', '1m', '1Gi'] : [fresh];
  }
  if (format === 'date-time') return ['2026-02-01T00:00:00Z'];
  if (format === 'byte') return ['c3RhbGVtYXRl'];
  const last = /^(.*?)(\d+)(\D*)$/s.exec(start);
  const counted = last === null ? [] : [`${last[1]}${Number(last[2]) + 1}${last[3]}`];
  return [...counted, `${start}-2`, `${start}2`, `${start}a`];
}

/** One valid value for each format that API servers validate. */
export const TEXT_OF_FORMAT: { readonly [format: string]: string | undefined } = {
  'date-time': '2026-01-01T00:00:00Z',
  datetime: '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  duration: '1m',
  byte: 'c3RhbGVtYXRl',
  uri: 'http://example.com/a',
  email: 'a@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  cidr: '192.0.2.0/24',
  mac: '02:00:00:00:00:01',
  uuid: '00000000-0000-4000-8000-000000000001',
};
