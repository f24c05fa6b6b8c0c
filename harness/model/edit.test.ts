import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from 'stalemate-apiserver/objects/object';
import { appendItem, pointerTo, removeItem, setAt, valueAt } from './edit.ts';

const POD: JsonObject = {
  metadata: { name: 'a', labels: { app: 'web' } },
  spec: {
    containers: [
      { name: 'main', image: 'v1' },
      { name: 'log', image: 'v1' },
    ],
  },
};

describe('setting a value at a path', () => {
  test('copies the maps on the way and shares the rest', () => {
    const edited = setAt(POD, ['metadata', 'labels', 'tier'], 'front');

    expect(edited).toEqual({ ...POD, metadata: { name: 'a', labels: { app: 'web', tier: 'front' } } });
    expect(edited['spec']).toBe(POD['spec']);
    expect(POD['metadata']).toEqual({ name: 'a', labels: { app: 'web' } });
  });

  test('makes missing maps', () => {
    expect(setAt({}, ['metadata', 'annotations', 'example.com/a'], '1')).toEqual({
      metadata: { annotations: { 'example.com/a': '1' } },
    });
  });

  test('edits the list item that a selector names and leaves its neighbours', () => {
    const edited = setAt(POD, ['spec', 'containers', { name: 'log' }, 'image'], 'v2');

    expect(valueAt(edited, ['spec', 'containers', { name: 'log' }, 'image'])).toBe('v2');
    expect(valueAt(edited, ['spec', 'containers', { name: 'main' }])).toBe(
      valueAt(POD, ['spec', 'containers', { name: 'main' }]),
    );
  });

  test('appends an item that no selector finds', () => {
    const edited = setAt(POD, ['spec', 'containers', { name: 'new' }, 'image'], 'v3');

    expect(valueAt(edited, ['spec', 'containers'])).toHaveLength(3);
    expect(valueAt(edited, ['spec', 'containers', { name: 'new' }])).toEqual({ name: 'new', image: 'v3' });
  });

  test('removes a key with null, and nothing that is not there', () => {
    expect(setAt(POD, ['metadata', 'labels', 'app'], null)).toEqual({ ...POD, metadata: { name: 'a', labels: {} } });
    expect(setAt(POD, ['metadata', 'annotations', 'b'], null)).toBe(POD);
    expect(setAt(POD, ['spec', 'containers', { name: 'none' }, 'image'], null)).toBe(POD);
  });

  test('returns its argument when nothing changes or a scalar is in the way', () => {
    expect(setAt(POD, ['metadata', 'labels', 'app'], 'web')).toBe(POD);
    expect(setAt(POD, ['metadata', 'labels', 'app', 'deeper'], 1)).toBe(POD);
  });

  test('never takes a key of the prototype for a field', () => {
    expect(setAt({}, ['constructor', 'name'], 'x')).toEqual({ constructor: { name: 'x' } });
    expect(valueAt({}, ['toString'])).toBeUndefined();
  });

  test('is read back wherever maps allow it', () => {
    const anyObject = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(anyObject, fc.array(fc.string(), { minLength: 1 }), fc.string(), (object, path, value) => {
        const edited = setAt(object, path, value);
        const inTheWay = path.some((_, depth) => {
          const at = depth === 0 ? object : valueAt(object, path.slice(0, depth));
          return at !== undefined && (at === null || typeof at !== 'object' || Array.isArray(at));
        });

        expect(valueAt(edited, path)).toBe(inTheWay ? valueAt(object, path) : value);
      }),
    );
  });
});

describe('items of lists', () => {
  const ready = { type: 'Ready', status: 'True' };
  const mine = { type: 'Mine', status: 'True' };
  const object: JsonObject = { status: { conditions: [ready] }, metadata: { finalizers: ['a/b'] } };
  const at = ['status', 'conditions'];

  test('are appended, replaced by identity, removed by identity', () => {
    const appended = appendItem(object, at, mine);
    const replaced = appendItem(appended, at, { ...mine, status: 'False' });

    expect(valueAt(appended, at)).toEqual([ready, mine]);
    expect(valueAt(replaced, at)).toEqual([ready, { ...mine, status: 'False' }]);
    expect(valueAt(removeItem(replaced, at, mine), at)).toEqual([ready]);
  });

  test('are told apart by value when they are scalars', () => {
    const path = ['metadata', 'finalizers'];

    expect(appendItem(object, path, 'a/b')).toBe(object);
    expect(valueAt(appendItem(object, path, 'c/d'), path)).toEqual(['a/b', 'c/d']);
    expect(removeItem(object, path, 'c/d')).toBe(object);
    expect(valueAt(removeItem(object, path, 'a/b'), path)).toEqual([]);
  });

  test('make the list when there is none', () => {
    expect(appendItem({}, at, mine)).toEqual({ status: { conditions: [mine] } });
    expect(removeItem({}, at, mine)).toEqual({});
  });

  test('are gone again after append and remove', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string()), fc.string(), (list, item) => {
        fc.pre(!list.includes(item));
        const after = removeItem(appendItem({ list }, ['list'], item), ['list'], item);

        expect(after).toEqual({ list });
      }),
    );
  });
});

test('a pointer escapes keys and finds the index of an item', () => {
  expect(pointerTo(POD, ['metadata', 'annotations', 'a/b~c'])).toBe('/metadata/annotations/a~1b~0c');
  expect(pointerTo(POD, ['spec', 'containers', { name: 'log' }, 'image'])).toBe('/spec/containers/1/image');
  expect(pointerTo(POD, ['spec', 'containers', { name: 'none' }, 'image'])).toBeUndefined();
});
