/** A cluster that is replaced by a different one during a run: the server at its address redirects every client. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as ask, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { serveHttp } from 'stalemate-apiserver/http';
import { testServer } from 'stalemate-apiserver/testing';
import { call } from 'stalemate-apiserver/wire/call';
import { openFront } from '../../gate/http/front.ts';
import { cleanUp } from './clean-up.ts';
import { Footprint } from './footprint.ts';
import { openExisting, type ExistingOptions } from './open-existing.ts';
import { between } from './test-between.ts';
import { eventually } from '../../determinism/test-wait.ts';

let folder: string;
let stops: readonly (() => unknown)[];
let url: string;
/** Decides which paths are redirected. */
let isMoved: (path: string) => boolean;
let followed: number;

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'redirect-test-'));
  isMoved = () => false;
  followed = 0;
  const { server } = testServer({ widgets: false });
  const http = await serveHttp(server, {
    authentication: { anonymous: { name: 'admin', groups: ['system:masters'] } },
  });
  server.boot(http.port);
  const elsewhere = createServer((_, response) => {
    followed++;
    response.end('{}');
  });
  const there = await listen(elsewhere);
  const front = between(http.url, ({ url: path = '' }) =>
    isMoved(path) ? { code: 307, location: `${there}${path}` } : undefined,
  );
  url = await listen(front);
  stops = [
    ...[front, elsewhere].map((one) => () => {
      one.closeAllConnections();
      one.close();
    }),
    () => http.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  ];
});
afterEach(async () => {
  for (const stop of stops) await stop();
});

function options(): ExistingOptions {
  const footprint = new Footprint('r1', folder);
  footprint.begin({ url, context: 'c', kubeconfig: '/k', allowed: [] });
  return {
    remote: { url },
    kinds: testServer().server,
    crds: [],
    namespaces: ['own'],
    laterNamespaces: [],
    objects: [],
    footprint,
    witness: () => ({ acting: () => (act) => act(), committed: () => {} }),
  };
}

/** Returns the answer to a request for a protocol upgrade. */
async function upgrading(url: string, protocol: string): Promise<IncomingMessage> {
  const headers = {
    ...{ connection: 'Upgrade', upgrade: protocol, authorization: 'Bearer secret' },
    ...{ 'sec-websocket-key': 'c3RhbGVtYXRlc3RhbGVtYQ==', 'sec-websocket-version': '13' },
  };
  const request = ask(url, { headers });
  request.end();
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  answer.resume();
  return answer;
}

const REFUSED = { code: 'REFUSED', exitCode: 5 };

it.each([
  ['a read', {}],
  ['a watch', { watch: '1' }],
])('ends with a redirection of %s of the target, which does not see it', async (_, query) => {
  const { cluster } = await openExisting(options());
  isMoved = (path) => path.startsWith('/api/v1/namespaces/own/configmaps');

  const { code } = await call(cluster, {
    method: 'GET',
    path: '/api/v1/namespaces/own/configmaps',
    query,
    headers: {},
  });

  expect(code).toBe(502);
  expect(() => cluster.isBusy).toThrow(expect.objectContaining(REFUSED) as Error);
  expect(() => cluster.isBusy).toThrow('redirects requests (307 to GET /api/v1/namespaces/own/configmaps)');
  await expect(cluster.restore()).rejects.toMatchObject(REFUSED);
  expect(followed).toBe(0);
  cluster.close();
});

it.each([
  ['exec', '/api/v1/namespaces/own/pods/web/exec', 'SPDY/3.1'],
  ['port-forward', '/api/v1/namespaces/own/pods/web/portforward', 'websocket'],
  ['a watch', '/api/v1/namespaces/own/configmaps?watch=1', 'websocket'],
])('ends with a redirection of %s over a connection of its own', async (_, target, protocol) => {
  const { cluster } = await openExisting(options());
  const front = await openFront({
    remote: cluster.remote,
    token: 'secret',
    route: () => ({ port: cluster }),
    onRedirect: (code, request) => cluster.redirected(code, request),
  });
  isMoved = (path) => path.startsWith(target.replace(/\?.*/, ''));

  const answer = await upgrading(`${front.url}${target}`, protocol);

  expect(answer.statusCode).toBe(502);
  expect(answer.headers.location).toBeUndefined();
  expect(() => cluster.isBusy).toThrow(expect.objectContaining(REFUSED) as Error);
  expect(() => cluster.isBusy).toThrow('redirects requests (307 to GET /api/v1/namespaces/own/');
  expect(followed).toBe(0);
  await front.close();
  cluster.close();
});

it('ends with a redirection of what stalemate asks for itself', async () => {
  const given = options();
  const { cluster } = await openExisting(given);
  isMoved = () => true;

  await expect(cluster.restore()).rejects.toMatchObject(REFUSED);
  await expect(cleanUp(given.remote, given.footprint)).rejects.toMatchObject(REFUSED);
  await expect(openExisting(options())).rejects.toMatchObject(REFUSED);

  expect(given.footprint.read()).toBeDefined();
  expect(followed).toBe(0);
  cluster.close();
});

it('ends when what it looks at goes elsewhere while nobody asks', async () => {
  const given = options();
  isMoved = (path) => path.startsWith('/api/v1/namespaces/own/secrets');

  await expect(openExisting(given)).rejects.toMatchObject(REFUSED);

  isMoved = () => false;
  const { cluster } = await openExisting({ ...given, namespaces: ['own-too'] });
  expect(cluster.isBusy).toBe(false);
  cluster.close();
  await eventually(() => expect(followed).toBe(0));
});

it('lets what is behind a proxy of the server send whom it likes, and passes that on to nobody', async () => {
  const { cluster } = await openExisting(options());
  const path = '/api/v1/namespaces/own/services/web/proxy/x';
  isMoved = (asked) => asked === path;

  const { code } = await call(cluster, { method: 'GET', path, query: {}, headers: {} });

  expect(code).toBe(502);
  expect(cluster.isBusy).toBe(false);
  cluster.close();
});
