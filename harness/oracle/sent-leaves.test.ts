import { describe, expect, it } from 'vitest';
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import { saidIn } from './sent-leaves.ts';
import { historyBuilder, manifest } from './test-history.ts';

/** Reports whether a patch contained a leaf. */
function said(body: JsonValue, path: string): boolean {
  const h = historyBuilder();
  h.create('user', 'widgets.example.com', manifest('Widget', 'a', { spec: { size: 1 } }));
  h.patch('controller', 'widgets.example.com', 'a', body);
  const history = h.build();
  const revision = history.revisions.at(-1);
  if (revision === undefined) throw new Error('no revision');
  return saidIn(history, revision, path);
}

describe('a patch', () => {
  it.each([
    ['metadata.finalizers["example.com/own"]', true],
    ['status.observedGeneration', false],
    ['spec.mode', false],
    ['spec.size', true],
    ['spec.ports[name=web].port', true],
    ['spec.labels["example.com/a"]', false],
  ])('does not contain what the server fills in beside it: %s, %s', (path, expected) => {
    const ports = [{ name: 'web' }];
    expect(said({ metadata: { finalizers: ['example.com/own'] }, spec: { size: 2, ports } }, path)).toBe(expected);
  });

  it('contains everything that it changed if it is a list of operations', () => {
    expect(said([{ op: 'replace', path: '/spec/size', value: 2 }], 'status.observedGeneration')).toBe(true);
  });
});

it('a request to another subresource contains everything that it changed', () => {
  const h = historyBuilder();
  h.create('user', 'widgets.example.com', manifest('Widget', 'a', { spec: { size: 1 } }));
  h.patch('controller', 'widgets.example.com', 'a', { spec: { replicas: 2 } });
  const history = h.build();
  const [revision] = history.revisions.slice(-1);
  if (revision === undefined) throw new Error('no revision');
  const operations = history.operations.map((operation) => ({ ...operation, subresource: 'scale' }));

  expect(saidIn({ ...history, operations }, revision, 'status.size')).toBe(true);
  expect(saidIn(history, revision, 'status.size')).toBe(false);
});
