/**
 * Definitions that may cost far more than their size: schemas that are wide, deep, full of defaults, rules and alternatives, with an object
 * of each.
 *
 * Owns: arbitraries only; shared parts are in `costly-parts.ts`.
 */
import { crdManifest, crdVersion } from '../../server/crd/manifest.ts';
import * as fc from 'fast-check';
import type { JsonObject } from '../../objects/object.ts';
import { CRDS, type CostlySequence, JSON_TYPE, PATCH_TYPES, repeated, request, size } from './costly-parts.ts';

const DEPTH_MAX = 200;

type Make = (at: number) => JsonObject;

const LEAVES: readonly Make[] = [
  (at) => ({ type: 'string', minLength: at }),
  (at) => ({ type: 'string', enum: [`e${at}`] }),
  (at) => ({ type: 'string', pattern: `^(a|b${at})*$` }),
  (at) => ({ type: 'integer', maximum: at, default: at }),
  (at) => ({ type: 'object', default: {}, properties: { a: { type: 'string', default: `${at}` } } }),
  (at) => ({ type: 'string', 'x-kubernetes-validations': [{ rule: `self != 'v${at}'` }] }),
  (at) => ({ type: 'array', items: { type: 'string' }, maxItems: at }),
  (at) => ({ type: 'object', additionalProperties: { type: 'string', maxLength: at } }),
  () => ({ 'x-kubernetes-preserve-unknown-fields': true }),
  () => ({ type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }),
  () => ({ type: 'wrong' }),
];

/** Schemas inside `anyOf` and the like. They have no types, because a structural schema declares types outside of them. */
const ALTERNATIVES: readonly Make[] = [
  (at) => ({ minLength: at }),
  (at) => ({ enum: [`e${at}`] }),
  (at) => ({ pattern: `b${at}` }),
  (at) => ({ items: { minLength: at } }),
  (at) => ({ required: [`k${at}`] }),
  (at) => ({ not: { anyOf: [{ minLength: at }, { maxLength: at }] } }),
  () => ({ type: 'object' }),
];
const COMBINATIONS = ['anyOf', 'oneOf', 'allOf'] as const;

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

const wideSchema = fc.tuple(fc.constantFrom(...LEAVES), size).map(([leaf, count]): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(times(Math.min(count, 20_000), (at) => [`p${at}`, leaf(at)])),
}));

const deepSchema = fc
  .tuple(
    fc.constantFrom(...LEAVES),
    fc.constantFrom('properties', 'items'),
    fc.boolean(),
    fc.integer({ max: DEPTH_MAX, min: 1 }),
  )
  .map(([leaf, by, defaults, levels]): JsonObject => {
    let schema = leaf(1);
    for (let level = 0; level < levels; level++)
      schema =
        by === 'items'
          ? { type: 'array', items: schema, ...(defaults ? { default: [] } : {}) }
          : { type: 'object', properties: { a: schema, b: leaf(level) }, ...(defaults ? { default: {} } : {}) };
    return schema;
  });

const alternatives = fc
  .tuple(
    fc.constantFrom(...COMBINATIONS),
    fc.constantFrom(...COMBINATIONS),
    fc.constantFrom(...ALTERNATIVES),
    size,
    fc.integer({ min: 0, max: 6 }),
  )
  .map(([outer, inner, make, count, levels]): JsonObject => {
    let schema: JsonObject = { [outer]: times(Math.min(count, Math.ceil(20_000 / 3 ** levels)), make) };
    for (let level = 0; level < levels; level++) schema = { [inner]: [schema, schema, schema] };
    return schema;
  })
  .chain((combined) =>
    fc.constantFrom<JsonObject>(
      { type: 'string', ...combined },
      { type: 'array', items: { type: 'string' }, ...combined },
      { type: 'array', items: { type: 'string', ...combined } },
      { type: 'object', additionalProperties: { type: 'string', ...combined } },
    ),
  );

const rules = fc
  .tuple(
    fc.constantFrom(
      (at: number) => `self.size() >= ${at}`,
      (at: number) => `self.all(a, a != 'v${at}')`,
      () => 'self.all(a, self.exists(b, a == b))',
      (at: number) => `${'('.repeat(at % 100)}true${')'.repeat(at % 100)}`,
      (at: number) => `[${times(at % 500, String).join(',')}].size() > 0`,
      () => 'this is no rule',
    ),
    size,
    fc.boolean(),
    fc.constantFrom({}, { maxItems: 30 }, { maxItems: 1000 }),
  )
  .map(([rule, count, transition, bound]): JsonObject => ({
    type: 'array',
    items: { type: 'string', maxLength: 10 },
    ...bound,
    'x-kubernetes-validations': times(Math.min(count, 5000), (at) => ({
      rule: transition ? `${rule(at)} || oldSelf == self` : rule(at),
      messageExpression: "'wrong: ' + string(self.size())",
    })),
  }));

const VALUES: readonly ((count: number) => string)[] = [
  (count) => `[${repeated((at) => `"v${at}"`, count)}]`,
  (count) => `[${repeated(() => '"x"', count)}]`,
  (count) => `{${repeated((at) => `"k${at}":"v"`, count)}}`,
  (count) => `{${repeated((at) => `"p${at}":{}`, count)}}`,
  (count) => `"${'x'.repeat(count)}"`,
  (count) => `${'{"a":'.repeat(count % DEPTH_MAX)}{}${'}'.repeat(count % DEPTH_MAX)}`,
  () => '{}',
];

let kinds = 0;

/** A CRD, a create and further writes of an object of its kind, and a read of a document that depends on the CRD. */
export const costlyDefinitions: fc.Arbitrary<CostlySequence> = fc
  .record({
    schema: fc.oneof(wideSchema, deepSchema, alternatives, rules),
    value: fc.constantFrom(...VALUES),
    count: size,
    versions: fc.integer({ min: 1, max: 10 }),
    patchType: fc.constantFrom(...PATCH_TYPES),
    document: fc.constantFrom('/openapi/v2', '/openapi/v3', '/openapi/v3/apis/wide.io/v0', '/apis', CRDS),
  })
  .map(({ schema, value, count, versions, patchType, document }) => {
    const singular = `wide${kinds++}`;
    const kind = singular.toUpperCase();
    const path = `/apis/wide.io/v0/namespaces/default/${singular}s`;
    const whole = { type: 'object', properties: { spec: schema } };
    const definition = crdManifest(
      'wide.io',
      { plural: `${singular}s`, singular, kind },
      times(versions, (at) => crdVersion(`v${at}`, whole, { storage: at === 0, subresources: { status: {} } })),
    );
    const object = `{"apiVersion":"wide.io/v0","kind":"${kind}","metadata":{"name":"n"},"spec":${value(count)}}`;
    return [
      request('POST', CRDS, JSON_TYPE, JSON.stringify(definition)),
      request('POST', path, JSON_TYPE, object),
      request('PUT', `${path}/n`, JSON_TYPE, object),
      request('PATCH', `${path}/n?fieldManager=m&force=true`, patchType, object),
      request('PATCH', `${path}/n/status?fieldManager=m`, patchType, object),
      request('GET', document, ''),
    ];
  });
