/** An update that rebuilds a part of an object drops what other writers added to it, but carries no old content back. */
import type { JsonObject, JsonValue } from 'stalemate-apiserver/objects/object';
import { expect, it } from 'vitest';
import { historyBuilder, manifest } from '../harness/oracle/test-history.ts';
import { noLostUpdate } from './no-lost-update.ts';
import { judge } from './test-no-lost-update.ts';

const RESOURCE = 'widgets.example.com';
/** The server of these tests applies no defaults. */
const REFERENCE = { ownedLeaves: {}, volatileLeaves: { [`${RESOURCE}:web`]: ['spec.template.restart'] } };

it.each([
  [false, 'holds'],
  ['', 'holds'],
  [true, 'violated'],
])('is none where the encoder leaves out what is empty: %j', (value, result) => {
  const h = historyBuilder();
  h.create('user', RESOURCE, manifest('Widget', 'web', { spec: { size: 1 } }));
  h.phase('contention');
  h.edit('writer-1', RESOURCE, 'web', ['spec', 'paused'], value);
  const read = h.get('controller', RESOURCE, 'web');
  h.update('controller', RESOURCE, { ...read, spec: { size: 2 } });
  const history = h.build({ reference: { ownedLeaves: { [`${RESOURCE}:web`]: ['spec.size'] } } });

  expect(judge(history)).toMatchObject({ result });
});

it('is none where an omitted 0 makes the content look like a version that the value was not in yet', () => {
  const h = historyBuilder();
  h.create('user', RESOURCE, manifest('Widget', 'web', { spec: { size: 1 } }));
  h.phase('contention');
  h.get('controller', RESOURCE, 'web');
  h.edit('user', RESOURCE, 'web', ['spec', 'count'], 1);
  h.edit('user', RESOURCE, 'web', ['spec', 'count'], 0);
  const read = h.get('controller', RESOURCE, 'web');
  const { generation: _, ...metadata } = read.metadata;
  h.update('controller', RESOURCE, { ...read, metadata, spec: { size: 1 }, status: { phase: 'Ready' } });

  expect(noLostUpdate.check(h.build({ reference: REFERENCE })).result).toBe('holds');
});

it('does not hide an old spec next to fresh metadata', () => {
  const h = historyBuilder();
  h.create(
    'user',
    RESOURCE,
    manifest('Widget', 'web', { spec: { image: 'v1', replicas: 3 } }, { labels: { own: 'yes' } }),
  );
  h.phase('contention');
  const old = h.get('controller', RESOURCE, 'web');
  h.edit('writer-1', RESOURCE, 'web', ['metadata', 'labels', 'foreign'], 'yes');
  h.edit('user', RESOURCE, 'web', ['spec', 'replicas'], 5);
  const fresh = h.get('controller', RESOURCE, 'web');
  h.update('controller', RESOURCE, {
    ...fresh,
    metadata: { ...fresh.metadata, labels: { own: 'yes' } },
    spec: old['spec'] ?? {},
  });
  const history = h.build({ reference: REFERENCE });
  const result = judge(history);
  const signatures = result.result === 'violated' ? result.violations.map(({ signature }) => signature) : [];

  expect(fresh.metadata.generation).not.toBe(old.metadata.generation);
  expect(signatures).toContainEqual(expect.objectContaining({ class: 'carried-back', field: 'spec.replicas' }));
});

it('is told by the defaults that it lacks', () => {
  const h = historyBuilder();
  h.create(
    'user',
    RESOURCE,
    manifest('Widget', 'web', { spec: { template: { restart: 'Always', labels: { a: '1' } } } }),
  );
  h.phase('contention');
  h.get('controller', RESOURCE, 'web');
  h.edit('writer-1', RESOURCE, 'web', ['spec', 'template', 'annotations'], { b: '2' });
  const fresh = h.get('controller', RESOURCE, 'web');
  h.update('controller', RESOURCE, { ...fresh, spec: { template: { labels: { a: '1' } } } });

  expect(judge(h.build({ reference: REFERENCE }))).toMatchObject({
    result: 'violated',
    violations: [
      {
        signature: { class: 'rebuilt', field: 'spec.template.annotations.b' },
        sentence: expect.stringContaining(
          'its PUT rebuilds spec.template without it, though version 102 with it had reached it; at rest it leaves',
        ),
      },
    ],
  });
});

it.each([
  ['accepts a status that starts over, foreign fields included', {}, { result: 'holds' }],
  [
    'warns of a status that loses only the foreign field',
    { attempts: 2 },
    { result: 'violated', violations: [{ severity: 'warning' }] },
  ],
])('%s', (_, kept, expected) => {
  const h = historyBuilder();
  h.create('user', RESOURCE, manifest('Widget', 'web', { status: { phase: 'New' } }));
  h.phase('contention');
  h.get('controller', RESOURCE, 'web');
  h.edit('controller', RESOURCE, 'web', ['status', 'attempts'], 2, 'status');
  h.edit('writer-1', RESOURCE, 'web', ['status', 'runId'], 'x', 'status');
  const fresh = h.get('controller', RESOURCE, 'web');
  h.update('controller', RESOURCE, { ...fresh, status: { phase: 'Again', ...kept } }, 'status');
  const owned = { [`${RESOURCE}:web`]: ['status.phase', 'status.attempts'] };
  const history = h.build({ reference: { ownedLeaves: owned } });

  expect(judge(history)).toMatchObject(expected);
});

it.each([
  ['is none where an item that shares its key with a new one is still in the list', 'written by another', 'holds'],
  ['is one where the item is gone', 'own', 'violated'],
])('%s', (_, message, result) => {
  const foreign = { type: 'Ready', status: 'True', message: 'written by another' };
  const h = historyBuilder();
  h.create('user', RESOURCE, manifest('Widget', 'web', { status: { conditions: [] } }));
  h.phase('contention');
  h.get('controller', RESOURCE, 'web');
  h.edit('writer-1', RESOURCE, 'web', ['status', 'conditions'], [foreign], 'status');
  const fresh = h.get('controller', RESOURCE, 'web');
  const conditions = [
    { type: 'Ready', status: 'False', message: 'own' },
    { ...foreign, message, timestamp: '' },
  ];
  h.update('controller', RESOURCE, { ...fresh, status: { conditions } }, 'status');

  expect(noLostUpdate.check(h.build({ reference: REFERENCE })).result).toBe(result);
});

it('is one where an item has back what another writer had removed from it', () => {
  const h = historyBuilder();
  const containers = (image: JsonObject): JsonValue => [{ name: 'app', ...image }];
  h.create('user', RESOURCE, manifest('Widget', 'web', { spec: { containers: containers({ image: 'v1' }) } }));
  h.phase('contention');
  const old = h.get('controller', RESOURCE, 'web');
  h.edit('writer-1', RESOURCE, 'web', ['spec', 'containers'], containers({}));
  const { resourceVersion = '' } = h.get('controller', RESOURCE, 'web').metadata;
  h.update('controller', RESOURCE, { ...old, metadata: { ...old.metadata, resourceVersion } });
  const history = h.build({ reference: REFERENCE });

  expect(judge(history)).toMatchObject({
    violations: [{ signature: { class: 'carried-back', field: 'spec.containers[name=app].image' } }],
  });
});

it.each([
  ['under the version that the change made', 'computed', 'warning'],
  ['under no version', 'unversioned', 'error'],
  ['under that version too, but after a conflict', 'retried', 'error'],
])('of a map in an object of its own, sent whole %s', (_, how, severity) => {
  const h = historyBuilder();
  h.create('user', RESOURCE, manifest('Widget', 'web', { spec: { size: 1 } }));
  h.create('controller', 'configmaps', manifest('ConfigMap', 'web', { data: { own: '1' } }));
  h.phase('contention');
  const old = h.get('controller', 'configmaps', 'web');
  h.edit('writer-1', 'configmaps', 'web', ['data', 'foreign'], 'yes');
  const data = { own: '2' };
  if (how === 'retried') h.update('controller', 'configmaps', { ...old, data });
  const fresh = h.get('controller', 'configmaps', 'web');
  const { resourceVersion: _version, ...unversioned } = old.metadata;
  h.update('controller', 'configmaps', {
    ...fresh,
    metadata: how === 'unversioned' ? unversioned : fresh.metadata,
    data,
  });
  const history = h.build({ reference: { ownedLeaves: { 'configmaps:web': ['data.own'] } } });

  expect(judge(history)).toMatchObject({
    result: 'violated',
    violations: [{ signature: { class: 'carried-back' }, severity }],
  });
});
