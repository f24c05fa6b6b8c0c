/** One reconcile of a large operator may be a hundred requests without a pause; it is not a loop, nor is it many periods of a poll. */
import { expect, it } from 'vitest';
import type { ProbeResult } from '../harness/model/probe.ts';
import { historyBuilder } from '../harness/oracle/test-history.ts';
import { boundedRate } from './bounded-rate.ts';
import { judge, settled, WIDGETS, withheld } from './test-bounded-rate.ts';

it.each([
  ['many different requests', 25, 'inconclusive'],
  ['the same few again and again', 4, 'violated'],
])('judges %s without a pause', (_, names, result) => {
  const h = historyBuilder().phase('contention').phase('settle');
  for (let n = 0; n < 100; n++) h.call('controller', 'get', 'secrets', `part-${n % names}`);
  const history = h.phase('end').build({ settlement: { result: 'hot-instant', steps: 250 } });

  expect(boundedRate.check(history)).toMatchObject({ result });
});

it.each([
  [5_000, 'holds'],
  // A longer look has to show whether it goes on.
  [1_000, 'inconclusive'],
])('judges a poll of six different objects every %d ms by its rounds, not by its requests', (everyMs, result) => {
  const h = settled();
  const kinds = ['configmaps', 'secrets', 'services', 'pods', 'deployments.apps', WIDGETS];
  for (let n = 0; n < 60_000 / everyMs; n++) {
    h.pass(everyMs);
    for (const kind of kinds) h.begin('controller', 'list', kind, '').answer();
  }
  const reference = { idle: { requestsPerMinute: (60_000 / everyMs) * kinds.length, writesPerMinute: 0 } };

  expect(judge(h, { settlement: { result: 'time-exceeded', timeMs: 60_000 }, reference }).result).toBe(result);
});

it.each([
  ['that pauses for a minute later on', true, 'holds'],
  ['without such a pause', false, 'violated'],
])('judges a work queue whose back-off is shorter than a reconcile, %s', (_, quiescent, result) => {
  const h = settled();
  for (let n = 0; n < 10; n++) h.pass(2_100).begin('controller', 'patch', WIDGETS, 'web').answer();
  const look = (windowMs: number, rested: boolean): ProbeResult => ({
    probe: 'extended-settle',
    windowMs,
    quiescent: rested,
    final: [],
    names: {},
    writesAtRest: 0,
  });
  const probes = [look(60_000, quiescent), look(1_100_000, false), withheld(10)];
  const settlement = { result: 'time-exceeded', timeMs: 21_000 } as const;

  expect(judge(h, { settlement, probes, reference: { suspectSettleMs: 60_000 } }).result).toBe(result);
});
