import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import { fieldErrorBody } from '../refusal.ts';
import { compileSchema } from './compile.ts';

function object(spec: JsonValue): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec };
}

function schema(spec: JsonObject): ReturnType<typeof compileSchema> {
  return compileSchema({ type: 'object', properties: { spec } });
}

/** Returns `field: message` for each error in a spec. */
function errors(spec: JsonObject, value: JsonValue, old?: JsonValue): readonly string[] {
  return schema(spec)
    .validate(object(value), old === undefined ? undefined : object(old))
    .map((error) => `${error.field}: ${fieldErrorBody(error)}`);
}

describe('pruning and defaulting', () => {
  const spec: JsonObject = {
    type: 'object',
    properties: {
      known: { type: 'string' },
      size: { type: 'integer', default: 3 },
      nested: { type: 'object', default: {}, properties: { deep: { type: 'string', default: 'x' } } },
      optional: { type: 'object', properties: { deep: { type: 'string', default: 'x' } } },
      free: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { n: { type: 'integer', default: 1 } },
      },
      list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string', default: 'y' } } } },
      maybe: { type: 'string', nullable: true },
    },
  };

  it('keeps unknown fields in items of a list that preserves them, not below declared fields or additionalProperties', () => {
    const item = { type: 'object', properties: { known: { type: 'object', properties: { x: { type: 'string' } } } } };
    const free = schema({
      type: 'object',
      properties: {
        list: { type: 'array', 'x-kubernetes-preserve-unknown-fields': true, items: item },
        any: { type: 'object', additionalProperties: true },
      },
    });

    const coerced = free.coerce(
      object({ list: [{ odd: { a: 1 }, known: { x: 'x', y: 1 } }], any: { a: { deep: 1 }, b: 1 } }),
    );

    expect(coerced['spec']).toEqual({ list: [{ odd: { a: 1 }, known: { x: 'x' } }], any: { a: {}, b: 1 } });
  });

  it('drops unknown fields and fills in defaults (122, 123)', () => {
    const unknown: string[] = [];

    const coerced = schema(spec).coerce(
      object({ known: 'k', stranger: 1, list: [{ b: 1 }], free: { any: true } }),
      unknown,
    );

    expect(coerced['spec']).toEqual({
      known: 'k',
      list: [{ a: 'y' }],
      free: { any: true, n: 1 },
      size: 3,
      nested: { deep: 'x' },
    });
    expect(unknown).toEqual(['spec.stranger', 'spec.list[0].b']);
  });

  it('replaces a null by the default or removes it, unless nullable (123)', () => {
    const coerced = schema(spec).coerce(object({ size: null, known: null, maybe: null }));

    expect(coerced['spec']).toEqual({ size: 3, nested: { deep: 'x' }, maybe: null });
  });

  it('returns the same object when nothing changes', () => {
    const done = schema(spec).coerce(object({ known: 'k' }));

    expect(schema(spec).coerce(done)).toBe(done);
  });

  it('does not touch metadata', () => {
    const given = object({ known: 'k', size: 1, nested: { deep: 'x' } });

    expect(schema(spec).coerce(given)).toBe(given);
  });
});

describe('validation (124)', () => {
  it.each<readonly [string, JsonObject, JsonValue, readonly string[]]>([
    [
      'types',
      { type: 'integer' },
      'x',
      ['spec: Invalid value: "string": spec in body must be of type integer: "string"'],
    ],
    ['null', { type: 'integer' }, null, ['spec: Invalid value: "null": spec in body must be of type integer: "null"']],
    [
      'whole numbers',
      { type: 'integer' },
      1.5,
      [
        'spec: Invalid value: "number": spec in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec',
      ],
    ],
    ['numbers', { type: 'number' }, 1, []],
    [
      'int-or-string',
      { 'x-kubernetes-int-or-string': true },
      true,
      ['spec: Invalid value: "boolean": spec in body must be of type integer,string: "boolean"'],
    ],
    ['enums', { type: 'string', enum: ['a', 'b'] }, 'z', ['spec: Unsupported value: "z": supported values: "a", "b"']],
    [
      'minima',
      { type: 'integer', minimum: 1 },
      0,
      ['spec: Invalid value: 0: spec in body should be greater than or equal to 1'],
    ],
    [
      'exclusive maxima',
      { type: 'integer', maximum: 5, exclusiveMaximum: true },
      5,
      ['spec: Invalid value: 5: spec in body should be less than 5'],
    ],
    [
      'multiples',
      { type: 'integer', multipleOf: 2 },
      3,
      ['spec: Invalid value: 3: spec in body should be a multiple of 2'],
    ],
    ['maximum lengths', { type: 'string', maxLength: 1 }, 'ab', ['spec: Too long: may not be more than 1 byte']],
    [
      'minimum lengths',
      { type: 'string', minLength: 1 },
      '',
      ['spec: Invalid value: "": spec in body should be at least 1 chars long'],
    ],
    [
      'patterns',
      { type: 'string', pattern: '^a+$' },
      'b',
      ['spec: Invalid value: "b": spec in body should match \'^a+$\''],
    ],
    [
      'formats',
      { type: 'string', format: 'date-time' },
      'x',
      ['spec: Invalid value: "x": spec in body must be of type date-time: "x"'],
    ],
    ['required fields', { type: 'object', required: ['a'] }, {}, ['spec.a: Required value']],
    [
      'items',
      { type: 'array', items: { type: 'string' } },
      [1],
      ['spec[0]: Invalid value: "integer": spec[0] in body must be of type string: "integer"'],
    ],
    [
      'numbers of items',
      { type: 'array', maxItems: 1, items: { type: 'string' } },
      ['a', 'b'],
      ['spec: Too many: 2: must have at most 1 item'],
    ],
    [
      'values of other keys',
      { type: 'object', additionalProperties: { type: 'string' } },
      { a: 1 },
      ['spec.a: Invalid value: "integer": spec.a in body must be of type string: "integer"'],
    ],
    [
      'sets (125)',
      { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      ['a', 'a'],
      ['spec[1]: Duplicate value: "a"'],
    ],
    [
      'list maps (125)',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['n'],
        items: { type: 'object', properties: { n: { type: 'string' } } },
      },
      [{ n: 'a' }, { n: 'a' }],
      ['spec[1]: Duplicate value: {"n":"a"}'],
    ],
    [
      'combinations',
      { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      { a: 1, b: 1 },
      ['<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      'negations',
      { type: 'object', not: { required: ['a'] } },
      { a: 1 },
      ['<nil>: Invalid value: "": "spec" must not validate the schema (not)'],
    ],
  ])('validates %s', (_title, spec, value, expected) => {
    expect(errors(spec, value)).toEqual(expected);
  });

  it('does not validate unchanged parts of an update again (126)', () => {
    const spec: JsonObject = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } } };

    expect(errors(spec, { a: 1, b: 2 }, { a: 1, b: 1 })).toEqual([]);
    expect(errors(spec, { a: 2, b: 1 }, { a: 1, b: 1 })).toHaveLength(1);
  });

  it('validates a status on its own', () => {
    const compiled = compileSchema({
      type: 'object',
      properties: { status: { type: 'object', properties: { phase: { type: 'string' } } } },
    });
    const before = object({});

    expect(compiled.validateStatus({ ...before, status: { phase: 1 } }, before)).toMatchObject([
      { field: 'status.phase', detail: 'phase in body must be of type string: "integer"' },
    ]);
  });
});

it('reports at most ten thousand unknown fields', () => {
  const compiled = compileSchema({ type: 'object', properties: { spec: { type: 'object' } } });
  const spec = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, 1]));
  const unknown: string[] = [];

  const coerced = compiled.coerce({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: {}, spec }, unknown);

  expect(unknown).toHaveLength(10_000);
  expect(coerced['spec']).toEqual({});
});
