import { expect, it } from 'vitest';
import { failureStreaks } from './failures.ts';
import { historyBuilder } from './test-history.ts';

it.each([
  ['log', 500, 0],
  ['log', 403, 1],
  ['', 500, 1],
])('is no streak where only a kubelet could have answered: subresource "%s", %d', (subresource, code, count) => {
  const h = historyBuilder();
  for (let n = 0; n < 3; n++) h.begin('controller', 'get', 'pods', 'web', { subresource }).fail(code);

  expect(failureStreaks(h.build())).toHaveLength(count);
});
