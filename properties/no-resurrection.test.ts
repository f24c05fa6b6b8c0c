import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { History } from '../harness/model/history.ts';
import type { HistoryBuilder } from '../harness/oracle/test-history.ts';
import { historyBuilder, manifest, ownedBy } from '../harness/oracle/test-history.ts';
import { noResurrection } from './no-resurrection.ts';

const WIDGETS = 'widgets.example.com';

/** Returns the history with the last create as an apply, which the tests' small store does not support. */
function asApply(history: History): History {
  const operations = history.operations.map((operation) =>
    operation === history.operations.findLast(({ verb }) => verb === 'create')
      ? { ...operation, verb: 'patch' as const, contentType: 'application/apply-patch+yaml' }
      : operation,
  );
  return { ...history, operations };
}

function widget(name = 'web'): KubeObject {
  return manifest('Widget', name, { spec: { size: 1 } });
}

function deletedByUser(maker = 'user'): HistoryBuilder {
  const h = historyBuilder();
  h.create(maker, WIDGETS, widget());
  h.deliver('controller', WIDGETS);
  h.phase('contention');
  h.delete('user', WIDGETS, 'web');
  return h;
}

describe('no-resurrection', () => {
  it('convicts an apply that creates anew what somebody else made and deleted', () => {
    const h = deletedByUser();
    h.create('controller', WIDGETS, widget());

    expect(noResurrection.check(asApply(h.build()))).toMatchObject({
      result: 'violated',
      violations: [
        {
          signature: { class: 'resurrected', kind: WIDGETS },
          revisions: [102, 103],
          sentence:
            "controller's server-side apply created widgets.example.com/web again (version 103) after user had deleted it " +
            '(version 102): it had last seen version 101, and named neither uid nor version',
        },
      ],
    });
  });

  it('says so when the deletion had been shown', () => {
    const h = deletedByUser();
    h.deliver('controller', WIDGETS);
    h.create('controller', WIDGETS, widget());

    const result = noResurrection.check(asApply(h.build()));
    expect(JSON.stringify(result)).toContain('it had seen the deletion');
  });

  it('lets the target make again what it makes in the references, or made itself', () => {
    const h = deletedByUser();
    h.create('controller', WIDGETS, widget());
    const children = [{ owner: 'apps:a', role: `${WIDGETS}:web`, maxBySpec: {}, surges: false }];
    expect(noResurrection.check(asApply(h.build({ reference: { children } })))).toEqual({ result: 'holds' });

    const own = deletedByUser('controller');
    own.create('controller', WIDGETS, widget());
    expect(noResurrection.check(asApply(own.build()))).toEqual({ result: 'holds' });

    const replaced = deletedByUser('controller');
    replaced.create('writer-1', WIDGETS, widget());
    replaced.delete('user', WIDGETS, 'web');
    replaced.create('controller', WIDGETS, widget());
    expect(noResurrection.check(asApply(replaced.build()))).toEqual({ result: 'holds' });
  });

  it('does not judge a create, nor an apply to what was never there', () => {
    const h = deletedByUser();
    h.create('controller', WIDGETS, widget());
    expect(noResurrection.check(h.build())).toEqual({ result: 'holds' });

    const first = historyBuilder().phase('contention');
    first.create('controller', WIDGETS, widget());
    expect(noResurrection.check(asApply(first.build()))).toEqual({ result: 'holds' });
  });

  it('is inconclusive without a reference', () => {
    const h = deletedByUser();
    h.create('controller', WIDGETS, widget());
    expect(noResurrection.check(asApply(h.build({ reference: null }))).result).toBe('inconclusive');
  });
});

describe('no-resurrection of what an owner had', () => {
  const CHILD = 'pods';

  function child(owner: KubeObject, name: string): KubeObject {
    return manifest('Pod', name, {}, { ownerReferences: [ownedBy(owner)] });
  }

  /** Builds a history of an owner that the target has seen and whose deletion it has received. */
  function gone(): { h: HistoryBuilder; owner: KubeObject } {
    const h = historyBuilder();
    const owner = h.create('user', WIDGETS, widget());
    h.deliver('controller', WIDGETS);
    h.phase('contention');
    h.delete('user', WIDGETS, 'web');
    return { h, owner };
  }

  /** Builds such a history in which the target was idle after that. */
  function idle(): { h: HistoryBuilder; owner: KubeObject } {
    const { h, owner } = gone();
    h.deliver('controller', WIDGETS);
    h.create('user', 'configmaps', manifest('ConfigMap', 'one'));
    h.create('user', 'configmaps', manifest('ConfigMap', 'two'));
    return { h, owner };
  }

  it('convicts a child made for an owner whose end was shown, after a moment of idleness', () => {
    const { h, owner } = idle();
    h.create('controller', CHILD, child(owner, 'web-0'));

    expect(noResurrection.check(h.build())).toMatchObject({
      result: 'violated',
      violations: [
        {
          signature: { class: 'made-for-the-gone', kind: CHILD },
          revisions: [102, 105],
          sentence:
            'controller created pods/web-0 (version 105) for widgets.example.com/web, which user had deleted (version 102): it had ' +
            'seen the deletion, and had been idle since',
        },
      ],
    });
  });

  it('waits for each watch that has shown the owner: its work may read from the one that is behind', () => {
    const { h, owner } = idle();
    h.create('controller', CHILD, child(owner, 'web-0'));
    const history = h.build();
    const [first] = history.deliveries;
    if (first === undefined) throw new Error('the owner was delivered');
    const second = { ...first, stream: `${first.stream}-other` };
    const deliveries = [...history.deliveries, second];
    const { actor, stream, resource, at, timeMs } = second;
    const streamEnds = [{ actor, stream, resource, why: 'closed', at, timeMs } as const];

    expect(noResurrection.check({ ...history, deliveries }).result).toBe('holds');
    // An index is kept for each list of revisions.
    const revisions = [...history.revisions];
    expect(noResurrection.check({ ...history, revisions, deliveries, streamEnds }).result).toBe('violated');
  });

  it.each([
    ['does not take a program for idle that its client holds back within a reconcile', 200, 'holds'],
    ['takes a program for idle that has sent nothing for seconds', 5_000, 'violated'],
    ['takes a program for idle that only renews its lock', 5_000, 'violated', 'leases.coordination.k8s.io'],
    ['does not take a program for idle that changes something else', 5_000, 'holds', 'configmaps'],
  ])('%s', (_, pauseMs, result, written?: string) => {
    const { h, owner } = idle();
    h.pass(pauseMs);
    if (written !== undefined) h.create('controller', written, manifest('Other', 'lock'));
    h.create('controller', CHILD, child(owner, 'web-0'));
    const measurements = [{ actor: 'controller', when: 'start' as const, pid: 1, at: 0, timeMs: 0 }];

    expect(noResurrection.check({ ...h.build(), measurements }).result).toBe(result);
  });

  it('lets it finish what was under way when it was told', () => {
    const { h, owner } = gone();
    const first = h.begin('controller', 'create', CHILD, 'web-0', { body: child(owner, 'web-0') });
    h.deliver('controller', WIDGETS);
    h.create('user', 'configmaps', manifest('ConfigMap', 'one'));
    h.create('user', 'configmaps', manifest('ConfigMap', 'two'));
    first.answer();
    h.create('controller', CHILD, child(owner, 'web-1'));

    expect(noResurrection.check(h.build())).toEqual({ result: 'holds' });
  });

  it('does not take a process for idle that is stopped', () => {
    const { h, owner } = gone();
    h.process('controller', 'paused');
    h.deliver('controller', WIDGETS);
    h.create('user', 'configmaps', manifest('ConfigMap', 'one'));
    h.create('user', 'configmaps', manifest('ConfigMap', 'two'));
    h.process('controller', 'resumed');
    h.create('controller', CHILD, child(owner, 'web-0'));

    expect(noResurrection.check(h.build())).toEqual({ result: 'holds' });
  });

  it('does not expect of it what it had not been shown', () => {
    const { h, owner } = gone();
    h.create('user', 'configmaps', manifest('ConfigMap', 'one'));
    h.create('user', 'configmaps', manifest('ConfigMap', 'two'));
    h.create('controller', CHILD, child(owner, 'web-0'));

    expect(noResurrection.check(h.build())).toEqual({ result: 'holds' });
  });
});
