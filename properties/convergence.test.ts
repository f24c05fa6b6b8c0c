import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { setAt } from '../harness/model/edit.ts';
import type { Settlement } from '../harness/model/history.ts';
import type { ProbeResult } from '../harness/model/probe.ts';
import type { HistoryBuilder } from '../harness/oracle/test-history.ts';
import { historyBuilder, manifest, ownedBy } from '../harness/oracle/test-history.ts';
import { convergence } from './convergence.ts';
import {
  WIDGETS,
  REFERENCE,
  run,
  expected,
  healthy,
  otherCopies,
  probes,
  judge,
  undisturbed,
} from './test-convergence.ts';

describe('convergence', () => {
  it('accepts the state that a fresh target makes, whatever varies by nature, by clock or by generation', () => {
    const { h } = run();
    const [widget, deployment] = healthy();
    if (widget === undefined || deployment === undefined) throw new Error('two objects');
    let other = setAt(widget[1], ['status', 'since'], '2027-05-05T05:05:05Z');
    other = setAt(setAt(other, ['metadata', 'generation'], 4), ['status', 'observedGeneration'], 4);

    expect(judge(h, [expected([widget[0], other], deployment)])).toEqual({ result: 'holds' });
  });

  it('does not compare what others wrote', () => {
    const { h } = run();
    const [widget, deployment] = healthy();
    if (widget === undefined || deployment === undefined) throw new Error('two objects');
    const other = setAt(widget[1], ['metadata', 'annotations'], { note: 'by a writer' });

    expect(judge(h, [expected([widget[0], other], deployment)]).result).toBe('holds');
  });

  it('asks for the expected state first', () => {
    expect(judge(run().h, [])).toMatchObject({ result: 'inconclusive', needs: [{ probe: 'expected-state' }] });
  });

  it('asks for more time and a second witness before it accuses', () => {
    expect(judge(run('Ready', 'old').h, [expected(...healthy())])).toMatchObject({
      result: 'inconclusive',
      reason:
        'at the end "spec.image" of deployments.apps is not what a fresh copy of the target sets; could not determine whether more time or a restart fixes that',
      needs: [{ probe: 'extended-settle', windowMs: 120_000 }, { probe: 'fresh-incarnation' }],
    });
  });

  it('asks what other fresh copies make of the input before it is believed', () => {
    const { h } = run('Ready', 'old');
    const seen = [expected(...healthy()), ...probes(h)];

    expect(judge(h, seen)).toMatchObject({ result: 'violated', needs: [{ probe: 'other-copies' }] });
    const believed = judge(h, [...seen, otherCopies('v1', 'v1')]);
    expect(believed).toMatchObject({ result: 'violated', violations: [{ severity: 'error' }] });
    expect(believed).not.toHaveProperty('needs');
  });

  it('does not compare what the target draws at random', () => {
    const { h } = run('Ready', 'zone-c');

    expect(judge(h, [expected(...healthy()), ...probes(h), otherCopies('v1', 'zone-b')])).toEqual({ result: 'holds' });
  });

  it('convicts a wrong value when a fresh incarnation would change it', () => {
    const { h } = run('Ready', 'old');

    expect(judge(h, [expected(...healthy()), ...probes(h)])).toMatchObject({
      result: 'violated',
      violations: [
        {
          severity: 'error',
          signature: { class: 'wrong-value', kind: 'deployments.apps', field: 'spec.image', actors: ['target'] },
          sentence:
            'controller leaves deployments.apps/web with spec.image "old", where a fresh copy sets "v1": ' +
            'a copy started now would update deployments.apps/web',
        },
      ],
    });
  });

  it.each([
    ['as they were written', { phase: 'Ready', child: 'a', observedGeneration: 1 }],
    ['sorted', { child: 'a', observedGeneration: 1, phase: 'Ready' }],
  ])('names a finding alike whatever the order of its fields, %s', (_, status) => {
    const { h, owner } = run();
    h.update('controller', WIDGETS, { ...owner, status: {} }, 'status');
    const fresh = expected([`${WIDGETS}/default/web`, { ...owner, status }], ...healthy().slice(1));

    expect(judge(h, [fresh, ...probes(h)])).toMatchObject({
      violations: [{ signature: { class: 'wrong-value', field: 'status.child' } }],
    });
  });

  it('convicts a missing object', () => {
    const { h } = run();
    h.delete('writer-1', 'deployments.apps', 'web');

    const result = judge(h, [expected(...healthy()), ...probes(h, { final: [h.live(WIDGETS, 'web')] })]);

    expect(result).toMatchObject({
      violations: [{ signature: { class: 'missing-object', kind: 'deployments.apps', field: '' } }],
    });
  });

  it.each([
    ['one of a kind that was there before', true],
    ['the first of its kind', false],
  ])('knows a child that only the longer run has by its owner, whatever the uids are: %s', (_, before) => {
    const reference = {
      ownedLeaves: { 'pods:web-0': ['metadata.ownerReferences[uid=*].name', 'metadata.ownerReferences[uid=*].uid'] },
    };
    const withChild = (strangers: number): HistoryBuilder => {
      const other = historyBuilder();
      for (let n = 0; n < strangers; n++) other.create('user', 'configmaps', manifest('ConfigMap', `other-${n}`));
      const owner = other.create('user', WIDGETS, manifest('Widget', 'web'));
      other.create('controller', 'pods', manifest('Pod', 'web-0', {}, { ownerReferences: [ownedBy(owner)] }));
      return other;
    };
    const h = historyBuilder();
    h.create('user', WIDGETS, manifest('Widget', 'web'));
    if (before) {
      h.create('controller', 'pods', manifest('Pod', 'web-1'));
      h.delete('controller', 'pods', 'web-1');
    }
    h.phase('contention').phase('heal').phase('settle').pass(30_000).phase('end');
    const longer = withChild(0);
    const fresh = withChild(3);
    const list = [
      expected(
        [`${WIDGETS}/default/web`, fresh.live(WIDGETS, 'web')],
        ['pods/default/web-0', fresh.live('pods', 'web-0')],
      ),
      ...probes(h, { final: [longer.live(WIDGETS, 'web'), longer.live('pods', 'web-0')] }).map((probe) =>
        probe.probe === 'extended-settle' ? { ...probe, names: longer.build().names } : probe,
      ),
    ];

    expect(convergence.check(h.build({ reference, probes: list }))).toMatchObject({
      violations: [{ severity: 'warning', signature: { class: 'healed-late' } }],
    });
  });

  it.each([
    ['holds for a third child whose content varies as that of the first two does', 'password', 'holds'],
    ['does not excuse what does not vary there', 'user', 'inconclusive'],
  ])('%s', (_, field, result) => {
    const child = (name: string): string => `secrets:${name}`;
    const reference = {
      ownedLeaves: { [child('web-0')]: [`data.${field}`], [child('web-1')]: [`data.${field}`] },
      volatileLeaves: { [child('web-0')]: ['data.password'], [child('web-1')]: ['data.password'] },
      children: ['web-0', 'web-1'].map((name) => ({
        owner: `${WIDGETS}:web`,
        role: child(name),
        maxBySpec: {},
        surges: false,
      })),
    };
    const ends = (value: string): HistoryBuilder => {
      const h = historyBuilder();
      const owner = h.create('user', WIDGETS, manifest('Widget', 'web'));
      const data = { data: { [field]: value } };
      h.create('controller', 'secrets', manifest('Secret', 'web-2', data, { ownerReferences: [ownedBy(owner)] }));
      return h.phase('contention').phase('heal').phase('settle').pass(30_000).phase('end');
    };
    const fresh = ends('drawn anew');
    const state = expected(
      [`${WIDGETS}/default/web`, fresh.live(WIDGETS, 'web')],
      ['secrets/default/web-2', fresh.live('secrets', 'web-2')],
    );

    expect(convergence.check(ends('drawn once').build({ reference, probes: [state] })).result).toBe(result);
  });

  it.each([
    [['deployments.apps'], ' again'],
    [['deployments.apps', 'secrets'], ' again, nor is that of secrets'],
  ])('names the cause when watches of %o ended and were not opened again', (resources, end) => {
    const { h } = run('Ready', 'old');
    const streamEnds = resources.map((resource) => {
      const { label } = h.call('controller', 'watch', resource, '');
      return { actor: 'controller', stream: label, resource, why: 'closed' as const, ...h.mark() };
    });
    const list = [expected(...healthy()), ...probes(h)];
    const deaf = convergence.check(h.build({ reference: REFERENCE, probes: list, streamEnds }));
    for (const resource of resources) h.call('controller', 'watch', resource, '');
    const hearing = convergence.check(h.build({ reference: REFERENCE, probes: list, streamEnds }));

    const [told] = deaf.result === 'violated' ? deaf.violations : [];
    expect(told?.signature).toMatchObject({ class: 'stopped-watching', kind: 'deployments.apps', field: '' });
    expect(told?.sentence).toContain(`; its watch of deployments.apps ended (closed) and is not open${end}`);
    expect(hearing).toMatchObject({ violations: [{ signature: { class: 'wrong-value' } }] });
  });

  it('convicts an object that is left behind', () => {
    const { h } = run();
    h.create('controller', 'deployments.apps', manifest('Deployment', 'stray', { spec: {} }));

    expect(judge(h, [expected(...healthy()), ...probes(h)])).toMatchObject({
      violations: [{ signature: { class: 'extra-object', kind: 'deployments.apps' } }],
    });
  });

  it('names the write that ended a clean-up too early', () => {
    const { h } = run('Ready', 'v1', (before) => {
      before.create('user', WIDGETS, manifest('Widget', 'old', { spec: {} }));
      before.edit('controller', WIDGETS, 'old', ['metadata', 'finalizers'], ['example.com/clean-up']);
      before.create(
        'controller',
        'deployments.apps',
        manifest('Deployment', 'stray', { spec: {} }, { labels: { of: 'old' } }),
      );
      before.delete('user', WIDGETS, 'old');
      before.edit('controller', WIDGETS, 'old', ['metadata', 'finalizers'], []);
    });
    const { operations } = h.build();
    const released = operations.findLast(({ name, verb }) => name === 'old' && verb === 'update');

    const result = judge(h, [expected(...healthy()), ...probes(h)]);

    const [violation] = result.result === 'violated' ? result.violations : [];
    expect(violation?.signature).toMatchObject({ class: 'extra-object', kind: 'deployments.apps' });
    expect(violation?.operations[0]).toBe(released?.id);
    expect(violation?.sentence).toMatch(
      /; controller removed its finalizer from widgets\.example\.com\/old \(version \d+\) while it was there$/,
    );
  });

  it('says of an object that was deleted that it is not made again', () => {
    const { h } = run();
    const [deployment] = healthy().slice(-1);
    h.delete('writer-1', 'deployments.apps', 'web');

    const result = judge(h, [expected(...healthy().slice(0, -1), ...(deployment ? [deployment] : [])), ...probes(h)]);

    const [violation] = result.result === 'violated' ? result.violations : [];
    expect(violation?.sentence).toMatch(
      /^controller does not make deployments\.apps\/web again, which writer-1 deleted \(version \d+\)/,
    );
  });

  it('asks for an undisturbed run when a fresh incarnation is content with the state', () => {
    const { h } = run('Ready', 'old');

    for (const writes of [[], ['create events/x reason="Started"']]) {
      expect(judge(h, [expected(...healthy()), ...probes(h, { writes })])).toMatchObject({
        result: 'inconclusive',
        needs: [{ probe: 'undisturbed' }],
      });
    }
  });

  it('only warns when the result depends on the path taken even undisturbed', () => {
    const { h } = run('Ready', 'old');
    const list = [expected(...healthy()), ...probes(h, { writes: [] }), undisturbed('third', 'v1')];

    expect(judge(h, list)).toMatchObject({
      violations: [{ severity: 'warning', signature: { class: 'path-dependent' } }],
    });
  });

  it('convicts a state that a restart would not fix, where undisturbed it is a function of the input', () => {
    const { h } = run('Ready', 'old');
    const others = [undisturbed('v2', 'v2'), undisturbed('v2', 'v2', 'step-by-step')];
    const list = [expected(...healthy()), ...probes(h, { writes: [] }), ...others];

    expect(judge(h, list)).toMatchObject({
      violations: [{ severity: 'error', signature: { class: 'wrong-value', field: 'spec.image' } }],
    });
  });

  it('only warns when it heals after more than the settle window', () => {
    const { h } = run('Ready', 'old');
    const final = healthy().map(([, object]) => object);

    expect(judge(h, [expected(...healthy()), ...probes(h, { final })])).toMatchObject({
      violations: [{ severity: 'warning', signature: { class: 'healed-late' } }],
    });
  });

  it('does not judge what the target carried back of others: that is a lost update', () => {
    const { h } = run();
    const before = h.get('controller', 'deployments.apps', 'web');
    h.edit('writer-1', 'deployments.apps', 'web', ['metadata', 'annotations'], { note: 'once' });
    const { resourceVersion: _, ...metadata } = before.metadata;
    h.edit('writer-1', 'deployments.apps', 'web', ['metadata', 'annotations'], { note: 'twice' });
    h.update('controller', 'deployments.apps', { ...before, metadata: { ...metadata, annotations: { note: 'once' } } });

    expect(judge(h, [expected(...healthy())]).result).toBe('holds');
  });

  it('does not wait for the end of what others keep, by a finalizer or as owners', () => {
    const { h } = run();
    h.create('controller', 'deployments.apps', manifest('Deployment', 'stray', { spec: {} }));
    h.append('writer-1', 'deployments.apps', 'stray', ['metadata', 'finalizers'], 'foreign/f');

    expect(judge(h, [expected(...healthy())]).result).toBe('holds');
  });

  it('accepts any of several allowed outcomes', () => {
    const { h } = run('Ready', 'old');
    const one = expected(...healthy());
    const other = {
      objects: Object.fromEntries(
        healthy().map(([key, object]) => [
          key,
          key.startsWith('dep') ? setAt(object, ['spec', 'image'], 'old') : object,
        ]),
      ),
    };
    if (one.probe !== 'expected-state') throw new Error('made as such');

    expect(judge(h, [{ ...one, outcomes: [...one.outcomes, other] }]).result).toBe('holds');
  });

  describe('generated names', () => {
    function workers(order: readonly string[]): HistoryBuilder {
      const h = historyBuilder();
      const owner = h.create('user', WIDGETS, manifest('Widget', 'web', { spec: {}, status: {} }));
      h.phase('contention');
      for (const image of order) {
        const pod = manifest(
          'Pod',
          '',
          { spec: { image } },
          { generateName: 'web-worker-', ownerReferences: [ownedBy(owner)] },
        );
        const { name: _, ...metadata } = pod.metadata;
        const made = h.create('controller', 'pods', { ...pod, metadata });
        if (image === 'gone') h.delete('controller', 'pods', made.metadata.name ?? '');
        else
          h.patch(
            'controller',
            WIDGETS,
            'web',
            { status: { child: made.metadata.name ?? '' } },
            { subresource: 'status' },
          );
      }
      h.phase('settle').pass(30_000).phase('end');
      return h;
    }

    function stateOf(h: HistoryBuilder): ProbeResult {
      const { names, revisions } = h.build();
      const objects: { [key: string]: KubeObject } = {};
      for (const { resource, uid, object, type } of revisions) {
        const key = `${resource}/default/${names[uid] ?? ''}`;
        if (type === 'DELETED') delete objects[key];
        else objects[key] = object;
      }
      return { probe: 'expected-state', settled: true, outcomes: [{ objects }] };
    }

    it('are matched by owner, role and order, in values as well', () => {
      expect(judge(workers(['gone', 'a', 'b']), [stateOf(workers(['a', 'b']))])).toEqual({ result: 'holds' });
    });

    it('do not hide one too many', () => {
      const h = workers(['a', 'b', 'b']);
      expect(judge(h, [stateOf(workers(['a', 'b'])), ...probes(h)])).toMatchObject({
        violations: [{ signature: { class: 'extra-object', kind: 'pods' } }],
      });
    });
  });

  describe('inconclusive', () => {
    it('when the run never came to rest', () => {
      for (const result of ['steps-exceeded', 'hot-instant'] as const) {
        expect(judge(run().h, [expected(...healthy())], { result, steps: 400 }).result).toBe('inconclusive');
      }
      expect(judge(run().h, [], { result: 'never-started', detail: 'x' }).result).toBe('inconclusive');
    });

    it('when the extended settle ended without rest', () => {
      const { h } = run('Ready', 'old');

      expect(judge(h, [expected(...healthy()), ...probes(h, { quiescent: false })]).result).toBe('inconclusive');
    });

    it('when a fresh target did not settle either', () => {
      expect(judge(run().h, [{ probe: 'expected-state', settled: false, outcomes: [] }]).result).toBe('inconclusive');
    });

    it('while a back-off may be pending that no settle can outlast', () => {
      const { h } = run('Ready', 'old');
      h.call('controller', 'update', 'deployments.apps', 'nothing', { body: {} });
      h.pass(900_000);
      h.call('controller', 'update', 'deployments.apps', 'nothing', { body: {} });

      expect(judge(h, [expected(...healthy())])).toMatchObject({
        result: 'inconclusive',
        reason:
          'the target has failed so often that its next retry may come later than the run waits: it may still fix this',
      });
    });

    it('without a reference', () => {
      expect(convergence.check(run().h.build({ reference: null })).result).toBe('inconclusive');
    });
  });

  it('settles for longer than the back-off that failures have earned', () => {
    const { h } = run('Ready', 'old');
    h.call('controller', 'update', 'deployments.apps', 'nothing', { body: {} });
    h.pass(100_000);
    h.call('controller', 'update', 'deployments.apps', 'nothing', { body: {} });

    expect(judge(h, [expected(...healthy())])).toMatchObject({
      needs: [{ probe: 'extended-settle', windowMs: 250_000 }, {}],
    });
  });

  it('judges a target that polls as it does in the references', () => {
    const { h } = run();
    const settlement: Settlement = { result: 'time-exceeded', timeMs: 180_000 };

    expect(judge(h, [expected(...healthy())], settlement).result).toBe('holds');
  });
});
