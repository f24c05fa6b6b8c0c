/** One reconcile of a large operator may be a hundred requests without a pause, and is not a loop. */
import { expect, it } from 'vitest';
import { historyBuilder } from '../harness/oracle/test-history.ts';
import { boundedRate } from './bounded-rate.ts';

it.each([
  ['many different requests', 25, 'inconclusive'],
  ['the same few again and again', 4, 'violated'],
])('judges %s without a pause', (_, names, result) => {
  const h = historyBuilder().phase('contention').phase('settle');
  for (let n = 0; n < 100; n++) h.call('controller', 'get', 'secrets', `part-${n % names}`);
  const history = h.phase('end').build({ settlement: { result: 'hot-instant', steps: 250 } });

  expect(boundedRate.check(history)).toMatchObject({ result });
});
