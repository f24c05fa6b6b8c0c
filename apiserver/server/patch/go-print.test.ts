import { expect, it } from 'vitest';
import { goPrinted } from './go-print.ts';

it.each([
  [null, '<nil>'],
  [[1, 'x', null, true], '[1 x <nil> true]'],
  [{ b: [{}, []], a: 1.5, c: undefined }, 'map[a:1.5 b:[map[] []]]'],
])('prints %j as Go does', (value, text) => {
  expect(goPrinted(value)).toBe(text);
});

it.each([
  ['a long list', Array.from({ length: 600_000 }, () => null)],
  ['a long text', { a: 'x'.repeat(3_000_000) }],
  ['a wide map', Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, at]))],
  ['a deep list', Array.from({ length: 900 }).reduce<unknown[]>((inner) => ['x'.repeat(100), inner], [])],
])('truncates %s', (_, value) => {
  const text = goPrinted(value as never);

  expect(text.length).toBeLessThan(70_000);
  expect(text.endsWith('…')).toBe(true);
});
