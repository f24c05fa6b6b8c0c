import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import { diffContent, diffLeaves, isServerLeaf, leafInWords, leafPattern, leavesOf, withoutLeaves } from './leaf.ts';
import type { LeafChange } from './leaf.ts';

const SEED = 20260101;

/** The reference implementation of `diffLeaves`, which is faster: flatten both objects and compare the maps. */
function byFlattening(from: JsonObject, to: JsonObject): readonly LeafChange[] {
  const before = leavesOf(from);
  const after = leavesOf(to);
  const changes: LeafChange[] = [];
  for (const [path, value] of after) {
    const old = before.get(path);
    if (old === undefined) changes.push({ path, to: value });
    else if (!jsonEqual(old, value)) changes.push({ path, from: old, to: value });
  }
  for (const [path, value] of before) if (!after.has(path)) changes.push({ path, from: value });
  return changes;
}

function sorted(changes: readonly LeafChange[]): readonly LeafChange[] {
  return changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const scalar: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue>(null, true, 0, 1, 'x', 'y');
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c'), v: scalar }), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'example.com/c'), tie('value'), { maxKeys: 3 }),
  ),
}));
const object = fc.dictionary(fc.constantFrom('spec', 'data', 'status'), value) as fc.Arbitrary<JsonObject>;

describe('diffLeaves', () => {
  it(`says what flattening both objects says (seed ${SEED})`, () => {
    fc.assert(
      fc.property(object, object, (from, to) => {
        expect(sorted(diffLeaves(from, to))).toEqual(sorted(byFlattening(from, to)));
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it('lists removals last', () => {
    const changes = diffLeaves({ spec: { a: 1, b: 2 } }, { spec: { c: 3, b: 4 } });

    expect(changes.map((change) => change.path)).toEqual(['spec.c', 'spec.b', 'spec.a']);
  });
});

describe('diffContent', () => {
  it(`leaves out what servers maintain (seed ${SEED})`, () => {
    const kube = fc
      .record({ content: object, revision: fc.string(), labels: fc.dictionary(fc.string(), fc.string()) })
      .map(({ content, revision, labels }): KubeObject => ({
        ...content,
        apiVersion: 'v1',
        kind: 'Widget',
        metadata: { name: 'a', resourceVersion: revision, labels, managedFields: [{ manager: revision }] },
      }));
    fc.assert(
      fc.property(kube, kube, (from, to) => {
        const expected = diffLeaves(from, to).filter((change) => !isServerLeaf(change.path));
        expect(sorted(diffContent(from, to))).toEqual(sorted(expected));
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('sees an object that is new as all of its content', () => {
    const made: KubeObject = { apiVersion: 'v1', kind: 'Widget', metadata: { name: 'a', uid: 'u' }, spec: { a: 1 } };

    expect(diffContent(undefined, made)).toEqual([
      { path: 'metadata.name', to: 'a' },
      { path: 'spec.a', to: 1 },
    ]);
  });
});

describe('a leaf in words', () => {
  it.each([
    ['spec.replicas', '"spec.replicas"'],
    ['metadata.ownerReferences[uid=1-2].apiVersion', '"apiVersion" in an entry of "metadata.ownerReferences"'],
    ['metadata.finalizers[3]', 'an entry of "metadata.finalizers"'],
    ['status.conditions[type=Ready].status', '"status" in the entry type Ready of "status.conditions"'],
    [
      'spec.containers[name=app].env[name=X].value',
      '"value" in the entry name X of "env" in the entry name app of "spec.containers"',
    ],
  ])('%s is %s', (path, words) => {
    expect(leafInWords(leafPattern(path))).toBe(words);
  });
});

describe('withoutLeaves', () => {
  const keep = (): boolean => false;

  it('keeps the shape of what it keeps: a list that is an item of a list stays one', () => {
    const object = { spec: { steps: [[{ name: 'a' }, { name: 'b' }], [{ name: 'c' }]], empty: {}, none: null } };

    expect(withoutLeaves(object, keep)).toEqual(object);
  });

  it('leaves out what is selected, and lists and maps that are empty then', () => {
    const object = { spec: { steps: [[{ name: 'a', at: 1 }], [{ at: 2 }]], other: [{ at: 3 }] } };

    expect(withoutLeaves(object, (path) => path.endsWith('.at'))).toEqual({ spec: { steps: [[{ name: 'a' }]] } });
  });
});
