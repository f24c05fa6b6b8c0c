import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../objects/object.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';

function patched(target: JsonValue, ...operations: readonly JsonValue[]): JsonValue | string {
  const result = applyJsonPatch(target, operations);
  return result.outcome === 'patched' ? result.value : result.outcome;
}

describe("evanphx's dialect of JSON patch (59)", () => {
  it.each<readonly [string, JsonValue, JsonValue, JsonValue]>([
    ['adds a key', { a: 1 }, { op: 'add', path: '/b', value: 2 }, { a: 1, b: 2 }],
    ['replaces a missing key of a map', {}, { op: 'replace', path: '/a', value: 1 }, { a: 1 }],
    ['fails to remove a missing key', {}, { op: 'remove', path: '/a' }, 'failed'],
    ['fails to add below a missing parent', {}, { op: 'add', path: '/a/b', value: 1 }, 'failed'],
    ['passes a test of a missing leaf against null', { a: {} }, { op: 'test', path: '/a/b', value: null }, { a: {} }],
    ['passes a test of a missing leaf without value', { a: {} }, { op: 'test', path: '/a/b' }, { a: {} }],
    ['fails a test below a missing parent', {}, { op: 'test', path: '/a/b', value: null }, 'failed'],
    ['fails a test of another value', { a: 1 }, { op: 'test', path: '/a', value: 2 }, 'failed'],
    [
      'passes a deep test whatever the key order',
      { a: { x: 1, y: 2 } },
      { op: 'test', path: '/a', value: { y: 2, x: 1 } },
      { a: { x: 1, y: 2 } },
    ],
    ['appends with a dash', { a: [1] }, { op: 'add', path: '/a/-', value: 2 }, { a: [1, 2] }],
    ['adds at the end by index', { a: [1] }, { op: 'add', path: '/a/1', value: 2 }, { a: [1, 2] }],
    ['fails to add beyond the end', { a: [1] }, { op: 'add', path: '/a/2', value: 2 }, 'failed'],
    ['inserts before an item', { a: [1, 3] }, { op: 'add', path: '/a/1', value: 2 }, { a: [1, 2, 3] }],
    ['counts a negative index from the end', { a: [1, 2] }, { op: 'remove', path: '/a/-1' }, { a: [1] }],
    ['replaces an item', { a: [1, 2] }, { op: 'replace', path: '/a/0', value: 9 }, { a: [9, 2] }],
    ['unescapes pointers', { 'a/b~c': 1 }, { op: 'replace', path: '/a~1b~0c', value: 2 }, { 'a/b~c': 2 }],
    ['moves', { a: 1 }, { op: 'move', from: '/a', path: '/b' }, { b: 1 }],
    ['copies', { a: [1] }, { op: 'copy', from: '/a', path: '/b' }, { a: [1], b: [1] }],
    ['fails an unknown operation', {}, { op: 'merge', path: '/a' }, 'failed'],
  ])('%s', (_title, target, operation, expected) => {
    expect(patched(target, operation)).toEqual(expected);
  });

  it('applies all operations in order and does not modify its target', () => {
    const target = { metadata: { finalizers: ['a'] } };

    const result = patched(
      target,
      { op: 'test', path: '/metadata/finalizers/0', value: 'a' },
      { op: 'remove', path: '/metadata/finalizers/0' },
      { op: 'add', path: '/metadata/finalizers/-', value: 'b' },
    );

    expect(result).toEqual({ metadata: { finalizers: ['b'] } });
    expect(target).toEqual({ metadata: { finalizers: ['a'] } });
  });

  it('refuses copies of more than three mebibytes in total, before it builds them', () => {
    const doubling = (times: number): JsonValue[] =>
      Array.from({ length: times }, () => ({ op: 'copy', from: '/list', path: '/list/-' }));
    const target = { list: ['0123456789'] };

    expect(applyJsonPatch(target, doubling(10)).outcome).toBe('patched');
    expect(applyJsonPatch(target, doubling(60))).toEqual({
      outcome: 'failed',
      why: expect.stringMatching(
        /^Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
      ),
    });
  });

  it('reports a patch that is not a list as malformed (57)', () => {
    expect(applyJsonPatch({}, { op: 'add' }).outcome).toBe('malformed');
  });
});

describe('merge patch (60)', () => {
  it('deletes with null, merges maps and replaces lists', () => {
    const target = { a: 1, map: { x: 1, y: 2 }, list: [1, 2] };

    expect(applyMergePatch(target, { a: null, map: { y: null, z: 3 }, list: [3] })).toEqual({
      map: { x: 1, z: 3 },
      list: [3],
    });
  });

  it('drops nulls in added values', () => {
    expect(applyMergePatch({}, { a: { b: null, c: 1 } })).toEqual({ a: { c: 1 } });
  });

  it('returns the same object when nothing changes', () => {
    const target = { a: { b: 1 } };

    expect(applyMergePatch(target, { a: { c: null } })).toBe(target);
    expect(applyMergePatch(target, { a: { b: 1 } })).toBe(target);
  });
});
