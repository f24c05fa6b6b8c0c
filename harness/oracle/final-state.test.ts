import { describe, expect, it } from 'vitest';
import { WORKLOADS } from '../model/actor.ts';
import type { History } from '../model/history.ts';
import { differences, finalState, placeOf } from './final-state.ts';
import { historyBuilder, manifest, ownedBy } from './test-history.ts';

describe('the state at rest', () => {
  it('has what the environment made for somebody, and not what it keeps for itself', () => {
    const builder = historyBuilder();
    const widget = builder.create('controller', 'widgets.example.com', manifest('Widget', 'a'));
    const owned = manifest('Gadget', 'a-1', {}, { ownerReferences: [{ ...ownedBy(widget) }] });
    builder.create(WORKLOADS, 'gadgets.example.com', owned);
    builder.create(WORKLOADS, 'machines.example.com', manifest('Machine', 'spare'));
    builder.edit(WORKLOADS, 'machines.example.com', 'spare', ['spec', 'busy'], false);

    const state = finalState(builder.build());

    expect([...state.keys()]).toEqual(['widgets.example.com/default/a', 'gadgets.example.com/default/a-1']);
  });
});

/** Returns a history in which the target creates a Service with a port, and the server assigns a cluster IP. */
function serviceWith(clusterIP: string, port: number): History {
  const builder = historyBuilder();
  builder.create('controller', 'services', manifest('Service', 'a', { spec: { port } }));
  const history = builder.build();
  const filled = { spec: { port, clusterIP } };
  return { ...history, revisions: history.revisions.map((one) => ({ ...one, object: { ...one.object, ...filled } })) };
}

describe('what differs from a fresh copy', () => {
  it.each([
    ['10.0.0.6', 81, ['spec.port']],
    ['10.0.0.7', 80, []],
  ])('is what the target said, not what the server filled in: %s, %d', (clusterIP, port, paths) => {
    const [history, expected] = [serviceWith('10.0.0.6', 80), finalState(serviceWith(clusterIP, port))];

    expect(differences(history, finalState(history), expected).map(({ path }) => path)).toEqual(paths);
  });
});

it.each([
  ['resourceVersion', '183', '185', []],
  ['resourceVersion', '183', 'none', ['status.secret.resourceVersion']],
  ['count', '183', '185', ['status.secret.count']],
  ['resourceVersion', '183', '185', [], 'spec'],
])('compares no versions that a server counts up: %s %s and %s', (field, ours, theirs, paths, part = 'status') => {
  const noted = (value: string): History => {
    const h = historyBuilder();
    h.create('controller', 'widgets.example.com', manifest('Widget', 'a', { [part]: { secret: { [field]: value } } }));
    return h.build();
  };
  const history = noted(ours);

  expect(differences(history, finalState(history), finalState(noted(theirs))).map(({ path }) => path)).toEqual(paths);
});

it.each([
  ['102', '101', []],
  ['102', '77', ['status.seen']],
  ['77', '101', ['status.seen']],
])('compares no notes that are the version of an object in both runs: %s and %s', (ours, theirs, paths) => {
  const noted = (seen: string, before: number): History => {
    const h = historyBuilder();
    for (let n = 0; n < before; n++) h.create('user', 'configmaps', manifest('ConfigMap', 'gone'));
    h.create('controller', 'widgets.example.com', manifest('Widget', 'a', { status: { seen } }));
    return h.build();
  };
  const history = noted(ours, 1);
  const expected = finalState(noted(theirs, 0));

  const found = differences(history, finalState(history), expected).filter(({ path }) => path !== '');
  expect(found.map(({ path }) => path)).toEqual(paths);
});

describe('an address of a pod or a service', () => {
  const PODS = { 'web-a': '198.18.3.1', 'web-b': '198.18.3.12' };
  const OTHER_PODS = { 'web-a': '198.18.7.12', 'web-b': '198.18.7.1' };
  const run = (pods: typeof PODS, addresses: readonly string[], labels = {}): History => {
    const h = historyBuilder();
    for (const [name, podIP] of Object.entries(pods))
      h.create('user', 'pods', manifest('Pod', name, { status: { podIP } }, { labels }));
    h.create('controller', 'widgets.example.com', manifest('Widget', 'a', { status: { addresses } }));
    return h.build();
  };
  const pathsOf = (ours: History, theirs: History): readonly string[] =>
    differences(ours, finalState(ours), finalState(theirs)).map(({ path }) => path);

  it('is the same wherever the same pod has another one', () => {
    const ours = run(PODS, ['198.18.3.1', '198.18.3.12:6379']);

    expect(pathsOf(ours, run(OTHER_PODS, ['198.18.7.12', '198.18.7.1:6379']))).toEqual([]);
  });

  it('is the same also if the pods themselves are not compared', () => {
    const labels = { 'pod-template-hash': '5d9c' };
    const ours = run(PODS, ['198.18.3.1'], labels);

    expect(pathsOf(ours, run(OTHER_PODS, ['198.18.7.12'], labels))).toEqual([]);
    expect(pathsOf(ours, run(OTHER_PODS, ['198.18.7.1'], labels))).not.toEqual([]);
  });

  it('is named by its pod where differences of two runs are compared', () => {
    const placesOf = (ours: History): readonly string[] =>
      differences(ours, finalState(ours), finalState(run(PODS, []))).map(placeOf);

    const [place] = placesOf(run(PODS, ['198.18.3.1']));
    expect(place).toBe('widgets.example.com/a status.addresses["address0:pods/default/web-a"]');
    expect(placesOf(run(OTHER_PODS, ['198.18.7.12']))).toEqual([place]);
  });

  it('is another one where it is that of another pod, or of none that exists', () => {
    const ours = run(PODS, ['198.18.3.1']);

    expect(pathsOf(ours, run(OTHER_PODS, ['198.18.7.1']))).not.toEqual([]);
    expect(pathsOf(ours, run(OTHER_PODS, ['198.18.9.9']))).not.toEqual([]);
  });
});

it('compares no ReplicaSets of a Deployment, whose names depend on what is in its template', () => {
  const rollout = (hash: string): History => {
    const h = historyBuilder();
    const labels = { 'pod-template-hash': hash };
    h.create(WORKLOADS, 'replicasets.apps', manifest('ReplicaSet', `web-${hash}`, {}, { labels }));
    return h.build();
  };
  const history = rollout('a1');

  expect(differences(history, finalState(history), finalState(rollout('b2')))).toEqual([]);
});

describe('an annotation of the target', () => {
  it.each([
    [['0', '1', '2'], []],
    [['0', '1', '3'], ['metadata.annotations.revision']],
    [['0', '1'], []],
    [['0', '2'], ['metadata.annotations.revision']],
    [['7', '8'], ['metadata.annotations.revision']],
  ])('that counts its changes is no difference: %j', (values, paths) => {
    const builder = (revisions: readonly string[]): History => {
      const h = historyBuilder();
      const [first = '', ...rest] = revisions;
      h.create('controller', 'widgets.example.com', manifest('Widget', 'a', {}, { annotations: { revision: first } }));
      for (const one of rest)
        h.edit('controller', 'widgets.example.com', 'a', ['metadata', 'annotations', 'revision'], one);
      return h.build();
    };
    const history = builder(values);

    expect(differences(history, finalState(history), finalState(builder(['0']))).map(({ path }) => path)).toEqual(
      paths,
    );
  });
});

it('takes two values for a coincidence if the target also writes without counting', () => {
  const h = historyBuilder();
  h.create('controller', 'widgets.example.com', manifest('Widget', 'a', {}, { annotations: { wanted: '0' } }));
  const fresh = finalState(h.build());
  h.edit('controller', 'widgets.example.com', 'a', ['metadata', 'annotations', 'wanted'], '1');
  h.edit('controller', 'widgets.example.com', 'a', ['metadata', 'labels', 'other'], 'x');
  h.edit('controller', 'widgets.example.com', 'a', ['metadata', 'labels'], {});
  const history = h.build();

  expect(differences(history, finalState(history), fresh).map(({ path }) => path)).toContain(
    'metadata.annotations.wanted',
  );
});

describe('a list of conditions in which a type repeats', () => {
  const finalOf = (...types: readonly string[]): History => {
    const h = historyBuilder();
    const conditions = types.map((type) => ({ type, status: 'True', message: `the ${type}` }));
    h.create('controller', 'widgets.example.com', manifest('Widget', 'a', { status: { conditions } }));
    return h.build();
  };
  const paths = (actual: History, expected: History): readonly string[] =>
    differences(actual, finalState(actual), finalState(expected)).map(({ path }) => path);

  it('is a log: its older entries are no difference', () => {
    expect(paths(finalOf('error', 'tls', 'error'), finalOf('tls', 'error'))).toEqual([]);
    expect(paths(finalOf('error', 'tls'), finalOf('tls', 'error', 'tls'))).toEqual([]);
  });

  it('is a log whose newest entry counts', () => {
    expect(paths(finalOf('tls', 'error', 'tls'), finalOf('tls', 'error'))).not.toEqual([]);
  });

  it('is no log where a type comes twice in a row', () => {
    expect(paths(finalOf('tls', 'tls'), finalOf('tls'))).not.toEqual([]);
  });

  it('is a map by type where none repeats', () => {
    expect(paths(finalOf('tls', 'error'), finalOf('tls')).map((path) => path.replace(/\].*/, ']'))).toContain(
      'status.conditions[type=error]',
    );
  });
});
