import { expect, it } from 'vitest';
import type { Property } from '../../oracle/property.ts';
import { VIRTUAL_MODE } from '../run/run-mode.ts';
import { isTooRare } from './too-rare.ts';

const compares: Pick<Property, 'name' | 'comparesRuns'> = { name: 'convergence', comparesRuns: ['wrong-value'] };

function violated(property: string, kind: string, k: number, n: number) {
  const signature = { property, class: kind, actors: [], kind: 'widgets.example.com', field: '' };
  const cause = { key: 'x', text: 'x' };
  return {
    violation: { signature, severity: 'error', sentence: '', operations: [], deliveries: [], cause } as never,
    stats: { reproduced: { k, n } },
  };
}

it.each([
  ['a difference between runs that came again once in ten', 'convergence', 'wrong-value', 1, 10, true],
  ['a difference between runs that came again in a quarter', 'convergence', 'wrong-value', 2, 8, false],
  ['a difference that came again in the only run there was time for', 'convergence', 'wrong-value', 1, 1, false],
  ['a lost write that came again once in ten', 'no-lost-update', 'reverted', 1, 10, false],
  ['a lost write that never came again', 'no-lost-update', 'reverted', 0, 10, true],
])('judges %s', (_, property, kind, k, n, expected) => {
  expect(isTooRare(violated(property, kind, k, n), [compares as Property], VIRTUAL_MODE.proof)).toBe(expected);
});
