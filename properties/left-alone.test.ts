/** A target whose resync corrects what it missed within the hour is late, not wrong. */
import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { CheckResult } from '../harness/model/check-result.ts';
import type { ProbeResult } from '../harness/model/probe.ts';
import type { HistoryBuilder } from '../harness/oracle/test-history.ts';
import { historyBuilder, manifest } from '../harness/oracle/test-history.ts';
import { convergence } from './convergence.ts';
import { deletionCompletes } from './deletion-completes.ts';
import { expected, healthy, otherCopies, probes, REFERENCE, run, WIDGETS } from './test-convergence.ts';

const ALONE = { aloneMs: 3_600_000 };

function alone({
  h,
  ...over
}: { h: HistoryBuilder } & Partial<Extract<ProbeResult, { probe: 'left-alone' }>>): ProbeResult {
  const { names } = h.build();
  const final = [h.live(WIDGETS, 'web'), h.live('deployments.apps', 'web')];
  return { probe: 'left-alone', ms: 3_600_000, final, names, changedMs: 1_800_000, ...over };
}

/** Nothing has changed. */
const atRest: ProbeResult = { probe: 'left-alone', ms: 3_600_000, final: [], names: {} };

describe('convergence', () => {
  const { h } = run('Ready', 'old');
  const judge = (...more: readonly ProbeResult[]): CheckResult => {
    const list = [expected(...healthy()), ...probes(h), ...more, otherCopies('v1')];
    return convergence.check(h.build({ reference: { ...REFERENCE, ...ALONE }, probes: list }));
  };

  it('asks for it before it starts a fresh copy on the state at the end', () => {
    const [extended] = probes(h);
    const list = [expected(...healthy()), ...(extended === undefined ? [] : [extended])];

    expect(convergence.check(h.build({ reference: { ...REFERENCE, ...ALONE }, probes: list }))).toMatchObject({
      needs: [{ probe: 'left-alone', ms: 3_600_000 }, { probe: 'fresh-incarnation' }],
    });
  });

  it('only warns of what is right after half an hour', () => {
    expect(judge(alone({ h: run().h }))).toMatchObject({
      violations: [
        {
          severity: 'warning',
          signature: { class: 'healed-late' },
          sentence: expect.stringContaining('only after 30 min at rest, by a resync or a poll'),
        },
      ],
    });
  });

  it.each([
    ['what is still wrong then', alone({ h, changedMs: 600_000 })],
    ['a target that does nothing by itself', { ...atRest, ms: 3_600_000 }],
    ['a target that had been replaced', { ...atRest, ms: 0 }],
  ])('convicts %s', (_, probe) => {
    expect(judge(probe)).toMatchObject({ violations: [{ severity: 'error', signature: { class: 'wrong-value' } }] });
  });
});

describe('deletion-completes', () => {
  const OWN = 'example.com/cleanup';
  const deleted = (): HistoryBuilder => {
    const h = historyBuilder();
    h.create('user', WIDGETS, manifest('Widget', 'web', {}, { finalizers: [OWN] }));
    h.phase('contention');
    h.delete('user', WIDGETS, 'web');
    return h.phase('heal').phase('settle').pass(10_000).phase('end');
  };
  const judge = (final: (stuck: KubeObject) => readonly KubeObject[]): CheckResult => {
    const h = deleted();
    const stuck = h.live(WIDGETS, 'web');
    const role = `${WIDGETS}:web`;
    const reference = { ownedLeaves: { [role]: [`metadata.finalizers["${OWN}"]`] }, deletes: [role], ...ALONE };
    const list = [
      { ...alone({ h: run().h }), final: final(stuck) },
      ...probes(h, { final: [stuck], writes: [`update ${WIDGETS}/web`] }),
    ] as const;
    return deletionCompletes.check(h.build({ reference, probes: list }));
  };

  it('only warns of an object that goes away half an hour later', () => {
    expect(judge(() => [])).toMatchObject({
      violations: [
        {
          severity: 'warning',
          sentence:
            'controller releases widgets.example.com/web, which user deleted (version 102), only after 30 min at rest, by a resync or a poll',
        },
      ],
    });
  });

  it('convicts if it is still there', () => {
    expect(judge((stuck) => [stuck])).toMatchObject({ violations: [{ severity: 'error' }] });
  });
});
