import { describe, expect, it } from 'vitest';
import type { Delivery, History, Operation } from '../../model/history.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import { emptyHistory } from './empty-history.ts';
import { Places } from './places.ts';

const places = new Places(
  new Map([
    ['default', 'st-1-default'],
    ['default-2', 'st-1-default-2'],
  ]),
);

describe('labels', () => {
  it.each([
    [
      'controller/update/widgets.example.com/default/a#0!sent',
      'controller/update/widgets.example.com/st-1-default/a#0!sent',
    ],
    [
      'controller/update/widgets.example.com/status/default/a#1',
      'controller/update/widgets.example.com/status/st-1-default/a#1',
    ],
    ['controller/create/pods/default/a/b~0#0', 'controller/create/pods/st-1-default/a/b~0#0'],
    ['controller/list/pods/-/*#0', 'controller/list/pods/-/*#0'],
    ['controller/watch/pods/default?app=default#0', 'controller/watch/pods/st-1-default?app=default#0'],
    ['controller/watch/pods/*#0/default@1', 'controller/watch/pods/*#0/default@1'],
    ['controller/watch/namespaces/*#0/default@1', 'controller/watch/namespaces/*#0/st-1-default@1'],
    ['user/delete/namespaces/-/default-2#0!sent', 'user/delete/namespaces/-/st-1-default-2#0!sent'],
    ['user/get/widgets.example.com/other/default#0', 'user/get/widgets.example.com/other/default#0'],
    ['controller/timer#3', 'controller/timer#3'],
  ])('%s', (ours, theirs) => {
    expect(places.label(ours)).toBe(theirs);
    expect(places.back(theirs)).toBe(ours);
  });
});

it('puts a trial into the names of there, and back', () => {
  const target = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name: 'default' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'default', namespace: 'default' } };
  const trial: Trial = {
    workload: {
      version: 1,
      start: 'settled',
      sample: [object, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default-2' } }],
      programs: [{ actor: 'user', writer: 'user', ops: [{ do: 'create', target, object }] }],
    },
    schedule: EMPTY_SCHEDULE,
  };

  const there = places.trial(trial);

  expect(there.workload.sample.map(({ metadata }) => metadata)).toEqual([
    { name: 'default', namespace: 'st-1-default' },
    { name: 'st-1-default-2' },
  ]);
  expect(there.workload.programs[0]?.ops[0]?.target).toMatchObject({ namespace: 'st-1-default', name: 'default' });
  expect(places.back(there)).toEqual(trial);
});

it('does not take a namespace of somebody else for ours because it is called like it', () => {
  const asking = (actor: string, namespace: string): Pick<History, 'operations'> => ({
    operations: [{ actor, namespace } as Operation],
  });

  expect(() => places.check(asking('controller', 'st-1-default'))).not.toThrow();
  expect(() => places.check(asking('controller', 'kube-system'))).not.toThrow();
  expect(() => places.check(asking('controller', 'default'))).toThrow(
    /asks for the namespace "default" of that cluster, .*of the run \("st-1-default"\).*put \{namespace\} there/,
  );
});

it('leaves Secrets of others out, also of a namespace that is called like ours', () => {
  const seen = (namespace: string): Delivery => {
    const metadata = { name: 'db', namespace, uid: namespace, resourceVersion: '7' };
    const object = { apiVersion: 'v1', kind: 'Secret', metadata };
    const place = { actor: 'controller', stream: 'controller/watch/secrets/*#0', k: 0, at: 1, timeMs: 0 };
    const available = { at: 1, timeMs: 0 };
    return { ...place, type: 'ADDED', resource: 'secrets', object, revision: 7, available };
  };
  const history: History = { ...emptyHistory(''), deliveries: [seen('default'), seen('st-1-default'), seen('prod')] };

  const { deliveries } = places.history(history);

  expect(deliveries.map(({ object }) => object?.metadata.uid)).toEqual(['default']);
  expect(deliveries).toHaveLength(1);
  expect(JSON.stringify(deliveries)).not.toContain('prod');
});

it('finds our namespaces in the words of a command', () => {
  expect(
    ['--namespace=default', 'default', '--watch=a,default-2', 'defaults', '/etc/default.yaml'].map((word) =>
      places.word(word),
    ),
  ).toEqual(['--namespace=st-1-default', 'st-1-default', '--watch=a,st-1-default-2', 'defaults', '/etc/default.yaml']);
});
