import { describe, expect, it } from 'vitest';
import type { History, Operation } from '../model/history.ts';
import { activityAfter, earnedSettleMs, mostFrequent, restStart, unchangedMs } from './rest.ts';
import { historyBuilder, manifest, type HistoryBuilder } from './test-history.ts';

const LEASES = 'leases.coordination.k8s.io';
const lock = { holderIdentity: 'one', renewTime: '2026-01-01T00:00:00Z' };

/** Returns a history in which the first incarnation holds the lease when contention ends. */
function led(): HistoryBuilder {
  const h = historyBuilder();
  h.create('controller', LEASES, manifest('Lease', 'leader', { spec: lock }));
  h.phase('contention');
  h.phase('settle');
  return h;
}

describe('rest', () => {
  it('begins when a life that had to wait for the lead has taken it', () => {
    const h = led();
    h.pass(15_000);
    h.edit('controller~2', LEASES, 'leader', ['spec', 'holderIdentity'], 'two');
    h.create('controller~2', 'configmaps', manifest('ConfigMap', 'made'));
    const history = h.build();

    const rest = restStart(history);

    expect(rest).toMatchObject({ actor: 'controller~2', resource: LEASES });
    expect(activityAfter(history, rest).map(({ resource }) => resource)).toEqual(['configmaps']);
  });

  it('is not put off by a leader that renews its lock', () => {
    const h = led();
    const { at } = restStart(h.build());
    h.pass(2_000);
    h.edit('controller', LEASES, 'leader', ['spec', 'renewTime'], '2026-01-01T00:00:02Z');

    expect(restStart(h.build()).at).toBe(at);
  });
});

describe('a target that polls at rest', () => {
  /** Returns `unchangedMs` for a target that acts after one minute of rest, in a run that ends another minute later. */
  function unchangedAfter(act: (h: HistoryBuilder) => void): number {
    const h = historyBuilder();
    h.create('user', 'configmaps', manifest('ConfigMap', 'web', { data: { size: '1' } }));
    h.phase('contention');
    h.phase('settle');
    h.pass(60_000);
    act(h);
    h.pass(60_000);
    h.phase('end');
    return Math.round(unchangedMs(h.build()) / 1_000);
  }

  it.each([
    ['reads', (h: HistoryBuilder) => h.get('controller', 'configmaps', 'web')],
    [
      'finds no logs',
      (h: HistoryBuilder) => h.begin('controller', 'get', 'pods', 'web', { subresource: 'log' }).fail(500),
    ],
    ['may not read', (h: HistoryBuilder) => h.begin('controller', 'get', 'nodes', 'one').fail(403)],
    [
      'deletes what is not there',
      (h: HistoryBuilder) => h.begin('controller', 'delete', 'configmaps', 'old').fail(404),
    ],
    ['records an event', (h: HistoryBuilder) => h.create('controller', 'events', manifest('Event', 'web.1'))],
  ])('changes nothing where it %s', (_, act) => {
    expect(unchangedAfter(act)).toBe(120);
  });

  it('changes nothing where the same fails again and again', () => {
    const fails = (times: number): number =>
      unchangedAfter((h) => {
        for (let n = 0; n < times; n++) h.begin('controller', 'update', 'routes.example.com', 'web').fail(404);
      });

    expect([fails(4), fails(5)]).toEqual([60, 120]);
  });

  it.each([
    [
      'writes',
      (h: HistoryBuilder) => {
        h.edit('controller', 'configmaps', 'web', ['data', 'size'], '2');
      },
    ],
    ['is refused', (h: HistoryBuilder) => h.begin('controller', 'update', 'configmaps', 'web').fail(409)],
    ['fails to read', (h: HistoryBuilder) => h.begin('controller', 'list', 'configmaps', '').fail(500)],
  ])('tries to change something where it %s', (_, act) => {
    expect(unchangedAfter(act)).toBe(60);
  });
});

/** Reads config maps in this order; returns the history and the reads. */
function looks(...names: readonly string[]): readonly [History, readonly Operation[]] {
  const h = historyBuilder();
  for (const name of ['a', 'b']) h.create('user', 'configmaps', manifest('ConfigMap', name));
  for (const name of names) h.get('controller', 'configmaps', name);
  const history = h.build();
  return [history, history.operations.filter(({ verb }) => verb === 'get')];
}

describe('what is done most often', () => {
  it('is the same part of a round wherever one looks from', () => {
    const [history, operations] = looks('b', 'a', 'b', 'a', 'b', 'a', 'b');

    expect(mostFrequent(history, operations).name).toBe('a');
    expect(mostFrequent(history, operations.slice(1)).name).toBe('a');
    expect(mostFrequent(history, operations.slice(1, -1)).name).toBe('a');
  });

  it('is what is done more often than anything else', () => {
    expect(mostFrequent(...looks('a', 'b', 'b')).name).toBe('b');
    expect(mostFrequent(...looks('a', 'b', 'b', 'a', 'b', 'b')).name).toBe('b');
  });
});

describe('the time that a suspect gets', () => {
  /** Returns `earnedSettleMs` in seconds, for a target that repeats a write after each of these pauses. */
  const secondsAfter = (...pauses: readonly number[]): number => {
    const h = historyBuilder();
    h.create('user', 'configmaps', manifest('ConfigMap', 'web', { data: { size: '1' } }));
    h.patch('controller', 'configmaps', 'web', { data: { size: '1' } });
    for (const pause of pauses) {
      h.pass(pause * 1_000);
      h.patch('controller', 'configmaps', 'web', { data: { size: '1' } });
    }
    return Math.round((earnedSettleMs(h.build()) ?? 0) / 1_000);
  };

  it('is enough for the next attempt of a target that tries again at growing intervals, without any failure', () => {
    expect(secondsAfter(24, 48, 100)).toBe(250);
  });

  it.each([
    ['the intervals are all alike', [100, 100, 100]],
    ['they grow by more than a back-off does', [1, 100, 36_000]],
    ['there are too few', [50, 100]],
  ])('is the usual one where %s', (_, pauses) => {
    expect(secondsAfter(...pauses)).toBe(120);
  });
});
