import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { CheckResult } from '../harness/model/check-result.ts';
import type { ProbeResult } from '../harness/model/probe.ts';
import type { Reference } from '../harness/model/reference.ts';
import { specHash } from '../harness/model/spec-hash.ts';
import type { HistoryBuilder } from '../harness/oracle/test-history.ts';
import { historyBuilder, manifest, ownedBy } from '../harness/oracle/test-history.ts';
import { cardinality } from './cardinality.ts';

const WIDGETS = 'widgets.example.com';

/** Undisturbed, the target keeps no children but those that the spec asks for. */
const ALONE: readonly ProbeResult[] = [{ probe: 'step-by-step', settled: true, final: [], names: {}, expected: [] }];

function widget(replicas: number): KubeObject {
  return manifest('Widget', 'web', { spec: { replicas } });
}

function reference(asked: { readonly [replicas: number]: number }, surges = false): Partial<Reference> {
  const maxBySpec = Object.fromEntries(
    Object.entries(asked).map(([replicas, max]) => [specHash(widget(Number(replicas))), max]),
  );
  return {
    children: [{ owner: `${WIDGETS}:web`, role: 'pods:web/worker', maxBySpec, surges }],
    healthySpecs: [1, 2, 3, 5].map((replicas) => specHash(widget(replicas))),
  };
}

function started(replicas: number): { h: HistoryBuilder; owner: KubeObject } {
  const h = historyBuilder();
  const owner = h.create('user', WIDGETS, widget(replicas));
  h.deliver('controller', WIDGETS);
  h.phase('contention');
  return { h, owner };
}

function worker(owner: KubeObject): KubeObject {
  const { name: _, ...metadata } = manifest('Pod', '').metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, generateName: 'web-worker-', ownerReferences: [ownedBy(owner)] },
  };
}

function make(h: HistoryBuilder, owner: KubeObject, actor = 'controller'): KubeObject {
  return h.create(actor, 'pods', worker(owner));
}

describe('cardinality', () => {
  it('accepts as many children as the spec asks for', () => {
    const { h, owner } = started(2);
    make(h, owner);
    make(h, owner);

    expect(cardinality.check(h.build({ reference: reference({ 2: 2 }), probes: ALONE }))).toEqual({ result: 'holds' });
  });

  it('convicts one more, made from a list that lacked the first, even when it is removed later', () => {
    const { h, owner } = started(1);
    const first = make(h, owner);
    h.process('controller', 'crashed');
    const second = make(h, owner, 'controller~2');
    h.deliver('controller~2', 'pods');
    h.delete('controller~2', 'pods', second.metadata.name ?? '');

    const result = cardinality.check(h.build({ reference: reference({ 1: 1 }), probes: ALONE }));

    expect(result).toMatchObject({
      result: 'violated',
      violations: [
        {
          signature: { class: 'too-many-children', actors: ['target'], kind: 'pods', field: '' },
          revisions: [Number(first.metadata.resourceVersion), Number(second.metadata.resourceVersion)],
          sentence:
            'controller~2 created pods/web/worker~1 (version 103) as number 2 of at most 1 for widgets.example.com/web: ' +
            'it had seen 0 of the 1 that existed and missed version 102',
        },
      ],
    });
  });

  it.each([
    ['counts a child that runs on a node by now', 'Running', 'violated'],
    ['does not count a child that has ended', 'Failed', 'holds'],
  ])('%s', (_, phase, result) => {
    const { h, owner } = started(1);
    const first = make(h, owner).metadata.name ?? '';
    h.edit('workloads', 'pods', first, ['spec', 'nodeName'], 'node-1');
    h.edit('workloads', 'pods', first, ['status', 'phase'], phase, 'status');
    make(h, owner);

    expect(cardinality.check(h.build({ reference: reference({ 1: 1 }), probes: ALONE }))).toMatchObject({ result });
  });

  it('says of what the target had received whether only its own answers told it', () => {
    const { h, owner } = started(2);
    make(h, owner);
    h.deliver('controller', 'pods');
    make(h, owner);
    make(h, owner);

    expect(cardinality.check(h.build({ reference: reference({ 2: 2 }), probes: ALONE }))).toMatchObject({
      violations: [
        {
          sentence: expect.stringContaining(
            'it had received all 2 that existed, 1 of them only in the answers to its own creates',
          ) as string,
        },
      ],
    });
  });

  it.each([
    ['counts the children of an only owner that is not named as their controller', 1, 'violated'],
    ['does not know whose those of several such owners are', 2, 'holds'],
  ])('%s', (_, owners, expected) => {
    const { h, owner } = started(1);
    const { controller: _controller, ...plain } = ownedBy(owner);
    const others = Array.from({ length: owners - 1 }, (__, n) => ({ ...plain, name: `other-${n}`, uid: `other-${n}` }));
    const child = worker(owner);
    const shared = { ...child, metadata: { ...child.metadata, ownerReferences: [plain, ...others] } };
    h.create('controller', 'pods', shared);
    h.create('controller', 'pods', shared);

    expect(cardinality.check(h.build({ reference: reference({ 1: 1 }), probes: ALONE })).result).toBe(expected);
  });

  it('allows what an older spec asked for, and what a spec asks for that was not delivered yet', () => {
    const { h, owner } = started(3);
    make(h, owner);
    h.edit('user', WIDGETS, 'web', ['spec', 'replicas'], 1);
    make(h, owner);
    h.edit('user', WIDGETS, 'web', ['spec', 'replicas'], 5);
    for (let n = 0; n < 3; n++) make(h, owner);

    const asked = reference({ 3: 3, 5: 5 });
    expect(cardinality.check(h.build({ reference: asked, probes: ALONE })).result).toBe('holds');
    make(h, owner);
    expect(cardinality.check(h.build({ reference: asked, probes: ALONE })).result).toBe('violated');
  });

  it('allows one more per lost response until the child was seen', () => {
    const { h, owner } = started(1);
    h.begin('controller', 'create', 'pods', '', { body: worker(owner) }).lose();
    make(h, owner);

    expect(cardinality.check(h.build({ reference: reference({ 1: 1 }), probes: ALONE })).result).toBe('holds');
    make(h, owner);
    expect(cardinality.check(h.build({ reference: reference({ 1: 1 }), probes: ALONE })).result).toBe('violated');
  });

  it('allows nothing more once the child behind a lost response was delivered', () => {
    const { h, owner } = started(1);
    h.begin('controller', 'create', 'pods', '', { body: worker(owner) }).lose();
    h.deliver('controller', 'pods');
    make(h, owner);

    expect(cardinality.check(h.build({ reference: reference({ 1: 1 }), probes: ALONE })).result).toBe('violated');
  });

  it.each([
    ['allows', 'holds', () => {}],
    ['does not allow, after another read,', 'violated', (h: HistoryBuilder) => h.list('controller', 'pods')],
  ] as const)('%s two of one go where the child behind a lost response comes in between', (_, result, between) => {
    const { h, owner } = started(2);
    h.begin('controller', 'create', 'pods', '', { body: worker(owner) }).lose();
    h.list('controller', WIDGETS);
    make(h, owner);
    h.deliver('controller', 'pods');
    between(h);
    make(h, owner);

    expect(cardinality.check(h.build({ reference: reference({ 2: 2 }), probes: ALONE })).result).toBe(result);
  });

  it('does not count children that are terminating, deleted, orphaned or on their way out', () => {
    const { h, owner } = started(1);
    const gone = make(h, owner);
    h.delete('writer-1', 'pods', gone.metadata.name ?? '');
    const orphan = make(h, owner);
    h.edit('writer-1', 'pods', orphan.metadata.name ?? '', ['metadata', 'ownerReferences'], []);
    const relabelled = make(h, owner);
    h.edit('writer-1', 'pods', relabelled.metadata.name ?? '', ['metadata', 'labels', 'app'], 'other');
    const deleting = make(h, owner);
    const underWay = h.begin('controller', 'delete', 'pods', deleting.metadata.name ?? '');
    make(h, owner);
    underWay.answer();

    expect(cardinality.check(h.build({ reference: reference({ 1: 1 }), probes: ALONE })).result).toBe('holds');
  });

  it('counts children that somebody only annotated', () => {
    const { h, owner } = started(1);
    const first = make(h, owner);
    h.edit('writer-1', 'pods', first.metadata.name ?? '', ['metadata', 'annotations', 'note'], 'x');
    make(h, owner);

    expect(cardinality.check(h.build({ reference: reference({ 1: 1 }), probes: ALONE })).result).toBe('violated');
  });

  it('counts by owner: the children of a recreated one start anew', () => {
    const { h, owner } = started(1);
    make(h, owner);
    h.delete('user', WIDGETS, 'web');
    const again = h.create('user', WIDGETS, widget(1));
    make(h, again);

    expect(cardinality.check(h.build({ reference: reference({ 1: 1 }), probes: ALONE })).result).toBe('holds');
  });

  it('claims nothing where the references surged themselves', () => {
    const { h, owner } = started(1);
    make(h, owner);
    make(h, owner);

    expect(cardinality.check(h.build({ reference: reference({ 1: 1 }, true), probes: ALONE })).result).toBe('holds');
  });

  it('claims nothing for a spec that no reference tried', () => {
    const { h, owner } = started(1);
    h.edit('user', WIDGETS, 'web', ['spec', 'replicas'], 99);
    make(h, owner);
    make(h, owner);

    expect(cardinality.check(h.build({ reference: reference({ 1: 1 }), probes: ALONE })).result).toBe('holds');
  });

  it('has no opinion without a reference', () => {
    const { h } = started(1);

    expect(cardinality.check(h.build({ reference: null, probes: ALONE })).result).toBe('inconclusive');
  });

  it('accepts as many as the target keeps after the same operations, made one by one at rest', () => {
    const { h, owner } = started(1);
    make(h, owner);
    make(h, owner);
    const kept = (count: number, replicas = 1): readonly ProbeResult[] => {
      const pods = Array.from({ length: count }, (_, number) => ({
        ...worker(owner),
        metadata: { ...worker(owner).metadata, name: `web-worker-${number}`, uid: `kept-${number}` },
      }));
      const numbered = pods.map(({ metadata }, number) => [metadata.uid, `web/worker~${number}`]);
      const names = Object.fromEntries([[owner.metadata.uid ?? '', 'web'], ...numbered]) as { [uid: string]: string };
      const final = [{ ...owner, ...widget(replicas), metadata: owner.metadata }, ...pods];
      return [{ probe: 'step-by-step', settled: true, final, names, expected: [] }];
    };
    const check = (probes: readonly ProbeResult[]): CheckResult =>
      cardinality.check(h.build({ reference: reference({ 1: 1, 3: 3 }), probes }));

    expect(check([])).toMatchObject({ result: 'violated', needs: [{ probe: 'step-by-step' }] });
    expect(check(kept(1))).toMatchObject({ result: 'violated' });
    expect(check(kept(1))).not.toHaveProperty('needs');
    expect(check(kept(2))).toEqual({ result: 'holds' });
    // A later spec asks for three.
    expect(check(kept(3, 3))).toMatchObject({ result: 'violated' });
    expect(check(kept(4, 3))).toEqual({ result: 'holds' });
  });
});
