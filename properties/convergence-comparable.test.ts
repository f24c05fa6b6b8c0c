/** Whether a run can be compared at all with what a fresh copy produces from its input. */
import { expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { manifest, ownedBy, type HistoryBuilder } from '../harness/oracle/test-history.ts';
import { expected, healthy, judge, probes, run, WIDGETS } from './test-convergence.ts';

const EVENT = 'events/default/web.1';

function event(type: string, name: string): readonly [string, KubeObject] {
  const involvedObject = { kind: 'Widget', namespace: 'default', name };
  return [
    EVENT,
    { ...manifest('Event', 'web.1'), type, involvedObject, reason: 'Invalid', message: 'size: must be 1' },
  ];
}

/** Starts a run that has left a deployment of the widget behind, and in which the target recorded an event. */
function leftBehind(inRun: readonly [string, KubeObject] | undefined): {
  readonly h: HistoryBuilder;
  readonly owner: KubeObject;
} {
  const { h, owner } = run();
  const ownerReferences = [ownedBy(owner)];
  h.create('controller', 'deployments.apps', manifest('Deployment', 'stray', { spec: {} }, { ownerReferences }));
  if (inRun !== undefined) h.create('controller', 'events', inRun[1]);
  return { h, owner };
}

const REFUSED = event('Warning', 'web');

it.each([
  [
    'warns where a fresh copy refuses the input, as the target did',
    REFUSED,
    REFUSED,
    /valid one before \(Invalid: size: must be 1\)$/,
  ],
  ['has another reason where only the fresh copy refuses it', REFUSED, undefined, /a copy started now would/],
  [
    'has another reason where a fresh copy reports what it does',
    event('Normal', 'web'),
    REFUSED,
    /a copy started now would/,
  ],
  [
    'has another reason where a fresh copy refuses another input',
    event('Warning', 'other'),
    REFUSED,
    /a copy started now would/,
  ],
])('%s', (_, said, inRun, sentence) => {
  const { h } = leftBehind(inRun);

  expect(judge(h, [expected(...healthy(), said), ...probes(h)])).toMatchObject({
    violations: [{ sentence: expect.stringMatching(sentence) }],
  });
});

it('convicts where a fresh copy complains of the input, and makes something for it nevertheless', () => {
  const { h, owner } = leftBehind(REFUSED);
  const child = manifest('ConfigMap', 'web', {}, { ownerReferences: [ownedBy(owner)] });
  const made: readonly [string, KubeObject] = ['configmaps/default/web', child];
  h.create('controller', 'configmaps', child);

  expect(judge(h, [expected(...healthy(), REFUSED, made), ...probes(h)])).toMatchObject({
    violations: [{ severity: 'error' }],
  });
});

it.each([
  ['judges what a target left alone that was busy as usual with something else', true, false, 'violated'],
  ['does not judge what it has changed meanwhile', true, true, 'inconclusive'],
  ['does not judge a target that is busier than usual', false, false, 'inconclusive'],
])('%s', (_, ordinary, changed, result) => {
  const { h } = run('Ready', 'old');
  const busy = probes(h, { quiescent: false }).map((probe) => {
    if (probe.probe !== 'extended-settle') return probe;
    const half = { requests: 90, spanMs: 300_000, goesOn: true };
    const final = probe.final.map((object) =>
      changed ? { ...object, metadata: { ...object.metadata, resourceVersion: '999' } } : object,
    );
    return { ...probe, final, laterHalf: ordinary ? { ...half, ordinary } : half };
  });

  expect(judge(h, [expected(...healthy()), ...busy]).result).toBe(result);
});

it('does not judge what the target made in the longer look', () => {
  const { h } = run();
  const busy = probes(h, { quiescent: false }).map((probe) => {
    if (probe.probe !== 'extended-settle') return probe;
    const later = manifest('Deployment', 'other', { spec: {} }, { uid: 'of-the-longer-look' });
    const laterHalf = { requests: 90, spanMs: 300_000, goesOn: true, ordinary: true as const };
    return { ...probe, final: [...probe.final, later], laterHalf };
  });
  h.create('controller', 'deployments.apps', manifest('Deployment', 'stray', { spec: {} }));

  expect(judge(h, [expected(...healthy()), ...busy]).result).toBe('inconclusive');
});

it('takes a target for healed that is busy as usual, once nothing differs', () => {
  const { h } = run('Ready', 'old');
  const fixed = run().h;
  const final = [fixed.live(WIDGETS, 'web'), fixed.live('deployments.apps', 'web')];
  const again = probes(h, { final, quiescent: false }).map((probe) =>
    probe.probe === 'extended-settle'
      ? {
          ...probe,
          names: fixed.build().names,
          laterHalf: { requests: 90, spanMs: 300_000, goesOn: true, ordinary: true as const },
        }
      : probe,
  );

  expect(judge(h, [expected(...healthy()), ...again])).toMatchObject({
    violations: [{ severity: 'warning', signature: { class: 'healed-late' } }],
  });
});

const PORTS: readonly [string, KubeObject] = ['configmaps/default/ports', manifest('ConfigMap', 'ports')];

it.each([
  ['warns of', false, true],
  ['convicts the loss of', true, false],
])(
  '%s what a target made at its start where its own Deployment owns it, as its controller: %s',
  (_, controller, isExcused) => {
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'manager', uid: 'm', controller };
    const ports = manifest('ConfigMap', 'ports', {}, { ownerReferences: [owner] });
    const { h } = run('Ready', 'v1', (before) => void before.create('controller', 'configmaps', ports));
    h.delete('writer-1', 'configmaps', 'ports');
    const final = [h.live(WIDGETS, 'web'), h.live('deployments.apps', 'web')];

    const result = judge(h, [
      expected(...healthy(), PORTS),
      ...probes(h, { writes: ['create configmaps/ports'], final }),
    ]);

    expect(JSON.stringify(result).includes('makes it only when it starts')).toBe(isExcused);
  },
);

it.each([
  ['warns of what a target made at its start and a writer deleted', true, 'writer-1', 'Ready', true],
  ['warns as well if garbage collection ended its deletion', true, 'gc', 'Ready', true],
  ['has another reason if it was made for an object', false, 'writer-1', 'Ready', false],
  ['has another reason if the target deleted it itself', true, 'controller', 'Ready', false],
  ['has another reason if something else differs as well', true, 'writer-1', 'Failed', false],
  ['has another reason if the target tried to make it again', true, 'writer-1', 'Ready', false, 'fails'],
  ['has another reason if the target had made it again before', true, 'writer-1', 'Ready', false, 'works'],
] as const)('%s', (_, atStart, deleter, phase, isExcused, again?: string) => {
  const make = (h: HistoryBuilder): void => void h.create('controller', 'configmaps', PORTS[1]);
  const { h } = run(phase, 'v1', atStart ? make : undefined);
  if (!atStart) make(h);
  h.delete(deleter, 'configmaps', 'ports');
  if (again === 'fails') h.begin('controller', 'create', 'configmaps', 'ports', { body: PORTS[1] }).fail(500);
  if (again === 'works') {
    make(h);
    h.delete(deleter, 'configmaps', 'ports');
  }
  const writes = ['create configmaps/ports', `update ${WIDGETS}/web`];

  const final = [h.live(WIDGETS, 'web'), h.live('deployments.apps', 'web')];

  const result = judge(h, [expected(...healthy(), PORTS), ...probes(h, { writes, final })]);

  expect(result.result).toBe('violated');
  expect(JSON.stringify(result).includes('makes it only when it starts')).toBe(isExcused);
});
