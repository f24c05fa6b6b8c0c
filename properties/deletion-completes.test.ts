import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ProbeResult } from '../harness/model/probe.ts';
import type { Reference } from '../harness/model/reference.ts';
import type { HistoryBuilder } from '../harness/oracle/test-history.ts';
import { historyBuilder, manifest } from '../harness/oracle/test-history.ts';
import { deletionCompletes } from './deletion-completes.ts';

const WIDGETS = 'widgets.example.com';
const ROLE = `${WIDGETS}:web`;
const OWN = 'example.com/cleanup';
const REFERENCE: Partial<Reference> = {
  ownedLeaves: { [ROLE]: [`metadata.finalizers["${OWN}"]`] },
  deletes: [ROLE],
};

function deleted(...finalizers: readonly string[]): HistoryBuilder {
  const h = historyBuilder();
  h.create('user', WIDGETS, manifest('Widget', 'web', {}, { finalizers }));
  h.deliver('controller', WIDGETS);
  h.phase('contention');
  h.delete('user', WIDGETS, 'web');
  h.deliver('controller', WIDGETS);
  return h;
}

function settled(h: HistoryBuilder): HistoryBuilder {
  return h.phase('heal').phase('settle').pass(10_000).phase('end');
}

function probes(h: HistoryBuilder, writes: readonly string[], final?: readonly KubeObject[]): readonly ProbeResult[] {
  return [
    {
      probe: 'extended-settle',
      windowMs: 120_000,
      quiescent: true,
      final: final ?? [h.live(WIDGETS, 'web')],
      names: {},
      writesAtRest: 0,
    },
    { probe: 'fresh-incarnation', writes, settled: true },
    { probe: 'undisturbed', ...ENDED },
    { probe: 'step-by-step', ...ENDED },
  ];
}

/** Undisturbed, nothing is left. */
const ENDED = { settled: true, final: [], names: {}, expected: [] };

describe('deletion-completes', () => {
  it('accepts a deletion that is finished', () => {
    const h = deleted(OWN);
    h.edit('controller', WIDGETS, 'web', ['metadata', 'finalizers'], []);

    expect(deletionCompletes.check(settled(h).build({ reference: REFERENCE }))).toEqual({ result: 'holds' });
  });

  it('asks for more time and a second witness before it accuses anybody', () => {
    const h = settled(deleted(OWN));

    expect(deletionCompletes.check(h.build({ reference: REFERENCE }))).toMatchObject({
      result: 'inconclusive',
      needs: [{ probe: 'extended-settle' }, { probe: 'fresh-incarnation' }],
    });
  });

  it.each([
    ['widgets.example.com/web', true],
    ['leases.coordination.k8s.io/manager', false],
    ['pods/manager-0', false],
  ])('takes a fresh copy that patches %s for one that would continue: %j', (object, continues) => {
    const writes = [`patch ${object} metadata.annotations.started="now"`];
    const h = settled(deleted(OWN));
    const result = deletionCompletes.check(h.build({ reference: REFERENCE, probes: probes(h, writes) }));

    expect(JSON.stringify(result).includes('a fresh copy of it would continue')).toBe(continues);
  });

  it('convicts a target that a restart would help', () => {
    const h = settled(deleted(OWN));

    const result = deletionCompletes.check(
      h.build({ reference: REFERENCE, probes: probes(h, ['patch widgets.example.com/web']) }),
    );

    expect(result).toMatchObject({
      result: 'violated',
      violations: [
        {
          signature: { class: 'never-finished', kind: WIDGETS },
          revisions: [102],
          sentence:
            'controller never releases widgets.example.com/web, which user deleted (version 102): only its own finalizer ' +
            'example.com/cleanup is left, and a fresh copy of it would continue',
        },
      ],
    });
  });

  it('takes a fresh copy that writes something else to the object for one that waits too', () => {
    const h = settled(deleted(OWN));
    const fresh = (path: string): ProbeResult => ({
      ...{ probe: 'fresh-incarnation', writes: ['patch widgets.example.com/web'], settled: true },
      paths: [[path]],
    });
    const judge = (path: string): string =>
      JSON.stringify(
        deletionCompletes.check(h.build({ reference: REFERENCE, probes: [...probes(h, []), fresh(path)] })),
      );

    expect(judge('status.startedAt')).toContain('a restart would not fix it either');
    expect(judge(`metadata.finalizers["${OWN}"]`)).toContain('a fresh copy of it would continue');
  });

  it('only warns of an object that stays undisturbed as well: it may still be in use', () => {
    const h = settled(deleted(OWN));
    const again: ProbeResult = { probe: 'step-by-step', ...ENDED, final: [h.live(WIDGETS, 'web')] };
    const judge = (...more: readonly ProbeResult[]): unknown =>
      deletionCompletes.check(h.build({ reference: REFERENCE, probes: [...probes(h, []).slice(0, 2), ...more] }));

    expect(judge()).toMatchObject({ result: 'violated', needs: [{ probe: 'undisturbed' }] });
    expect(judge({ probe: 'undisturbed', ...ENDED })).toMatchObject({ needs: [{ probe: 'step-by-step' }] });
    expect(judge({ probe: 'undisturbed', ...ENDED }, again)).toMatchObject({
      result: 'violated',
      violations: [{ severity: 'warning', sentence: expect.stringContaining('what still uses it') as string }],
    });
  });

  it('convicts one that a restart would not help when nobody else has changed anything', () => {
    const h = settled(deleted(OWN));

    expect(deletionCompletes.check(h.build({ reference: REFERENCE, probes: probes(h, []) })).result).toBe('violated');
  });

  it('is inconclusive when it may be waiting for what somebody else has changed', () => {
    const h = deleted(OWN);
    h.create('controller', 'configmaps', manifest('ConfigMap', 'web'));
    h.edit('writer-1', 'configmaps', 'web', ['metadata', 'labels'], { keep: 'yes' });
    settled(h);

    expect(deletionCompletes.check(h.build({ reference: REFERENCE, probes: probes(h, []) })).result).toBe(
      'inconclusive',
    );
  });

  it('lets it wait while somebody else keeps the object', () => {
    const h = settled(deleted(OWN, 'backup.example.com/keep'));

    expect(deletionCompletes.check(h.build({ reference: REFERENCE }))).toEqual({ result: 'holds' });
  });

  it('does not convict what only took longer', () => {
    const h = settled(deleted(OWN));

    const history = h.build({ reference: REFERENCE, probes: probes(h, [], []) });

    expect(deletionCompletes.check(history)).toEqual({ result: 'holds' });
  });

  it('is inconclusive without a reference, without rest, and where the references do not finish either', () => {
    const h = settled(deleted(OWN));

    expect(deletionCompletes.check(h.build({ reference: null })).result).toBe('inconclusive');
    const settlement = { result: 'time-exceeded', timeMs: 60_000 } as const;
    expect(deletionCompletes.check(h.build({ reference: REFERENCE, settlement })).result).toBe('inconclusive');
    const never = { ...REFERENCE, deletes: [] };
    expect(deletionCompletes.check(h.build({ reference: never, probes: probes(h, []) })).result).toBe('inconclusive');
  });
});
