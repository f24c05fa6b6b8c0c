/** What a watch of a pod reports if the revision that it resumes from has expired. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { PodRequests } from './pod-requests.ts';

const POD: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one', namespace: 'default' } };
const GONE = { type: 'ERROR', object: { kind: 'Status', metadata: {}, code: 410, reason: 'Expired' } };

let server: Server;
let folder: string;
/** The events of each watch in order, the items of lists, and the requests received. */
let watches: readonly (readonly object[])[];
let items: readonly object[];
let asked: string[];

beforeEach(async () => {
  asked = [];
  folder = mkdtempSync(join(tmpdir(), 'pod-requests-test-'));
  server = createServer(({ url = '' }, response) => {
    const { searchParams } = new URL(url, 'http://here');
    response.setHeader('content-type', 'application/json');
    if (searchParams.get('watch') === null) {
      asked.push('list');
      response.end(JSON.stringify({ kind: 'PodList', metadata: { resourceVersion: '9' }, items }));
      return;
    }
    asked.push(`watch ${searchParams.get('resourceVersion') ?? ''}`);
    const [events = [], ...rest] = watches;
    watches = rest;
    for (const event of events) response.write(`${JSON.stringify(event)}\n`);
    // The last watch stays open.
    if (rest.length > 0) response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const one = (kind: string, of: object): object => ({ [`${kind}s`]: [{ name: 'here', [kind]: of }] });
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    ...one('cluster', { server: `http://127.0.0.1:${port}` }),
    ...one('user', {}),
    ...one('context', { cluster: 'here', user: 'here' }),
  };
  writeFileSync(join(folder, 'kubeconfig'), JSON.stringify(config));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const at = (resourceVersion: string): KubeObject => ({ ...POD, metadata: { ...POD.metadata, resourceVersion } });

/** Collects the reports of a watch until the pod is reported lost or has this version. */
async function heard(until: string): Promise<readonly string[]> {
  const requests = new PodRequests({ kubeconfig: join(folder, 'kubeconfig'), context: 'here' });
  const heard: string[] = [];
  let end = (): void => {};
  await new Promise<void>((resolve) => {
    const hear = (what: string): void => {
      heard.push(what);
      if (what === until) resolve();
    };
    end = requests.watch(POD, ({ metadata }) => hear(metadata.resourceVersion ?? ''), hear);
  });
  end();
  return heard;
}

it('lists again, and goes on from there', async () => {
  watches = [[{ type: 'ADDED', object: at('5') }, GONE], [{ type: 'MODIFIED', object: at('11') }]];
  items = [at('8')];

  expect(await heard('11')).toEqual(['5', '8', '11']);
  expect(asked).toEqual(['watch ', 'list', 'watch 9']);
});

it('hears that the pod is gone meanwhile', async () => {
  watches = [[GONE], []];
  items = [];

  expect(await heard('its pod was deleted')).toEqual(['its pod was deleted']);
});

it('does not ask again for what the server refuses for another reason', async () => {
  watches = [[{ type: 'ERROR', object: { ...GONE.object, code: 500 } }], []];

  expect(await heard('its pod could not be watched (500)')).toHaveLength(1);
  expect(asked).toEqual(['watch ']);
});
