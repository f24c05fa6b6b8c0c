import { expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { Violation } from '../model/check-result.ts';
import type { Reference } from '../model/reference.ts';
import { compareAtRest } from './at-rest.ts';
import { indexHistory } from './history-index.ts';
import { HistoryScript } from './test-findings.ts';

const VIOLATION: Violation = {
  signature: {
    property: 'convergence',
    class: 'wrong-value',
    actors: ['target'],
    kind: 'configmaps',
    field: 'data.size',
  },
  sentence: '',
  operations: [],
  revisions: [],
  at: 0,
  severity: 'error',
};
const OWNED = ['data.size', ...['name', 'kind', 'apiVersion'].map((leaf) => `metadata.ownerReferences[uid=*].${leaf}`)];

function widget(uid: string): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'default', uid } };
}

function child(owner: string, size: string): KubeObject {
  const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: owner }];
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c', namespace: 'default', uid: `child-${owner}`, ownerReferences },
    data: { size },
  };
}

it('says nothing of owners that differ in their uids alone, as those of any two runs do', () => {
  const script = new HistoryScript();
  for (const [resource, made] of [
    ['widgets.example.com', widget('one')],
    ['configmaps', child('one', '3')],
  ] as const) {
    const name = made.metadata.name ?? '';
    script.call({
      actor: 'controller',
      verb: 'create',
      resource,
      name,
      body: made,
      made,
      outcome: { type: 'ok', code: 201 },
    });
  }
  const objects = { 'widgets.example.com/default/w': widget('two'), 'configmaps/default/c': child('two', '5') };
  const reference = { ownedLeaves: { 'configmaps:c': OWNED }, volatileLeaves: {} } as Partial<Reference> as Reference;
  const history = script.history({
    reference,
    probes: [{ probe: 'expected-state', outcomes: [{ objects }], settled: true }],
  });

  expect(compareAtRest(indexHistory(history), new Set(), VIOLATION)).toEqual([
    { object: 'configmaps/c', leaf: 'data.size', expected: '5', actual: '3' },
  ]);
});
