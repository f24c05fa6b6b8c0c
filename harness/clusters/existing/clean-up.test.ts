/** What is deleted from an existing cluster whose server answers with errors. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { serveHttp } from 'stalemate-apiserver/http';
import { testServer, widget, WIDGETS, WIDGETS_PATH } from 'stalemate-apiserver/testing';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { call } from 'stalemate-apiserver/wire/call';
import type { ApiResponse, Method, Upstream } from 'stalemate-apiserver/wire/http';
import { RemoteServer } from '../../gate/http/remote.ts';
import { remoteUpstream } from '../../gate/http/remote-upstream.ts';
import { cleanUp, type CleanUp } from './clean-up.ts';
import { Footprint, OWNER_LABEL } from './footprint.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CRD = 'customresourcedefinitions.apiextensions.k8s.io';
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const ROLE = 'clusterroles.rbac.authorization.k8s.io';
const LABELLED = { labels: { [OWNER_LABEL]: 'r1' } };

const folder = mkdtempSync(join(tmpdir(), 'clean-up-test-'));
let own: Upstream & { close: () => void };
let stops: readonly (() => Promise<unknown>)[] = [];
let url = '';
/** Status codes that the proxy answers in place of the server, by method and path. */
const refused = new Map<string, number>();

/** Starts a proxy of {@link url} that answers the requests in `refused` with their status codes. */
async function refusing(to: string): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const code = refused.get(`${method} ${path}`);
    if (code !== undefined) {
      incoming.resume();
      outgoing.writeHead(code, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code }));
      return;
    }
    const onward = forward(`${to}${path}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

const ask = (method: Method, path: string, body?: JsonObject): Promise<ApiResponse> =>
  call(own, {
    method,
    path,
    query: {},
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });
const make = async (path: string, object: object): Promise<KubeObject> => {
  const { code, body } = await ask('POST', path, object as JsonObject);
  expect({ code, body }).toMatchObject({ code: 201 });
  return body as unknown as KubeObject;
};

beforeEach(async () => {
  refused.clear();
  const { server } = testServer({ widgets: false });
  const http = await serveHttp(server, {
    authentication: { anonymous: { name: 'admin', groups: ['system:masters'] } },
  });
  server.boot(http.port);
  own = remoteUpstream(new RemoteServer({ url: http.url }));
  const between = await refusing(http.url);
  ({ url } = between);
  stops = [between.stop, () => http.close()];
});
afterEach(async () => {
  own?.close();
  for (const stop of stops) await stop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the footprint of a run that created a definition and a role. */
async function left(crd: KubeObject = WIDGETS): Promise<Footprint> {
  const footprint = new Footprint('r1', folder);
  footprint.end();
  footprint.begin({ url, context: 'c', kubeconfig: '/k', allowed: [] });
  const definition = await make(CRDS, crd);
  const role = await make(ROLES, { metadata: { name: 'made', ...LABELLED }, rules: [] });
  for (const [resource, { apiVersion, kind, metadata }] of [
    [CRD, definition],
    [ROLE, role],
  ] as const)
    footprint.note({ object: { apiVersion, kind, resource, name: metadata.name ?? '', uid: metadata.uid ?? '' } });
  return footprint;
}
const clean = (footprint: Footprint): Promise<CleanUp> => cleanUp({ url }, footprint);
const isThere = async (path: string): Promise<boolean> => (await ask('GET', path)).code === 200;

it.each([403, 404, 429, 500])('keeps a definition when asking who has objects of it is answered %i', async (code) => {
  const footprint = await left();
  await make(WIDGETS_PATH, widget('theirs'));
  refused.set('GET /apis/example.com/v1/widgets', code);

  const { left: kept } = await clean(footprint);

  expect(await isThere(`${WIDGETS_PATH}/theirs`)).toBe(true);
  expect(kept).toEqual([
    `definition widgets.example.com: cannot check for objects of other users: listing them was answered with ${code}`,
  ]);
  expect(footprint.read()).toBeDefined();

  refused.clear();
  await ask('DELETE', `${WIDGETS_PATH}/theirs`);
  expect((await clean(footprint)).left).toEqual([]);
  expect(await isThere(`${CRDS}/widgets.example.com`)).toBe(false);
  expect(footprint.read()).toBeUndefined();
});

it('knows what became of what was meant, and tells what nobody knows', async () => {
  const footprint = await left();
  await make(ROLES, { metadata: { name: 'theirs' }, rules: [] });
  for (const name of ['theirs', 'made']) footprint.note({ intent: ROLES, name });
  footprint.note({ unmade: ROLES, name: 'theirs' });
  await ask('DELETE', `${ROLES}/made`);
  await make(ROLES, { metadata: { name: 'made' }, rules: [] });

  const { left: kept, removed } = await clean(footprint);

  expect(kept).toEqual([
    `${ROLE} made: made by the run or by another client, which is unknown; delete it yourself if it is yours`,
  ]);
  expect(removed).toEqual(['customresourcedefinitions.apiextensions.k8s.io widgets.example.com']);
  expect([await isThere(`${ROLES}/made`), await isThere(`${ROLES}/theirs`)]).toEqual([true, true]);
});

it('asks for objects of a version that is served', async () => {
  const [version] = (WIDGETS.spec as unknown as { readonly versions: readonly [JsonObject] }).versions;
  const versions = [
    { ...version, name: 'v1alpha1', served: false, storage: false },
    { ...version, name: 'v1' },
  ];
  const footprint = await left({ ...WIDGETS, spec: { ...(WIDGETS.spec as JsonObject), versions } });
  await make(WIDGETS_PATH, widget('theirs'));

  expect((await clean(footprint)).left).toEqual([
    'definition widgets.example.com: other users have objects of it by now, such as default/theirs',
  ]);

  await ask('DELETE', `${WIDGETS_PATH}/theirs`);
  expect((await clean(footprint)).left).toEqual([]);
  expect(await isThere(`${CRDS}/widgets.example.com`)).toBe(false);
});

it('keeps a definition of which there are objects in a namespace that is not the run’s any more', async () => {
  const footprint = await left();
  footprint.note({ namespace: 'default' });
  await make(WIDGETS_PATH, widget('theirs'));

  expect((await clean(footprint)).left).toEqual([
    expect.stringContaining('namespace default: it does not have the label'),
    'definition widgets.example.com: other users have objects of it by now, such as default/theirs',
  ]);
});

it.each([
  ['asking for', 'GET', `${ROLES}/made`, `${ROLE} made`, 403],
  ['asking for', 'GET', `${CRDS}/widgets.example.com`, `${CRD} widgets.example.com`, 500],
  ['asking for', 'GET', `${ROLES}/meant`, `${ROLE} meant`, 429],
  ['asking for', 'GET', '/api/v1/namespaces/own', 'namespace own', 403],
  ['deleting', 'DELETE', `${ROLES}/made`, `${ROLE} made`, 403],
  ['deleting', 'DELETE', '/api/v1/namespaces/own', 'namespace own', 403],
] as const)(
  'does not forget anything when %s it is answered otherwise (%s %s)',
  async (asked, method, path, what, code) => {
    const footprint = await left();
    await make('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'own', ...LABELLED } });
    await make(ROLES, { metadata: { name: 'meant', ...LABELLED }, rules: [] });
    footprint.note({ namespace: 'own' });
    // A run creates the object in each of its trials.
    for (const name of ['meant', 'meant']) footprint.note({ intent: ROLES, name });
    refused.set(`${method} ${path}`, code);

    const { left: kept, removed } = await clean(footprint);

    const word = asked === 'deleting' ? `deleting it` : `reading it`;
    expect(kept).toEqual([`${what}: ${word} was answered with ${code}`]);
    expect(removed).not.toContain(what);

    refused.clear();
    expect(await clean(footprint)).toMatchObject({ left: [], removed: [what] });
    expect(footprint.read()).toBeUndefined();
    expect(await isThere(path)).toBe(false);
  },
);
