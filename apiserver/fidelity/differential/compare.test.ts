import { expect, it } from 'vitest';
import { differences, plain } from './compare.ts';

it('finds no difference in equal values, whatever the order of keys', () => {
  expect(differences({ a: [1, { b: null }], c: 'x' }, { c: 'x', a: [1, { b: null }] })).toEqual([]);
});

it('reports the path of a difference without indices', () => {
  expect(differences({ items: [{ x: 1 }, { x: 2 }] }, { items: [{ x: 1 }, { x: 3 }] })).toEqual([
    { path: 'items[].x', ours: 2, real: 3 },
  ]);
});

it('distinguishes absent, null, zero, empty and false', () => {
  for (const value of [null, 0, '', false, [], {}])
    expect(differences({}, { a: value })).toEqual([{ path: 'a', ours: undefined, real: value }]);
  expect(differences({ a: null }, { a: 0 })).toHaveLength(1);
  expect(differences({ a: [] }, { a: {} })).toHaveLength(1);
  expect(differences({ a: 1 }, { a: '1' })).toHaveLength(1);
});

it('finds values that only one side has, on either side', () => {
  expect(differences({ a: 1, b: 2 }, { a: 1 })).toEqual([{ path: 'b', ours: 2, real: undefined }]);
  expect(differences(undefined, { a: 1 })).toEqual([{ path: '', ours: undefined, real: { a: 1 } }]);
});

it('compares lists in order and reports lengths first', () => {
  expect(differences([1, 2], [2, 1])).toHaveLength(2);
  expect(differences([1], [1, 1])).toEqual([{ path: '.length', ours: [1], real: [1, 1] }]);
});

it('shows values of field sets by their kind', () => {
  expect(differences({ 'k:{"name":"a"}': 1 }, {})).toEqual([{ path: 'k:*', ours: 1, real: undefined }]);
});

it('finds a difference behind many other differences', () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, index]));
  const found = differences({ ...many, last: 1 }, { last: 2 });
  expect(found).toHaveLength(51);
  expect(found.at(-1)).toEqual({ path: 'last', ours: 1, real: 2 });
});

it('prints texts unquoted and everything else as JSON', () => {
  expect([plain('a'), plain(undefined), plain({ a: 1 })]).toEqual(['a', '""', '{"a":1}']);
});
