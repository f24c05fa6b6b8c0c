import { expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { isSameLag } from './generation-lag.ts';

function at(generation: number): KubeObject {
  return { apiVersion: 'v1', kind: 'Widget', metadata: { name: 'a', generation } };
}
const path = 'status.observedGeneration';

it('compares how far two observed generations lag behind', () => {
  expect(isSameLag(at(3), at(1), { path, from: 3, to: 1 })).toBe(true);
  expect(isSameLag(at(3), at(1), { path, from: 2, to: 1 })).toBe(false);
});

it('takes no two values for equal that are no numbers, nor other fields', () => {
  expect(isSameLag(at(3), at(1), { path, from: 'one', to: 'two' })).toBe(false);
  expect(isSameLag(at(3), at(1), { path: 'status.replicas', from: 3, to: 1 })).toBe(false);
});
