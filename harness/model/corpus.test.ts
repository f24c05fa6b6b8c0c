import { expect, it } from 'vitest';
import { saysNothing } from './corpus.ts';

it.each([
  ['fixed', 'not-reached', true],
  ['open', 'not-reached', false],
  ['quarantined', 'not-reached', false],
  ['fixed', 'stale', true],
  ['open', 'unclear', true],
  ['fixed', 'holds', false],
] as const)('an entry that is %s and %s says nothing: %s', (state, outcome, expected) => {
  expect(saysNothing({ state, outcome })).toBe(expected);
});
