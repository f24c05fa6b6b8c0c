import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { serveHttp } from '../../apiserver/http/serve.ts';
import { testServer, WIDGETS } from '../../apiserver/testing.ts';
import type { RemoteOptions } from '../../gate/http/remote.ts';
import { RemoteServer } from '../../gate/http/remote.ts';
import { remoteUpstream } from '../../gate/http/remote-upstream.ts';
import type { ObservedChange } from '../../gate/recorder.ts';
import type { JsonObject, KubeObject } from '../../model/object.ts';
import { call } from '../../wire/call.ts';
import type { ApiResponse, Method, Upstream } from '../../wire/http.ts';
import { findProgram } from '../control-plane/binaries.ts';
import { startControlPlane } from '../control-plane/control-plane.ts';
import { cleanUp } from './clean-up.ts';
import { Footprint, leftFootprints } from './footprint.ts';
import { openExisting, type Existing } from './open-existing.ts';

const installed = findProgram('etcd') !== undefined && findProgram('kube-apiserver') !== undefined;
const isManagerInstalled = installed && findProgram('kube-controller-manager') !== undefined;
const KEPT: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'kept', namespace: 'own-a', uid: '00000000-0000-4000-8000-000000000000' },
};
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';

interface Server {
  readonly remote: RemoteOptions;
  readonly stop: () => Promise<void>;
}

async function embedded(): Promise<Server> {
  const { server } = testServer({ widgets: false });
  const http = await serveHttp(server, {
    authentication: { anonymous: { name: 'admin', groups: ['system:masters'] } },
  });
  server.boot(http.port);
  return { remote: { url: http.url }, stop: () => http.close() };
}

const real = async (controllerManager = false): Promise<Server> => {
  const plane = await startControlPlane({ controllerManager });
  const remote = { url: plane.url, ca: plane.ca, authorization: () => `Bearer ${plane.token}` };
  return { remote, stop: () => plane.stop() };
};

describe('a server of another owner, the embedded one', { timeout: 90_000 }, () => {
  describeServer(embedded);
});
describe.runIf(installed)('a server of another owner, a real one', { timeout: 90_000 }, () => {
  describeServer(() => real());
});
describe.runIf(isManagerInstalled)('a server of another owner, with a controller manager', { timeout: 90_000 }, () => {
  describeServer(() => real(true));
});

function describeServer(start: () => Promise<Server>): void {
  let folder: string;
  let footprint: Footprint;
  let server: Server;
  let theirs: Upstream & { close: () => void };
  let opened: Existing;
  const told: ObservedChange[] = [];

  const send =
    (to: () => Upstream) =>
    (method: Method, path: string, body?: JsonObject): Promise<ApiResponse> => {
      const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
      return call(to(), { method, path, query: {}, headers, ...(body === undefined ? {} : { body }) });
    };
  /** As an actor of the run. */
  const ask = send(() => opened.cluster);
  /** As whoever owns the server. */
  const own = send(() => theirs);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'existing-test-'));
    footprint = new Footprint('r1', folder);
    server = await start();
    theirs = remoteUpstream(new RemoteServer(server.remote));
    await vi.waitUntil(
      async () => (await own('POST', '/api/v1/namespaces', { metadata: { name: 'theirs' } })).code === 201,
    );
    await own('POST', '/api/v1/namespaces/theirs/configmaps', { metadata: { name: 'precious' } });
    await own('POST', ROLES, { metadata: { name: 'theirs' }, rules: [] });
    footprint.begin({ url: server.remote.url, context: 'c', kubeconfig: '/k', allowed: [] });
    opened = await openExisting({
      remote: server.remote,
      kinds: testServer().server,
      crds: [WIDGETS],
      namespaces: ['own-a'],
      laterNamespaces: [],
      objects: [KEPT],
      footprint,
      witness: () => ({ acting: () => (act) => act(), committed: (change) => void told.push(change) }),
    });
  }, 90_000);
  afterAll(async () => {
    opened?.cluster.close();
    theirs?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('answers 403 to every write outside of its namespaces, and sends none', async () => {
    await opened.cluster.restore();
    const refused = [
      await ask('DELETE', '/api/v1/namespaces/theirs/configmaps/precious'),
      await ask('DELETE', '/api/v1/namespaces/theirs'),
      await ask('POST', '/api/v1/namespaces', { metadata: { name: 'another' } }),
      await ask('PATCH', `${ROLES}/theirs`, { rules: null }),
      await ask('DELETE', ROLES),
      await ask('POST', '/api/v1/namespaces/theirs/pods/web/proxy/x/y'),
      await ask('POST', '/apis/unknown.example.com/v1/namespaces/own-a/things', { metadata: { name: 'x' } }),
    ];

    expect(refused.map(({ code }) => code)).toEqual(refused.map(() => 403));
    expect((await own('GET', '/api/v1/namespaces/theirs/configmaps/precious')).code).toBe(200);
    expect((await own('GET', `${ROLES}/theirs`)).code).toBe(200);
    expect([...opened.territory.refusals].join('\n')).toContain('delete configmaps "precious" in "theirs"');
  });

  it('shows its only namespace to who reads all of them', async () => {
    const { body } = await ask('GET', '/api/v1/configmaps');

    const { items } = body as unknown as { readonly items: readonly KubeObject[] };
    expect(items.map(({ metadata }) => metadata.name)).toContain('kept');
    expect(items.every(({ metadata }) => metadata.namespace === 'own-a')).toBe(true);
  });

  it('begins every run from one state, and leaves alone what others do meanwhile', async () => {
    await opened.cluster.restore();
    told.length = 0;
    const widgets = '/apis/example.com/v1/namespaces/own-a/widgets';
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', spec: { size: 1 } };
    const stubborn = { ...widget, metadata: { name: 'a', finalizers: ['example.com/stays'] } };
    expect((await ask('POST', widgets, stubborn)).code).toBe(201);
    await ask('DELETE', '/api/v1/namespaces/own-a/configmaps/kept');
    expect((await ask('POST', ROLES, { metadata: { name: 'made' }, rules: [] })).code).toBe(201);
    expect((await ask('PATCH', `${ROLES}/made`, { metadata: { labels: { ours: 'yes' } } })).code).toBe(200);
    await own('POST', ROLES, { metadata: { name: 'made-by-them' }, rules: [] });
    await own('POST', '/api/v1/namespaces/theirs/configmaps', { metadata: { name: 'more' } });

    await opened.cluster.restore();

    expect((await ask('GET', widgets)).body).toMatchObject({ items: [] });
    expect((await ask('GET', '/api/v1/namespaces/own-a/configmaps/kept')).code).toBe(200);
    expect((await own('GET', `${ROLES}/made`)).code).toBe(404);
    expect((await own('GET', `${ROLES}/made-by-them`)).code).toBe(200);
    expect((await own('GET', '/api/v1/namespaces/theirs/configmaps/more')).code).toBe(200);
    const heard = new Set(told.map(({ resource, namespace, name }) => `${resource}/${namespace}/${name}`));
    expect(heard).toContain('clusterroles.rbac.authorization.k8s.io//made');
    expect([...heard].filter((place) => place.includes('theirs') || place.includes('by-them'))).toEqual([]);
  });

  it('takes away what it has made, and only that', async () => {
    expect((await ask('POST', ROLES, { metadata: { name: 'made-last' }, rules: [] })).code).toBe(201);
    expect(leftFootprints(folder)).toMatchObject([{ head: { run: 'r1' }, isAlive: true }]);
    const listed = await cleanUp(server.remote, footprint, true);
    expect((await own('GET', '/api/v1/namespaces/own-a')).code).toBe(200);
    opened.cluster.close();

    const { removed, left } = await cleanUp(server.remote, footprint);

    expect(left).toEqual([]);
    expect(removed).toEqual(listed.removed);
    expect(removed).toEqual([
      'namespace own-a',
      'clusterroles.rbac.authorization.k8s.io made-last',
      'customresourcedefinitions.apiextensions.k8s.io widgets.example.com',
    ]);
    expect((await own('GET', '/api/v1/namespaces/own-a')).code).toBe(404);
    expect((await own('GET', `${ROLES}/made-last`)).code).toBe(404);
    expect((await own('GET', '/api/v1/namespaces/theirs/configmaps/precious')).code).toBe(200);
    expect(leftFootprints(folder)).toEqual([]);
  });
}
