import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../objects/object.ts';
import { MERGE, testServer, WIDGETS_PATH, widget, configMap, CONFIGMAPS_PATH, type Answer } from './testing.ts';

const BAD: JsonObject = { uid: 'other', labels: { 'a b': 'c' }, finalizers: ['bare', 'not good!'] };

/** Returns how often each field occurs among the causes of a rejection. */
function causes(answer: Answer): { readonly [field: string]: number } {
  const counts: { [field: string]: number } = {};
  const details = (answer.body as { details?: { causes?: readonly { field: string }[] } }).details;
  for (const { field } of details?.causes ?? [])
    counts[field.replace('metadata.', '')] = (counts[field.replace('metadata.', '')] ?? 0) + 1;
  return counts;
}

describe('rules of metadata', () => {
  const { request } = testServer();

  it('are reported once on creation, with qualified finalizers where the kind requires them (33)', () => {
    const core = causes(request('POST', CONFIGMAPS_PATH, configMap('a', {}, BAD)));
    const custom = causes(request('POST', WIDGETS_PATH, widget('a', {}, BAD)));

    expect(core).toEqual({ labels: 1, finalizers: 1, 'finalizers[0]': 1, 'finalizers[1]': 1 });
    expect(custom).toEqual({ labels: 1, finalizers: 1 });
  });

  it('are reported as often as by a real server on updates (33)', () => {
    request('POST', CONFIGMAPS_PATH, configMap('b'));
    request('POST', WIDGETS_PATH, widget('b'));
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'b' } };
    request('POST', '/api/v1/nodes', node);

    const twice = { labels: 4, uid: 2, finalizers: 2, 'finalizers[0]': 2, 'finalizers[1]': 2 };
    expect(causes(request('PATCH', `${CONFIGMAPS_PATH}/b`, { metadata: BAD }, MERGE))).toEqual(twice);
    expect(causes(request('PATCH', `${WIDGETS_PATH}/b`, { metadata: BAD }, MERGE))).toEqual({
      labels: 3,
      uid: 2,
      finalizers: 1,
    });
    expect(causes(request('PATCH', '/api/v1/nodes/b/status', { metadata: BAD }, MERGE))).toEqual({
      labels: 3,
      uid: 2,
      finalizers: 1,
      'finalizers[0]': 1,
      'finalizers[1]': 1,
    });
  });

  it('are reported for budgets only without other errors (33)', () => {
    const path = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    const budget = (minAvailable: number): JsonObject => ({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'a b', labels: { 'a b': 'c' } },
      spec: { minAvailable },
    });

    expect(causes(request('POST', path, budget(-1)))).toEqual({ 'spec.minAvailable': 1 });
    expect(causes(request('POST', path, budget(1)))).toEqual({ labels: 1 });
  });
});
