import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ProbeResult } from '../harness/model/probe.ts';
import type { Reference } from '../harness/model/reference.ts';
import { specHash } from '../harness/model/spec-hash.ts';
import type { HistoryBuilder } from '../harness/oracle/test-history.ts';
import { historyBuilder, manifest, ownedBy } from '../harness/oracle/test-history.ts';
import { oneActiveLeader } from './one-active-leader.ts';

const WIDGETS = 'widgets.example.com';
const LEASES = 'leases.coordination.k8s.io';
const WIDGET = manifest('Widget', 'web', { spec: { replicas: 1 } });
const REFERENCE: Partial<Reference> = {
  children: [{ owner: `${WIDGETS}:web`, role: 'pods:web/worker', maxBySpec: { [specHash(WIDGET)]: 1 }, surges: false }],
  healthySpecs: [specHash(WIDGET)],
};

function lease(holder: string): KubeObject {
  return manifest('Lease', 'leader', {
    spec: { holderIdentity: holder, renewTime: '2026-01-01T00:00:00Z', leaseDurationSeconds: 15 },
  });
}

/** Builds a history of two replicas that have both read the owner. */
function two(): { h: HistoryBuilder; owner: KubeObject } {
  const h = historyBuilder();
  const owner = h.create('user', WIDGETS, WIDGET);
  h.phase('contention');
  for (const actor of ['controller', 'controller~2']) h.get(actor, WIDGETS, 'web');
  return { h, owner };
}

function make(h: HistoryBuilder, actor: string, owner: KubeObject): void {
  const { name: _, ...metadata } = manifest('Pod', '').metadata;
  h.create(actor, 'pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, generateName: 'web-worker-', ownerReferences: [ownedBy(owner)] },
  });
}

/** Lets the other replica take over the lease. */
function handOver(h: HistoryBuilder): void {
  h.create('controller', LEASES, lease('one'));
  h.pass(16_000);
  h.edit('controller~2', LEASES, 'leader', ['spec', 'holderIdentity'], 'two');
}

/** Undisturbed, the target keeps no children but those that the spec asks for. */
const ALONE: readonly ProbeResult[] = [{ probe: 'step-by-step', settled: true, final: [], names: {}, expected: [] }];

describe('one-active-leader', () => {
  it('accepts two replicas of which one makes what is asked for', () => {
    const { h, owner } = two();
    make(h, 'controller', owner);

    expect(oneActiveLeader.check(h.build({ reference: REFERENCE, probes: ALONE }))).toEqual({ result: 'holds' });
  });

  it('convicts two that each make one for a spec that asks for one', () => {
    const { h, owner } = two();
    make(h, 'controller', owner);
    make(h, 'controller~2', owner);

    expect(oneActiveLeader.check(h.build({ reference: REFERENCE, probes: ALONE }))).toMatchObject({
      result: 'violated',
      violations: [
        {
          signature: { property: 'one-active-leader', class: 'too-many-children', kind: 'pods' },
          sentence: expect.stringMatching(/; controller~2 and controller were both at work$/),
        },
      ],
    });
  });

  it('leaves to the others what one does alone, and what a successor does after a crash', () => {
    const alone = two();
    make(alone.h, 'controller', alone.owner);
    make(alone.h, 'controller', alone.owner);
    expect(oneActiveLeader.check(alone.h.build({ reference: REFERENCE, probes: ALONE }))).toEqual({ result: 'holds' });

    const h = historyBuilder();
    const owner = h.create('user', WIDGETS, WIDGET);
    h.phase('contention');
    make(h, 'controller', owner);
    h.process('controller', 'crashed');
    make(h, 'controller~2', owner);
    expect(oneActiveLeader.check(h.build({ reference: REFERENCE, probes: ALONE }))).toEqual({ result: 'holds' });
  });

  it('does not blame the leader for what one without the lock did before', () => {
    const { h, owner } = two();
    h.create('controller~2', LEASES, lease('two'));
    make(h, 'controller', owner);
    make(h, 'controller~2', owner);

    expect(oneActiveLeader.check(h.build({ reference: REFERENCE, probes: ALONE }))).toEqual({ result: 'holds' });
  });

  it('convicts a write that begins long after the lock was lost', () => {
    const { h } = two();
    handOver(h);
    h.pass(11_000);
    h.patch('controller', WIDGETS, 'web', { status: { phase: 'Ready' } }, { subresource: 'status' });

    expect(oneActiveLeader.check(h.build({ reference: REFERENCE, probes: ALONE }))).toMatchObject({
      result: 'violated',
      violations: [
        {
          signature: { class: 'wrote-after-loss', kind: WIDGETS },
          revisions: [103, 104],
          sentence:
            'controller wrote widgets.example.com/web (version 104) 11 s after controller~2 had taken ' +
            'leases.coordination.k8s.io/leader from it (version 103)',
        },
      ],
    });
  });

  it('allows writes within the deadline, those begun before, and those about a replica’s own things', () => {
    const { h } = two();
    const early = h.begin('controller', 'patch', WIDGETS, 'web', {
      body: { status: { phase: 'Ready' } },
      contentType: 'application/merge-patch+json',
      subresource: 'status',
    });
    handOver(h);
    h.pass(9_000);
    h.patch('controller', WIDGETS, 'web', { status: { phase: 'Busy' } }, { subresource: 'status' });
    h.pass(9_000);
    early.answer();
    h.create('controller', 'secrets', manifest('Secret', 'webhook-certificate'));

    expect(oneActiveLeader.check(h.build({ reference: REFERENCE, probes: ALONE }))).toEqual({ result: 'holds' });
  });

  it('allows writes of one that has won the lock back', () => {
    const { h } = two();
    handOver(h);
    h.edit('controller', LEASES, 'leader', ['spec', 'holderIdentity'], 'one');
    h.pass(11_000);
    h.patch('controller', WIDGETS, 'web', { status: { phase: 'Ready' } }, { subresource: 'status' });

    expect(oneActiveLeader.check(h.build({ reference: REFERENCE, probes: ALONE }))).toEqual({ result: 'holds' });
  });

  it('is inconclusive about two replicas when no reference says how many children there may be', () => {
    const { h, owner } = two();
    make(h, 'controller', owner);

    expect(oneActiveLeader.check(h.build({ reference: null })).result).toBe('inconclusive');
  });
});
