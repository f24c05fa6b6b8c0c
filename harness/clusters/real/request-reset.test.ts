import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { testServer, WIDGETS } from 'stalemate-apiserver/testing';
import { groupResource, type JsonObject, type KubeObject, type ResourceKind } from 'stalemate-apiserver/objects/object';
import { call } from 'stalemate-apiserver/wire/call';
import type { ApiResponse, Method } from 'stalemate-apiserver/wire/http';
import { requestInfo } from 'stalemate-apiserver/wire/request-info';
import { findProgram } from 'stalemate-apiserver/control-plane/binaries';
import { startControlPlane, type ControlPlane } from 'stalemate-apiserver/control-plane/control-plane';
import { RemoteServer } from '../../gate/http/remote.ts';
import { remoteUpstream, type RemoteUpstream } from '../../gate/http/remote-upstream.ts';
import { Observer } from '../observer.ts';
import { CommitOrder } from './commit-order.ts';
import { RequestReset } from './request-reset.ts';
import type { ServerView } from './reset.ts';
import { isServersObject } from './storage-key.ts';

const installed = findProgram('etcd') !== undefined && findProgram('kube-apiserver') !== undefined;
const WIDGET_PATH = '/apis/example.com/v1/namespaces/default/widgets';
const MAPS = '/api/v1/namespaces/default/configmaps';
const MEANT = '00000000-0000-4000-8000-000000000000';
const KEPT: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'kept', namespace: 'default', uid: MEANT },
  data: { a: '1' },
};

describe.runIf(installed)('a server put back by requests', () => {
  let plane: ControlPlane;
  let upstream: RemoteUpstream;
  let observer: Observer;
  let reset: RequestReset;
  /** Namespaces that do not belong to the run. */
  const foreign = new Set<string>();

  beforeAll(async () => {
    plane = await startControlPlane();
    upstream = remoteUpstream(
      new RemoteServer({ url: plane.url, ca: plane.ca, authorization: () => `Bearer ${plane.token}` }),
    );
    await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', WIDGETS);
    await until(async () => (await ask('GET', WIDGET_PATH)).code === 200);
    await until(async () => (await ask('GET', '/api/v1/namespaces/kube-node-lease')).code === 200);
    await ask('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
    const { server } = testServer();
    const kinds = new Map<string, ResourceKind>();
    for (const name of ['configmaps', 'namespaces', 'widgets.example.com', 'clusterroles.rbac.authorization.k8s.io'])
      for (const kind of server.resourceKinds()) if (groupResource(kind) === name) kinds.set(name, kind);
    const order = new CommitOrder(
      () => {},
      ({ resource }) => reset.touched(resource),
    );
    observer = new Observer(upstream, (change) =>
      isServersObject(change) ? order.passed(change) : order.seen(change),
    );
    const view: ServerView = {
      upstream,
      kinds,
      live: order.live,
      kindFor: (apiVersion, kind) => server.kindFor(apiVersion, kind),
      subresourcesOf: (apiVersion, kind) => server.subresourcesOf(apiVersion, kind),
      placesOf: () => [{}],
      isOurs: (resource, { metadata: { namespace = '', name = '' } }) =>
        !foreign.has(namespace) && !foreign.has(name) && !isServersObject({ resource, namespace, name }),
      knows: (uid, revision) => order.knows(uid, revision),
      caughtUp: () => observer.caughtUp(10_000),
      until,
    };
    reset = new RequestReset(view);
    await Promise.all([...kinds.values()].map((kind) => observer.observe(kind)));
    await ask('POST', '/api/v1/namespaces', { metadata: { name: 'other' } });
    await reset.seed([KEPT]);
    await reset.begin();
  }, 60_000);
  afterAll(async () => {
    observer?.close();
    upstream?.close();
    await plane?.stop();
  });

  const until = (done: () => boolean | Promise<boolean>): Promise<void> =>
    vi.waitFor(async () => expect(await done()).toBe(true), { timeout: 20_000, interval: 5 });
  const ask = (method: Method, path: string, body?: JsonObject): Promise<ApiResponse> => {
    const info = requestInfo(method, path, {});
    if (info !== undefined && method !== 'GET') reset?.touched(groupResource(info));
    const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
    return call(upstream, { method, path, query: {}, headers, ...(body === undefined ? {} : { body }) });
  };
  const widget = (name: string, metadata: JsonObject = {}): JsonObject => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name, ...metadata },
    spec: { size: 1 },
  });

  it('holds what it held, whatever finalizers and deletions there were', async () => {
    await ask('POST', WIDGET_PATH, widget('a', { finalizers: ['example.com/stays'] }));
    await ask('DELETE', `${WIDGET_PATH}/a`);
    await ask('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'left' }, rules: [] });
    await ask('PATCH', '/api/v1/namespaces/default', { metadata: { labels: { changed: 'yes' } } });
    await ask('PATCH', `${MAPS}/kept`, { data: { a: '2', b: '3' } });

    await reset.restore();

    expect((await ask('GET', WIDGET_PATH)).body).toMatchObject({ items: [] });
    expect((await ask('GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/left')).code).toBe(404);
    expect((await ask('GET', '/api/v1/namespaces/default')).body).not.toHaveProperty('metadata.labels.changed');
    expect((await ask('GET', `${MAPS}/kept`)).body).toHaveProperty('data', { a: '1' });
  });

  it('has namespaces again that were deleted, and none that were made', async () => {
    await ask('POST', '/api/v1/namespaces', { metadata: { name: 'made' } });
    await ask('POST', '/api/v1/namespaces/made/configmaps', {
      metadata: { name: 'held', finalizers: ['example.com/a'] },
    });
    await ask('DELETE', '/api/v1/namespaces/other');

    await reset.restore();

    expect((await ask('GET', '/api/v1/namespaces/made')).code).toBe(404);
    expect((await ask('GET', '/api/v1/namespaces/other')).body).toMatchObject({ status: { phase: 'Active' } });
  });

  it('knows an object that was created again by the uid that it was to have', async () => {
    await ask('DELETE', `${MAPS}/kept`);

    await reset.restore();

    const { body } = await ask('GET', `${MAPS}/kept`);
    const { uid = '' } = (body as KubeObject).metadata;
    expect(uid).not.toBe(MEANT);
    const owned = { metadata: { ownerReferences: [{ uid: MEANT }] } };
    const request = { method: 'POST', path: WIDGET_PATH, query: {}, headers: {}, body: owned } as const;
    expect(reset.asStored(request).body).toEqual({ metadata: { ownerReferences: [{ uid }] } });
  });

  it('leaves alone what is not the run’s', async () => {
    foreign.add('strange');
    await ask('POST', '/api/v1/namespaces', { metadata: { name: 'strange' } });
    await ask('POST', '/api/v1/namespaces/strange/configmaps', { metadata: { name: 'theirs' } });

    await reset.restore();

    expect((await ask('GET', '/api/v1/namespaces/strange/configmaps/theirs')).code).toBe(200);
  });
});
