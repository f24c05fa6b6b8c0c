import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../objects/object.ts';
import { nodeOfGoType } from '../kinds/builtin-node.ts';
import { applyStrategicMergePatch, type StrategicMergeResult } from './strategic-merge.ts';

const POD = nodeOfGoType('core/v1.Pod');
const DEPLOYMENT = nodeOfGoType('apps/v1.Deployment');

const live: JsonObject = {
  metadata: { name: 'p', labels: { a: '1', b: '2' }, finalizers: ['x/a', 'x/b', 'x/c'] },
  spec: {
    containers: [
      { name: 'c', image: 'i', env: [{ name: 'E', value: '1' }], args: ['one'] },
      { name: 'd', image: 'j' },
    ],
    tolerations: [{ key: 'old' }],
  },
};

function merged(patch: JsonObject, node = POD, object = live): JsonObject {
  const result = applyStrategicMergePatch(object, patch, node);
  if (result.outcome !== 'merged') throw new Error(result.why);
  return result.value;
}

function refused(patch: JsonObject): Extract<StrategicMergeResult, { readonly outcome: 'refused' }> {
  const result = applyStrategicMergePatch(live, patch, POD);
  if (result.outcome !== 'refused') throw new Error('was not refused');
  return result;
}

describe('lists', () => {
  it('merges items by their merge key and adds new ones first', () => {
    const { spec } = merged({
      spec: {
        containers: [
          { name: 'e', image: 'k' },
          { name: 'c', image: 'new' },
        ],
      },
    });

    expect((spec as JsonObject)['containers']).toEqual([
      { name: 'e', image: 'k' },
      { name: 'c', image: 'new', env: [{ name: 'E', value: '1' }], args: ['one'] },
      { name: 'd', image: 'j' },
    ]);
  });

  it('replaces atomic lists and lists of scalars without a strategy', () => {
    const { spec } = merged({ spec: { tolerations: [{ key: 'new' }], containers: [{ name: 'c', args: ['two'] }] } });

    expect(spec).toMatchObject({ tolerations: [{ key: 'new' }], containers: [{ name: 'c', args: ['two'] }, {}] });
  });

  it('unites lists of scalars that merge', () => {
    const { metadata } = merged({ metadata: { finalizers: ['x/b', 'x/d'] } });

    expect(new Set((metadata as JsonObject)['finalizers'] as readonly string[])).toEqual(
      new Set(['x/a', 'x/b', 'x/c', 'x/d']),
    );
  });

  it('deletes items and scalars by directive', () => {
    const patch = {
      metadata: { '$deleteFromPrimitiveList/finalizers': ['x/a', 'x/c'] },
      spec: { containers: [{ name: 'c', $patch: 'delete' }] },
    };

    expect(merged(patch)).toMatchObject({
      metadata: { finalizers: ['x/b'] },
      spec: { containers: [{ name: 'd', image: 'j' }] },
    });
  });

  it('replaces a whole list by directive', () => {
    const { spec } = merged({ spec: { containers: [{ $patch: 'replace' }, { name: 'only' }] } });

    expect((spec as JsonObject)['containers']).toEqual([{ name: 'only' }]);
  });

  it('orders items by $setElementOrder', () => {
    const order = [{ name: 'd' }, { name: 'n' }, { name: 'c' }];
    const { spec } = merged({ spec: { '$setElementOrder/containers': order, containers: [{ name: 'n' }] } });

    const containers = (spec as JsonObject)['containers'] as readonly JsonObject[];
    expect(containers.map((one) => one['name'])).toEqual(['d', 'n', 'c']);
  });
});

describe('maps', () => {
  it('merges maps, drops nulls and does not modify its arguments', () => {
    const before = JSON.stringify(live);
    const patch: JsonObject = { metadata: { labels: { a: null, c: '3' }, annotations: { x: null, y: 'z' } } };
    const text = JSON.stringify(patch);

    expect(merged(patch)['metadata']).toMatchObject({ labels: { b: '2', c: '3' }, annotations: { y: 'z' } });
    expect(JSON.stringify(live)).toBe(before);
    expect(JSON.stringify(patch)).toBe(text);
  });

  it('keeps only the keys in $retainKeys', () => {
    const object = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } };
    const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };

    expect(merged(patch, DEPLOYMENT, object)).toEqual({ spec: { strategy: { type: 'Recreate' } } });
  });

  it('replaces a map by directive', () => {
    expect(merged({ metadata: { labels: { $patch: 'replace', z: '1' } } })['metadata']).toMatchObject({
      labels: { z: '1' },
    });
  });
});

describe('refusals', () => {
  it('requires the merge key', () => {
    expect(refused({ spec: { containers: [{ image: 'x' }] } })).toMatchObject({
      code: 500,
      why: 'map: map[image:x] does not contain declared merge key: name',
    });
  });

  it('knows no other directives', () => {
    expect(refused({ spec: { $patch: 'foo' } })).toMatchObject({
      code: 500,
      why: 'unknown patch type: foo in map: map[$patch:foo]',
    });
  });

  it('requires all set keys among the retained keys', () => {
    expect(refused({ spec: { $retainKeys: ['nodeName'], hostname: 'x' } })).toMatchObject({
      code: 400,
      why: 'invalid patch format of retainKeys',
    });
  });

  it('requires added items in the order list', () => {
    const spec = { '$setElementOrder/containers': [{ name: 'c' }], containers: [{ name: 'z' }] };

    expect(refused({ spec })).toMatchObject({
      code: 500,
      why: "The order in patch list:\n[map[name:z]]\n doesn't match $setElementOrder list:\n[map[name:c]]\n",
    });
  });

  it('does not mix types of items', () => {
    expect(refused({ spec: { containers: ['x'] } }).why).toMatch(/^list element types are not identical: \[\[map\[/);
  });
});
