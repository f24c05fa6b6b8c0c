import { expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { setAt } from '../harness/model/edit.ts';
import type { ProbeResult } from '../harness/model/probe.ts';
import { manifest } from '../harness/oracle/test-history.ts';
import { convergence } from './convergence.ts';
import { WIDGETS, REFERENCE, run, expected, healthy, probes, judge, undisturbed } from './test-convergence.ts';

/** Both undisturbed runs end as a fresh copy does. */
function functionOfInput(): readonly ProbeResult[] {
  return [undisturbed('v2', 'v2'), undisturbed('v2', 'v2', 'step-by-step')];
}

it.each([
  ['only warns of what it makes once and never follows a spec with', ['widgets.example.com:web'], 'path-dependent'],
  ['convicts the same where it does change such objects', ['deployments.apps:web'], 'wrong-value'],
])('%s', (_, updates, kind) => {
  const { h } = run('Ready', 'old');
  const list = [expected(...healthy()), ...probes(h, { writes: [] }), ...functionOfInput()];

  expect(convergence.check(h.build({ reference: { ...REFERENCE, deletes: [], updates }, probes: list }))).toMatchObject(
    { violations: [{ signature: { class: kind } }] },
  );
});

it.each([
  ['Degraded', 'False', 'warning'],
  ['Degraded', 'True', 'error'],
  ['Ready', 'False', 'error'],
])('judges the condition %s=%s that a fresh copy does not have as %s', (type, status, severity) => {
  const { h } = run('Ready', 'v1', undefined, [{ type, status, reason: 'Failed' }]);
  const list = [expected(...healthy()), ...probes(h, { writes: [] }), ...functionOfInput()];
  const ownedLeaves = { ...REFERENCE.ownedLeaves, [`${WIDGETS}:web`]: ['status.conditions[type=*].status'] };

  expect(convergence.check(h.build({ reference: { ...REFERENCE, ownedLeaves }, probes: list }))).toMatchObject({
    violations: [{ severity }],
  });
});

it('takes what heals in a longer look for late, also where no time was left for as much silence again', () => {
  const { h } = run('Ready', 'old');
  const fixed = run().h;
  const final = [fixed.live(WIDGETS, 'web'), fixed.live('deployments.apps', 'web')];
  const again = probes(h, { final, quiescent: false }).map((probe) =>
    probe.probe === 'extended-settle'
      ? { ...probe, names: fixed.build().names, laterHalf: { requests: 0, spanMs: 60_000, goesOn: false } }
      : probe,
  );

  expect(judge(h, [expected(...healthy()), ...again])).toMatchObject({
    violations: [{ severity: 'warning', signature: { class: 'healed-late' } }],
  });
});

it.each([
  ['judges one that has changed nothing to the end of a long look', 310_000, 'violated'],
  ['does not judge one that has changed nothing for less than some wait for', 130_000, 'inconclusive'],
  ['does not judge one that goes on trying', 0, 'inconclusive'],
])('%s', (_, unchangedMs, result) => {
  const { h } = run('Ready', 'old');
  const polls = probes(h, { quiescent: false }).map((probe) =>
    probe.probe === 'extended-settle'
      ? { ...probe, unchangedMs, laterHalf: { requests: 9, spanMs: 155_000, goesOn: true } }
      : probe,
  );

  expect(judge(h, [expected(...healthy()), ...polls])).toMatchObject({ result });
});

it.each([
  [4, 1_100_000],
  [3, 120_000],
])('settles after %d refusals of one request for as long as a work queue may hold it back', (refusals, windowMs) => {
  const { h } = run('Ready', 'old');
  for (let n = 0; n < refusals; n++) h.call('controller', 'update', 'deployments.apps', 'nothing', { body: {} });
  const history = h.build({ reference: { ...REFERENCE, backOffMs: 1_100_000 }, probes: [expected(...healthy())] });

  expect(convergence.check(history)).toMatchObject({ needs: [{ probe: 'extended-settle', windowMs }, {}] });
});

it.each([
  ['many events', 14, 'before success', 1_100_000],
  ['many events that came before the first of them', 14, 'before refusal', 1_100_000],
  ['many events that come after it has succeeded', 14, 'after success', 120_000],
  ['many events where nothing is tried again', 14, 'without success', 120_000],
  ['a few events', 8, 'before success', 120_000],
])('settles after two refusals and %s as long as a work queue may hold back what both asked for', (...given) => {
  const [, events, when, windowMs] = given;
  const { h } = run('Ready', 'old');
  const refused = (): void => void h.call('controller', 'update', 'deployments.apps', 'a', { body: {} });
  const change = (): void => {
    for (let n = 0; n < events; n++) h.create('user', 'configmaps', manifest('ConfigMap', `c${n}`));
    h.deliver('controller', 'configmaps');
  };
  if (when === 'before refusal') change();
  refused();
  refused();
  if (when !== 'after success' && when !== 'before refusal') change();
  h.create('user', 'deployments.apps', manifest('Deployment', 'a'));
  if (when !== 'without success') h.update('controller', 'deployments.apps', h.live('deployments.apps', 'a'));
  if (when === 'after success') change();
  const history = h.build({ reference: { ...REFERENCE, backOffMs: 1_100_000 }, probes: [expected(...healthy())] });

  expect(convergence.check(history)).toMatchObject({ needs: [{ probe: 'extended-settle', windowMs }, {}] });
});

it.each([
  ['asks how it ends undisturbed', [], { needs: [{ probe: 'undisturbed' }] }],
  ['waits for it where that ends differently', [undisturbed('v1', 'v1')], { needs: [{ windowMs: 1_100_000 }] }],
  [
    'only warns of what ends undisturbed in the same way',
    [undisturbed('third', 'v1')],
    { violations: [{ severity: 'warning', signature: { class: 'path-dependent' } }] },
  ],
])('before a long back-off has to be waited for, %s', (_, more, result) => {
  const { h } = run('Ready', 'old');
  for (let n = 0; n < 4; n++) h.call('controller', 'update', 'deployments.apps', 'nothing', { body: {} });
  const list = [expected(...healthy()), ...probes(h), ...more];
  const history = h.build({ reference: { ...REFERENCE, backOffMs: 1_100_000 }, probes: list });

  expect(convergence.check(history)).toMatchObject(result);
});

it.each([
  ['only warns of a map that is empty instead of absent', {}, [], 'path-dependent'],
  ['only warns of a list that is empty instead of absent', [], [], 'path-dependent'],
  ['convicts a value that is there instead of absent', { a: 1 }, [], 'wrong-value'],
  ['convicts an empty map that a copy started now would change', {}, ['update deployments.apps/web'], 'wrong-value'],
])('%s', (_, image, writes, kind) => {
  const { h } = run('Ready', image as never);
  const [widget, [name, deployment]] = healthy() as [[string, KubeObject], [string, KubeObject]];
  const without: [string, KubeObject] = [name, setAt(deployment, ['spec'], { replicas: 1 })];
  const list = [expected(widget, without), ...probes(h, { writes }), ...functionOfInput()];

  expect(judge(h, list)).toMatchObject({ violations: [{ signature: { class: kind } }] });
});

it.each([
  ['only warns of a label that a writer has set on another object', 'writer-1', 'once', [], 'path-dependent'],
  ['convicts the label of a user', 'user', 'once', [], 'wrong-value'],
  ['convicts a label that an object had when a writer created it again', 'recreator', 'once', [], 'wrong-value'],
  ['convicts a label with another value', 'writer-1', 'twice', [], 'wrong-value'],
  [
    'convicts one that a copy started now would change',
    'writer-1',
    'once',
    ['update deployments.apps/web'],
    'wrong-value',
  ],
])('%s', (_, actor, value, writes, kind) => {
  const { h } = run('Ready', 'v1', (before) => {
    before.create('user', 'configmaps', manifest('ConfigMap', 'other'));
    if (actor === 'recreator') {
      before.delete('writer-1', 'configmaps', 'other');
      before.create('writer-1', 'configmaps', manifest('ConfigMap', 'other', {}, { labels: { touched: value } }));
    } else before.edit(actor, 'configmaps', 'other', ['metadata', 'labels'], { touched: value });
  });
  h.edit('controller', 'deployments.apps', 'web', ['metadata', 'labels'], { touched: 'once' });
  const ownedLeaves = { ...REFERENCE.ownedLeaves, 'deployments.apps:web': ['metadata.labels.touched'] };
  const other = ['configmaps/default/other', h.live('configmaps', 'other')] as const;
  const list = [expected(other, ...healthy()), ...probes(h, { writes }), ...functionOfInput()];

  expect(convergence.check(h.build({ reference: { ...REFERENCE, ownedLeaves }, probes: list }))).toMatchObject({
    violations: [{ signature: { class: kind } }],
  });
});

it.each([
  [
    'only warns of what other workloads ended with undisturbed',
    'wrong-value deployments.apps/web spec.image',
    'path-dependent',
  ],
  ['asks how it ends undisturbed where others ended with something else', 'extra-object deployments.apps', undefined],
])('%s', (_, kind, expectedClass) => {
  const { h } = run('Ready', 'old');
  const known: ProbeResult = { probe: 'known-undisturbed', kinds: [kind] };
  const result = judge(h, [known, expected(...healthy()), ...probes(h, { writes: [] })]);

  expect(result).toMatchObject(
    expectedClass === undefined
      ? { needs: [{ probe: 'undisturbed' }] }
      : { violations: [{ severity: 'warning', signature: { class: expectedClass } }] },
  );
});

it('convicts what other workloads ended with undisturbed, if a copy started now would change it', () => {
  const { h } = run('Ready', 'old');
  const known: ProbeResult = { probe: 'known-undisturbed', kinds: ['wrong-value deployments.apps/web spec.image'] };

  expect(judge(h, [known, expected(...healthy()), ...probes(h)])).toMatchObject({
    violations: [{ severity: 'error', signature: { class: 'wrong-value' } }],
  });
});

const IMAGE = 'wrong-value deployments.apps/web spec.image';

it.each<[string, string, number, object]>([
  [
    'makes no further probe for what an earlier run was convicted of',
    IMAGE,
    60_000,
    { violations: [{ severity: 'error', signature: { class: 'wrong-value' } }], convicted: [IMAGE] },
  ],
  ['probes further for anything else', 'extra-object deployments.apps', 60_000, { needs: [{ probe: 'undisturbed' }] }],
  [
    'gives such a run a minute',
    IMAGE,
    8_000,
    { needs: [{ probe: 'extended-settle' }, { probe: 'fresh-incarnation' }] },
  ],
])('%s', (_, kind, windowMs, result) => {
  const { h } = run('Ready', 'old');
  const known: ProbeResult = { probe: 'known-violated', kinds: [kind] };
  const settled = probes(h).flatMap((one) => (one.probe === 'extended-settle' ? [{ ...one, windowMs }] : []));

  expect(judge(h, [known, expected(...healthy()), ...settled])).toMatchObject(result);
});

it('asks how it ends step by step where it ends as expected undisturbed', () => {
  const { h } = run('Ready', 'old');
  const list = [expected(...healthy()), ...probes(h, { writes: [] }), undisturbed('v2', 'v2')];

  expect(judge(h, list)).toMatchObject({ result: 'inconclusive', needs: [{ probe: 'step-by-step' }] });
});

it('only warns of what ends in the same way step by step', () => {
  const { h } = run('Ready', 'old');
  const stepwise = undisturbed('old', 'v1', 'step-by-step');
  const list = [expected(...healthy()), ...probes(h, { writes: [] }), undisturbed('v2', 'v2'), stepwise];

  expect(judge(h, list)).toMatchObject({
    violations: [{ severity: 'warning', signature: { class: 'path-dependent' } }],
  });
});

it('only warns of what is left over where undisturbed an object of the same kind with another name is', () => {
  const { h } = run();
  h.create('controller', 'deployments.apps', manifest('Deployment', 'old-name', { spec: { image: 'v1' } }));
  const known: ProbeResult = { probe: 'known-undisturbed', kinds: ['extra-object deployments.apps'] };

  expect(judge(h, [known, expected(...healthy()), ...probes(h, { writes: [] })])).toMatchObject({
    violations: [{ severity: 'warning', signature: { class: 'path-dependent' } }],
  });
});

it.each([
  ['is as in a copy that made the replaced object itself', 'old', 'warning'],
  ['is not as in that copy either', 'v1', 'error'],
])('judges a value beside an object that another client made again, which %s', (_, image, severity) => {
  const { h } = run('Ready', 'old');
  const outcome = {
    objects: { 'deployments.apps/default/web': run('Ready', image).h.live('deployments.apps', 'web') },
  };
  const copies: ProbeResult = { probe: 'other-copies', outcomes: [], withoutReplacements: outcome };
  const list = [expected(...healthy()), ...probes(h, { writes: [] }), ...functionOfInput(), copies];

  expect(judge(h, list)).toMatchObject({ violations: [{ severity }] });
});

it('convicts what a restart corrects, whatever a copy does that made the replaced object itself', () => {
  const { h } = run('Ready', 'old');
  const outcome = { objects: { 'deployments.apps/default/web': h.live('deployments.apps', 'web') } };
  const copies: ProbeResult = { probe: 'other-copies', outcomes: [], withoutReplacements: outcome };

  expect(judge(h, [expected(...healthy()), ...probes(h), copies])).toMatchObject({
    violations: [{ severity: 'error' }],
  });
});

it.each([
  ['a number that no undisturbed run had', { retries: 2 }, 'left-note'],
  ['a time that no undisturbed run had', { lastFailureTime: '2026-01-01T00:00:07Z' }, 'left-note'],
  ['a word that no undisturbed run had', { lastError: 'refused' }, 'wrong-value'],
  ['a cleared error', { lastError: '' }, 'path-dependent'],
  ['a false flag', { failed: false }, 'path-dependent'],
  ['a generation', { observedGeneration: 7 }, 'wrong-value'],
])('judges %s, which a fresh copy does not have and leaves alone', (_, status, kind) => {
  const { h } = run();
  h.patch('controller', WIDGETS, 'web', { status }, { subresource: 'status' });
  const list = [expected(...healthy()), ...probes(h, { writes: [] }), ...functionOfInput()];

  expect(judge(h, list)).toMatchObject({ violations: [{ signature: { class: kind } }] });
});

it.each([
  ['submissionAttempts', 2, 'left-note'],
  ['retryCount', 3, 'left-note'],
  ['collisionCount', 2, 'left-note'],
  ['revision', '2', 'left-note'],
  ['currentRevision', '2', 'wrong-value'],
  ['attempts', 0, 'wrong-value'],
  ['readyReplicas', 2, 'wrong-value'],
])(
  'judges a number of the status by whether it counts attempts, and upwards: %s %d instead of 1',
  (name, count, kind) => {
    const { h } = run();
    h.patch('controller', WIDGETS, 'web', { status: { [name]: count } }, { subresource: 'status' });
    const once = healthy().map(([key, object]): readonly [string, KubeObject] =>
      key.startsWith(WIDGETS) ? [key, setAt(object, ['status', name], 1)] : [key, object],
    );
    const list = [expected(...once), ...probes(h, { writes: [] }), ...functionOfInput()];

    expect(judge(h, list)).toMatchObject({ violations: [{ signature: { class: kind } }] });
  },
);
