import { describe, expect, test } from 'vitest';
import { MERGE, testServer, type TestServer } from 'stalemate-apiserver/testing';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { createEnvironment } from './index.ts';

const PODS = '/api/v1/namespaces/default/pods';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const VOLUMES = '/api/v1/persistentvolumes';

function cluster(workloadsExcept: readonly string[] = []): TestServer {
  const made = testServer();
  const settings = { garbageCollection: true, namespaceController: true, workloadsExcept };
  const controllers = createEnvironment(settings, () => made.server, made.server);
  made.server.observe((change) => {
    for (const controller of controllers) controller.onChange(change);
  });
  return made;
}

/** Waits until all pending promise chains have settled. */
function atRest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function make({ request }: TestServer, path: string, object: JsonObject): Promise<void> {
  expect(request('POST', path, object as KubeObject)).toMatchObject({ code: 201 });
  await atRest();
}

const CLAIM: JsonObject = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

function pod(nodeName: string | undefined, volume: JsonObject): JsonObject {
  const containers = [{ name: 'web', image: 'web:1' }];
  const spec = { containers, volumes: [{ name: 'data', ...volume }], ...(nodeName === undefined ? {} : { nodeName }) };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec };
}

const USES: JsonObject = { persistentVolumeClaim: { claimName: 'data' } };

describe('a deleted claim', () => {
  test('goes at once if no pod uses it', async () => {
    const world = cluster();
    await make(world, CLAIMS, CLAIM);

    world.request('DELETE', `${CLAIMS}/data`);
    await atRest();

    expect(world.server.objects('persistentvolumeclaims')).toEqual([]);
  });

  test('goes once the pod on a node that uses it is gone', async () => {
    const world = cluster();
    await make(world, CLAIMS, CLAIM);
    await make(world, PODS, pod('node-1', USES));

    world.request('DELETE', `${CLAIMS}/data`);
    await atRest();
    expect(world.server.objects('persistentvolumeclaims')).toHaveLength(1);

    world.request('DELETE', `${PODS}/web`, { gracePeriodSeconds: 0 });
    await atRest();
    expect(world.server.objects('persistentvolumeclaims')).toEqual([]);
  });

  test('does not wait for a pod that is on no node, or that names another claim', async () => {
    const world = cluster();
    await make(world, CLAIMS, CLAIM);
    await make(world, PODS, pod(undefined, USES));
    await make(world, PODS, {
      ...pod('node-1', { persistentVolumeClaim: { claimName: 'other' } }),
      metadata: { name: 'another' },
    });

    world.request('DELETE', `${CLAIMS}/data`);
    await atRest();

    expect(world.server.objects('persistentvolumeclaims')).toEqual([]);
  });

  test('stays if its protection is left to the target', async () => {
    const world = cluster(['persistentvolumeclaims']);
    await make(world, CLAIMS, CLAIM);

    world.request('DELETE', `${CLAIMS}/data`);
    await atRest();

    expect(world.server.objects('persistentvolumeclaims')).toHaveLength(1);
  });
});

test('a deleted volume goes unless it is bound', async () => {
  const world = cluster();
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } };
  for (const name of ['free', 'bound'])
    await make(world, VOLUMES, { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec });
  world.request('PATCH', `${VOLUMES}/bound/status`, { status: { phase: 'Bound' } }, MERGE);

  for (const name of ['free', 'bound']) world.request('DELETE', `${VOLUMES}/${name}`);
  await atRest();

  expect(world.server.objects('persistentvolumes').map(({ metadata }) => metadata.name)).toEqual(['bound']);
});
