import { describe, expect, test } from 'vitest';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { setAt } from '../../model/edit.ts';
import { specChanges } from './schema-arbitrary.ts';

function crd(spec: JsonObject, version = 'v1'): KubeObject {
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: { group: 'example.com', versions: [{ name: version, schema: { openAPIV3Schema } }] },
  };
}

function thing(spec: JsonObject): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' }, spec };
}

/** Returns the values proposed for `spec.x`, whose current value is `current`. */
function valuesFor(schema: JsonObject, current?: JsonObject[string]): readonly unknown[] {
  const spec = current === undefined ? {} : { x: current };
  const changes = specChanges(crd({ type: 'object', properties: { x: schema } }), thing(spec));
  for (const { path } of changes) expect(path).toEqual(['spec', 'x']);
  return changes.map((change) => change.value);
}

describe('other values for a leaf', () => {
  test.for([
    ['a number: one more, one less, none', { type: 'integer' }, 3, [4, 2, 0]],
    ['bounds that are near', { type: 'integer', minimum: 1, maximum: 5 }, 3, [4, 2, 1, 5]],
    ['no step over a bound', { type: 'integer', minimum: 3, maximum: 3 }, 3, []],
    ['exclusive bounds', { type: 'integer', minimum: 0, exclusiveMinimum: true, maximum: 2 }, 1, [2]],
    ['multiples', { type: 'integer', multipleOf: 5 }, 10, [15, 5, 0]],
    ['an absent number', { type: 'integer' }, undefined, [1, 2, 0]],
    ['a default counts as the present value', { type: 'integer', default: 1, maximum: 2 }, undefined, [2, 0]],
    ['a boolean', { type: 'boolean' }, true, [false]],
    ['an absent boolean', { type: 'boolean' }, undefined, [true]],
    ['alternatives of an enum', { type: 'string', enum: ['a', 'b', 'c'] }, 'b', ['a', 'c']],
    [
      'the last number in a text',
      { type: 'string', maxLength: 9 },
      'web:v1',
      ['web:v2', 'web:v1-2', 'web:v12', 'web:v1a'],
    ],
    ['a text under a pattern', { type: 'string', pattern: '^[0-9]+(s|m|h)$' }, '30s', ['31s']],
    ['a quantity', { 'x-kubernetes-int-or-string': true, pattern: '^[0-9]+(Mi|Gi)$' }, '5Gi', ['6Gi']],
    ['an integer where texts may stand', { 'x-kubernetes-int-or-string': true }, 1, [2, 0]],
    ['a date', { type: 'string', format: 'date-time' }, '2020-01-01T00:00:00Z', ['2026-02-01T00:00:00Z']],
  ] as const)('%s', ([, schema, current, expected]) => {
    expect(valuesFor(schema, current)).toEqual(expected);
  });

  test('none where a rule forbids changes', () => {
    const rule = { 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] };

    expect(valuesFor({ type: 'integer', ...rule }, 1)).toEqual([]);
    expect(
      specChanges(crd({ type: 'object', ...rule, properties: { x: { type: 'integer' } } }), thing({ x: 1 })),
    ).toEqual([]);
  });
});

describe('the order of candidates', () => {
  test('one edit of every present leaf, then the second of each, then what is absent', () => {
    const properties = { a: { type: 'integer' }, b: { type: 'boolean' }, c: { type: 'boolean' } };

    const changes = specChanges(crd({ type: 'object', properties }), thing({ a: 1, b: true }));

    expect(changes.map(({ path, value }) => [path.at(-1), value])).toEqual([
      ['a', 2],
      ['b', false],
      ['a', 0],
      ['c', true],
    ]);
  });
});

test('counts come before switches, switches before words, and what is near the top first', () => {
  const template = { type: 'object', properties: { port: { type: 'integer' }, image: { type: 'string' } } };
  const properties = {
    image: { type: 'string' },
    paused: { type: 'boolean' },
    template,
    replicas: { type: 'integer' },
  };
  const sample = thing({ image: 'a', paused: false, template: { port: 1, image: 'a' }, replicas: 1 });

  const changes = specChanges(crd({ type: 'object', properties }), sample);

  expect(changes.slice(0, 5).map(({ path }) => path.slice(1))).toEqual([
    ['replicas'],
    ['template', 'port'],
    ['paused'],
    ['image'],
    ['template', 'image'],
  ]);
});

describe('lists', () => {
  const parts = {
    type: 'array',
    items: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, count: { type: 'integer' } },
    },
  };
  const schema = { type: 'object', properties: { parts } };

  test('get one item more, one less, and edits inside items that keep their key', () => {
    const list = [
      { name: 'a', count: 1 },
      { name: 'b', count: 1 },
    ];

    const changes = specChanges(crd(schema), thing({ parts: list }));

    expect(changes).toContainEqual({ path: ['spec', 'parts'], value: [...list, { name: 'b-2', count: 1 }] });
    expect(changes).toContainEqual({ path: ['spec', 'parts'], value: [list[0]] });
    expect(changes).toContainEqual({ path: ['spec', 'parts', { name: 'b' }, 'count'], value: 2 });
    expect(changes.filter(({ path }) => path.at(-1) === 'name')).toEqual([]);
  });

  test('whose items have no name that a path can use are edited as a whole', () => {
    const groups = {
      type: 'array',
      items: {
        type: 'object',
        required: ['groupName', 'size'],
        properties: { groupName: { type: 'string' }, size: { type: 'integer' }, image: { type: 'string' } },
      },
    };
    const list = [{ groupName: 'small', size: 3, image: 'v1' }];

    const changes = specChanges(crd({ type: 'object', properties: { groups } }), thing({ groups: list }));

    expect(changes.slice(0, 2)).toEqual([
      { path: ['spec', 'groups'], value: [...list, { groupName: 'small-2', size: 3, image: 'v1' }] },
      { path: ['spec', 'groups'], value: [{ groupName: 'small', size: 4, image: 'v1' }] },
    ]);
    for (const { value } of changes) expect((value as typeof list)[0]?.groupName).toBe('small');
  });

  test('keep to minItems and maxItems', () => {
    const bounded = {
      type: 'object',
      properties: { tags: { type: 'array', minItems: 1, maxItems: 1, items: { type: 'string' } } },
    };

    expect(specChanges(crd(bounded), thing({ tags: ['a'] }))).toEqual([]);
  });
});

test('optional maps that are absent are left alone when they would need more than one key', () => {
  const properties = {
    backup: { type: 'object', required: ['bucket'], properties: { bucket: { type: 'string' } } },
    tls: { type: 'object', properties: { enabled: { type: 'boolean' } } },
  };

  expect(specChanges(crd({ type: 'object', properties }), thing({}))).toEqual([
    { path: ['spec', 'tls', 'enabled'], value: true },
  ]);
});

test('a definition without the version of the sample has nothing to offer', () => {
  expect(specChanges(crd({ type: 'object', properties: { a: { type: 'integer' } } }, 'v2'), thing({ a: 1 }))).toEqual(
    [],
  );
});

test('every candidate really changes the sample', () => {
  const properties = {
    a: { type: 'integer', default: 3 },
    b: { type: 'string' },
    c: { type: 'array', items: { type: 'string' } },
  };
  const sample = thing({ a: 2, b: 'x', c: ['p', 'q'] });

  const changes = specChanges(crd({ type: 'object', properties }), sample);

  expect(changes.length).toBeGreaterThan(5);
  for (const { path, value } of changes) expect(setAt(sample, path, value)).not.toBe(sample);
});
