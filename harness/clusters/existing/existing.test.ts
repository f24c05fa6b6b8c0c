import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { serveHttp } from 'stalemate-apiserver/http';
import { testServer, WIDGETS } from 'stalemate-apiserver/testing';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { call } from 'stalemate-apiserver/wire/call';
import type { ApiRequest, ApiResponse, Method, Upstream } from 'stalemate-apiserver/wire/http';
import { findProgram } from 'stalemate-apiserver/control-plane/binaries';
import { startControlPlane } from 'stalemate-apiserver/control-plane/control-plane';
import { decoded } from '../../gate/http/decode.ts';
import { openFront } from '../../gate/http/front.ts';
import type { RemoteOptions } from '../../gate/http/remote.ts';
import { RemoteServer } from '../../gate/http/remote.ts';
import { remoteUpstream } from '../../gate/http/remote-upstream.ts';
import type { ObservedChange } from '../../gate/recorder.ts';
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
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ROLES = `${RBAC}/clusterroles`;
const ROLE = 'clusterroles.rbac.authorization.k8s.io';
const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const ALLOWED = [
  'clusterroles.rbac.authorization.k8s.io=made*',
  'apiservices.apiregistration.k8s.io=v1.made.example.com',
  'certificatesigningrequests.certificates.k8s.io=made',
];
const SERVICE: JsonObject = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.made.example.com' },
  spec: {
    ...{ group: 'made.example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 10 },
    service: { namespace: 'own-a', name: 'none' },
    insecureSkipTLSVerify: true,
  },
};
/** A certificate signing request for any user: `openssl req -new`, in base64. */
const REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISU1IRUNBUUF3RHpFTk1Bc0dBMVVFQXd3RWJXRmtaVEJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSApBMElBQksrMC9XL2FHWWNwczZPWW5QL1FsU2Qxd1RWaUQ3cXBrL1ovWWduUUllKy9EOVp1TUtSWkNncDZSMW5mCnFnTW0xL2dFMllQWFZieDR2L2VmWHhvK21VR2dBREFLQmdncWhrak9QUVFEQWdOSEFEQkVBaUFlNWRoVi9iZHcKS1BTSWZxaElMd2pCYWdELzR6RVl5RXhzZ25KLzdzbUtNQUlnQ0VqbThYOC9jenBuRUdoQXhQdWZzZDVGSUlvNwp0NzJ2QzUzTHN4d2g3aVE9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=';
/** Cluster-wide resources that all users of a cluster share, with an object of each. */
const EVERYBODYS: readonly (readonly [path: string, object: JsonObject])[] = [
  [`${RBAC}/clusterrolebindings`, { roleRef: {}, subjects: [{ kind: 'Group', name: 'system:unauthenticated' }] }],
  [ROLES, { rules: [] }],
  ['/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', { webhooks: [] }],
  ['/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', { webhooks: [] }],
  ['/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', { spec: {} }],
  ['/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', { spec: {} }],
  [SERVICES, { spec: { group: 'bad.example.com', version: 'v1' } }],
  ['/api/v1/nodes', {}],
  ['/api/v1/persistentvolumes', { spec: { claimRef: { namespace: 'theirs' } } }],
  ['/apis/scheduling.k8s.io/v1/priorityclasses', { value: 1, globalDefault: true }],
  ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { spec: {} }],
  ['/apis/storage.k8s.io/v1/storageclasses', { provisioner: 'x' }],
  ['/apis/storage.k8s.io/v1/csidrivers', { spec: {} }],
  ['/apis/networking.k8s.io/v1/ingressclasses', { spec: {} }],
  ['/apis/node.k8s.io/v1/runtimeclasses', { handler: 'x' }],
  ['/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas', { spec: {} }],
  ['/apis/certificates.k8s.io/v1/certificatesigningrequests', { spec: {} }],
];

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
    (method: Method, path: string, body?: JsonObject, more: ApiRequest['headers'] = {}): Promise<ApiResponse> => {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const headers = { 'content-type': type, ...more };
      return call(to(), { method, path, query: {}, headers, ...(body === undefined ? {} : { body }) });
    };
  /** Sends requests as an actor of the run. */
  const ask = send(() => opened.cluster);
  /** Sends requests as the owner of the server. */
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
      allowed: ALLOWED,
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
      await ask('POST', '/api/v1/nodes/theirs/proxy'),
      await ask('POST', '/api/v1/nodes/theirs/proxy/namespaces/own-a/x'),
      await ask('POST', '/api/v1/namespaces/own-a%2F..%2Ftheirs/configmaps', { metadata: { name: 'x' } }),
      await ask(
        'POST',
        '/api/v1/namespaces/own-a/configmaps',
        { metadata: { name: 'x' } },
        { 'impersonate-user': 'a' },
      ),
    ];

    expect(refused.map(({ code }) => code)).toEqual(refused.map(() => 403));
    expect((await own('GET', '/api/v1/namespaces/theirs/configmaps/precious')).code).toBe(200);
    expect((await own('GET', `${ROLES}/theirs`)).code).toBe(200);
    expect(opened.territory.refusals.join('\n')).toContain('delete configmaps "precious" in "theirs"');
  });

  it.each(EVERYBODYS)('sends no write to %s that was not allowed, and says how it can be', async (path, object) => {
    const { code, body } = await ask('POST', path, { ...object, metadata: { name: 'bad' } });

    expect(code).toBe(403);
    expect((await own('GET', `${path}/bad`)).code).toBe(404);
    const [resource = ''] = path.split('/').slice(-1);
    const told = opened.territory.refusals;
    await ask('POST', path, { ...object, metadata: { name: 'bad-too' } });
    expect(opened.territory.refusals).toHaveLength(told.length);
    expect((body as JsonObject)['message']).toMatch(new RegExp(`--allow-cluster-write '${resource}[a-z0-9.]*=bad'$`));
  });

  it('makes volumes for claims of its own', async () => {
    const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/none' } };
    const claimRef = { namespace: 'own-a', name: 'none', uid: '1' };
    const { code } = await ask('POST', '/api/v1/persistentvolumes', {
      metadata: { name: 'bound' },
      spec: { ...spec, claimRef },
    });

    expect(code).toBe(201);
  });

  it('looks at nothing in namespaces of others', async () => {
    const refused = [
      await ask('GET', '/api/v1/namespaces/theirs/configmaps/precious'),
      await ask('GET', '/api/v1/namespaces/theirs/configmaps'),
      await ask('GET', '/api/v1/namespaces/theirs'),
      await ask('GET', '/api/v1/nodes/theirs/proxy'),
      await ask('GET', '/api/v1/namespaces/own-a/../theirs/configmaps/precious'),
      await ask('GET', '/api/v1/namespaces%2Ftheirs/configmaps/precious'),
      await ask('GET', '/apis/unknown.example.com/v1/things'),
    ];

    expect(refused.map(({ code }) => code)).toEqual(refused.map(() => 403));
    expect((await ask('GET', `${ROLES}/theirs`)).code).toBe(200);
    const { items } = (await ask('GET', '/api/v1/namespaces')).body as unknown as { readonly items: KubeObject[] };
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['own-a']);
  });

  it('approves no certificate, not even of a request that it was allowed to make', async () => {
    const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    const spec = { request: REQUEST, signerName: 'example.com/none', usages: ['client auth'] };
    const made = await ask('POST', requests, { metadata: { name: 'made' }, spec });
    expect(made).toMatchObject({ code: 201 });

    const approved = await ask('PUT', `${requests}/made/approval`, made.body as JsonObject);

    expect(approved).toMatchObject({ code: 403 });
    expect((approved.body as JsonObject)['message']).toContain(
      'certificatesigningrequests.certificates.k8s.io/approval',
    );
  });

  it('notes what is allowed before it is sent, and what became of it', async () => {
    await own('POST', ROLES, { metadata: { name: 'made-theirs' }, rules: [] });
    const before = footprint.read()?.notes.length ?? 0;

    const { body } = await ask('POST', ROLES, { metadata: { name: 'made-now' }, rules: [] });
    expect((await ask('POST', ROLES, { metadata: { name: 'made-theirs' }, rules: [] })).code).toBe(409);
    expect((await ask('DELETE', `${ROLES}/made-theirs`)).code).toBe(403);
    const dry = { method: 'POST', path: ROLES, query: { dryRun: 'All' }, headers: {} } as const;
    expect((await call(opened.cluster, { ...dry, body: { metadata: { name: 'made-dry' }, rules: [] } })).code).toBe(
      201,
    );

    const { metadata } = body as unknown as KubeObject;
    expect(metadata.labels).toBeUndefined();
    expect(footprint.read()?.notes.slice(before)).toEqual([
      { intent: ROLES, name: 'made-now' },
      { object: expect.objectContaining({ resource: ROLE, name: 'made-now', uid: metadata.uid }) as object },
      { intent: ROLES, name: 'made-theirs' },
      { unmade: ROLES, name: 'made-theirs' },
    ]);
    await own('DELETE', `${ROLES}/made-theirs`);
  });

  it('makes by apply what is allowed and not there, notes it before it is sent, and leaves what others have', async () => {
    const APPLY = { 'content-type': 'application/apply-patch+yaml' };
    const role = (name: string): JsonObject => {
      const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }];
      return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules };
    };
    const apply = (name: string, query: ApiRequest['query'] = {}): Promise<ApiResponse> => {
      const asked = { fieldManager: 'target', ...query };
      const path = `${ROLES}/${name}`;
      return call(opened.cluster, { method: 'PATCH', path, query: asked, headers: APPLY, body: role(name) });
    };
    await own('POST', ROLES, { metadata: { name: 'made-theirs' }, rules: [] });
    const before = footprint.read()?.notes.length ?? 0;

    const made = await apply('made-by-apply');
    const again = await apply('made-by-apply');
    const both = await Promise.all([apply('made-at-once'), apply('made-at-once')]);
    const codes = [
      (await apply('made-theirs')).code,
      (await apply('bad-by-apply')).code,
      (await apply('made-dry', { dryRun: 'All' })).code,
      (await apply('made-theirs', { dryRun: 'All' })).code,
    ];

    const { metadata } = made.body as unknown as KubeObject;
    expect([made.code, again.code, ...codes]).toEqual([201, 200, 403, 403, 201, 403]);
    expect(new Set(both.map(({ code }) => code))).toEqual(new Set([200, 201]));
    expect(JSON.stringify((await own('GET', `${ROLES}/made-theirs`)).body)).not.toContain('configmaps');
    const notes = footprint.read()?.notes.slice(before) ?? [];
    expect(notes.slice(0, 2)).toEqual([
      { intent: ROLES, name: 'made-by-apply' },
      { object: expect.objectContaining({ resource: ROLE, name: 'made-by-apply', uid: metadata.uid }) as object },
    ]);
    expect(JSON.stringify(notes)).not.toMatch(/made-theirs|bad-by-apply|made-dry|unmade/);
    expect(notes.filter((note) => 'object' in note && note.object.name === 'made-at-once')).toHaveLength(1);
    await own('DELETE', `${ROLES}/made-theirs`);

    await opened.cluster.restore();

    expect((await own('GET', `${ROLES}/made-by-apply`)).code).toBe(404);
    expect((await own('GET', `${ROLES}/made-at-once`)).code).toBe(404);
  });

  it('shows its only namespace to who reads all of them', async () => {
    const { body } = await ask('GET', '/api/v1/configmaps');

    const { items } = body as unknown as { readonly items: readonly KubeObject[] };
    expect(items.map(({ metadata }) => metadata.name)).toContain('kept');
    expect(items.every(({ metadata }) => metadata.namespace === 'own-a')).toBe(true);
  });

  it('shows its several namespaces, and no others, to who reads all of them', async () => {
    const notes = new Footprint('r2', folder);
    notes.begin({ url: server.remote.url, context: 'c', kubeconfig: '/k', allowed: [] });
    const { cluster } = await openExisting({
      remote: server.remote,
      kinds: testServer().server,
      crds: [WIDGETS],
      namespaces: ['two-a', 'two-b'],
      laterNamespaces: [],
      objects: ['two-a', 'two-b'].map((namespace) => ({ ...KEPT, metadata: { ...KEPT.metadata, namespace } })),
      footprint: notes,
      witness: () => ({ acting: () => (act) => act(), committed: () => {} }),
    });
    const front = await openFront({ remote: cluster.remote, token: 'secret', route: () => ({ port: cluster }) });
    const places = ({ items = [] }: { readonly items?: readonly KubeObject[] }): readonly string[] => [
      ...new Set(items.map(({ metadata: { name = '', namespace = name } }) => namespace)),
    ];
    const listed = async (path: string, accept: string): Promise<readonly string[]> => {
      const headers = { accept, authorization: 'Bearer secret' };
      const answer = await fetch(`${front.url}${path}`, { headers });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, accept]);
      const bytes = Buffer.from(await answer.arrayBuffer());
      return places(decoded([bytes], ['content-type', accept]) as { readonly items?: readonly KubeObject[] });
    };
    const seen: string[] = [];
    const watch = { method: 'GET', path: '/api/v1/configmaps', query: { watch: '1' }, headers: {} } as const;
    const cancel = cluster.send(watch, {
      open: () => {},
      answer: () => {},
      event: ({ object }) => void seen.push((object as KubeObject).metadata.namespace ?? ''),
      end: () => {},
    });

    const protobuf = 'application/vnd.kubernetes.protobuf';
    for (const accept of ['application/json', protobuf]) {
      expect(await listed('/api/v1/configmaps', accept)).toEqual(['two-a', 'two-b']);
      expect(await listed('/api/v1/namespaces', accept)).toEqual(['two-a', 'two-b']);
    }
    await own('POST', '/api/v1/namespaces/theirs/configmaps', { metadata: { name: 'seen-by-none' } });
    await own('POST', '/api/v1/namespaces/two-b/configmaps', { metadata: { name: 'seen-last' } });
    await vi.waitUntil(() => seen.filter((namespace) => namespace === 'two-b').length >= 2);

    expect(new Set(seen)).toEqual(new Set(['two-a', 'two-b']));
    cancel();
    await front.close();
    cluster.close();
    expect((await cleanUp(server.remote, notes)).left).toEqual([]);
    await own('DELETE', '/api/v1/namespaces/theirs/configmaps/seen-by-none');
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
    expect((await ask('POST', SERVICES, SERVICE)).code).toBe(201);
    expect((await ask('PATCH', `${ROLES}/made`, { metadata: { labels: { ours: 'yes' } } })).code).toBe(200);
    await own('POST', ROLES, { metadata: { name: 'made-by-them' }, rules: [] });
    await own('POST', '/api/v1/namespaces/theirs/configmaps', { metadata: { name: 'more' } });

    await opened.cluster.restore();

    expect((await ask('GET', widgets)).body).toMatchObject({ items: [] });
    expect((await ask('GET', '/api/v1/namespaces/own-a/configmaps/kept')).code).toBe(200);
    expect((await own('GET', `${ROLES}/made`)).code).toBe(404);
    expect((await own('GET', `${SERVICES}/v1.made.example.com`)).code).toBe(404);
    expect((await own('GET', `${ROLES}/made-by-them`)).code).toBe(200);
    expect((await own('GET', '/api/v1/namespaces/theirs/configmaps/more')).code).toBe(200);
    const heard = new Set(told.map(({ resource, namespace, name }) => `${resource}/${namespace}/${name}`));
    expect(heard).toContain('clusterroles.rbac.authorization.k8s.io//made');
    expect(heard).toContain('apiservices.apiregistration.k8s.io//v1.made.example.com');
    expect([...heard].filter((place) => place.includes('theirs') || place.includes('by-them'))).toEqual([]);
  });

  it('takes away what it has made, and only that', async () => {
    expect((await ask('POST', ROLES, { metadata: { name: 'made-last' }, rules: [] })).code).toBe(201);
    expect((await ask('POST', SERVICES, SERVICE)).code).toBe(201);
    expect(leftFootprints(folder)).toMatchObject([{ head: { run: 'r1' }, isAlive: true }]);
    const listed = await cleanUp(server.remote, footprint, true);
    expect((await own('GET', '/api/v1/namespaces/own-a')).code).toBe(200);
    opened.cluster.close();

    const { removed, left } = await cleanUp(server.remote, footprint);

    expect(left).toEqual([]);
    expect(removed).toEqual(listed.removed);
    expect(removed).toEqual([
      `${ROLE} made-last`,
      'apiservices.apiregistration.k8s.io v1.made.example.com',
      'namespace own-a',
      'customresourcedefinitions.apiextensions.k8s.io widgets.example.com',
    ]);
    expect((await own('GET', '/api/v1/namespaces/own-a')).code).toBe(404);
    expect((await own('GET', `${ROLES}/made-last`)).code).toBe(404);
    expect((await own('GET', `${SERVICES}/v1.made.example.com`)).code).toBe(404);
    expect((await own('GET', '/api/v1/namespaces/theirs/configmaps/precious')).code).toBe(200);
    expect(leftFootprints(folder)).toEqual([]);
  });
}
