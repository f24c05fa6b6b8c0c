/** Whether a run, and what a fresh copy makes of its input, can be compared at all. */
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

it.each([
  [
    'warns where a fresh copy refuses the input',
    event('Warning', 'web'),
    'warning',
    /valid one before \(Invalid: size: must be 1\)$/,
  ],
  ['convicts where a fresh copy only reports what it does', event('Normal', 'web'), 'error', /behind/],
  ['convicts where a fresh copy refuses another input', event('Warning', 'other'), 'error', /behind/],
])('%s', (_, said, severity, sentence) => {
  const { h, owner } = run();
  const ownerReferences = [ownedBy(owner)];
  h.create('controller', 'deployments.apps', manifest('Deployment', 'stray', { spec: {} }, { ownerReferences }));

  expect(judge(h, [expected(...healthy(), said), ...probes(h)])).toMatchObject({
    violations: [{ severity, sentence: expect.stringMatching(sentence) }],
  });
});

it('convicts where a fresh copy complains of the input, and makes something for it nevertheless', () => {
  const { h, owner } = run();
  const ownerReferences = [ownedBy(owner)];
  h.create('controller', 'deployments.apps', manifest('Deployment', 'stray', { spec: {} }, { ownerReferences }));
  const child = manifest('ConfigMap', 'web', {}, { ownerReferences });
  const made: readonly [string, KubeObject] = ['configmaps/default/web', child];
  h.create('controller', 'configmaps', child);

  expect(judge(h, [expected(...healthy(), event('Warning', 'web'), made), ...probes(h)])).toMatchObject({
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
  ['warns of what a target made at its start and a writer deleted', true, 'writer-1', 'Ready', true],
  ['warns as well if garbage collection ended its deletion', true, 'gc', 'Ready', true],
  ['has another reason if it was made for an object', false, 'writer-1', 'Ready', false],
  ['has another reason if the target deleted it itself', true, 'controller', 'Ready', false],
  ['has another reason if something else differs as well', true, 'writer-1', 'Failed', false],
])('%s', (_, atStart, deleter, phase, isExcused) => {
  const make = (h: HistoryBuilder): void => void h.create('controller', 'configmaps', PORTS[1]);
  const { h } = run(phase, 'v1', atStart ? make : undefined);
  if (!atStart) make(h);
  h.delete(deleter, 'configmaps', 'ports');
  const writes = ['create configmaps/ports', `update ${WIDGETS}/web`];

  const final = [h.live(WIDGETS, 'web'), h.live('deployments.apps', 'web')];

  const result = judge(h, [expected(...healthy(), PORTS), ...probes(h, { writes, final })]);

  expect(result.result).toBe('violated');
  expect(JSON.stringify(result).includes('makes it only when it starts')).toBe(isExcused);
});
