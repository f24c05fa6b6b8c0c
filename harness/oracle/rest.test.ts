import { describe, expect, it } from 'vitest';
import { activityAfter, restStart } from './rest.ts';
import { historyBuilder, manifest, type HistoryBuilder } from './test-history.ts';

const LEASES = 'leases.coordination.k8s.io';
const lock = { holderIdentity: 'one', renewTime: '2026-01-01T00:00:00Z' };

/** The first life holds the lock when contention ends. */
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
