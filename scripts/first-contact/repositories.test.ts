import { expect, it } from 'vitest';
import { drawn, DRAWN, readRepositories } from './repositories.ts';

const all = readRepositories();

it('lists a hundred operators, each once', () => {
  expect(all).toHaveLength(100);
  expect(new Set(all.map(({ name }) => name)).size).toBe(100);
  expect(new Set(all.map((one) => one.package)).size).toBe(100);
});

it('has enough of each sort to draw from', () => {
  expect(all.filter(({ webhooks }) => webhooks).length).toBeGreaterThanOrEqual(25);
  expect(all.filter(({ conversion }) => conversion).length).toBeGreaterThanOrEqual(8);
  expect(all.filter(({ language }) => language !== 'Go').length).toBeGreaterThanOrEqual(12);
});

it.each([1, 2, 3, 18, 1000])('draws enough of each sort with seed %d', (seed) => {
  const chosen = drawn(all, seed);

  expect(chosen).toHaveLength(DRAWN);
  expect(chosen.filter(({ webhooks }) => webhooks).length).toBeGreaterThanOrEqual(8);
  expect(chosen.filter(({ conversion }) => conversion).length).toBeGreaterThanOrEqual(2);
  expect(chosen.filter(({ language }) => language !== 'Go').length).toBeGreaterThanOrEqual(3);
  expect(drawn(all, seed)).toEqual(chosen);
});
