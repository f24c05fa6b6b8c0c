import { expect, it } from 'vitest';
import type { History } from '../../model/history.ts';
import { historyBuilder, manifest } from '../../oracle/test-history.ts';
import { revertedWhen } from './probe-results.ts';

/** Returns a run in which the target replaces another writer's value after a time. */
function replacedAfter(ms: number): History {
  const h = historyBuilder();
  h.create('user', 'configmaps', manifest('ConfigMap', 'a'));
  h.edit('writer-1', 'configmaps', 'a', ['data', 'color'], 'red');
  h.pass(ms);
  h.edit('controller', 'configmaps', 'a', ['data', 'color'], 'blue');
  return h.build();
}

it.each([
  [100, 'at once'],
  [59_000, 'at once'],
  [600_000, 'later'],
])('a value that the target replaces after %d ms is replaced %s', (ms, when) => {
  expect(revertedWhen(replacedAfter(ms), 'data.color')).toBe(when);
  expect(revertedWhen(replacedAfter(ms), 'data.other')).toBe('at once');
});
