import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { serveHttp } from '../../apiserver/http/serve.ts';
import { testServer } from '../../apiserver/testing.ts';
import { HarnessError } from '../../model/errors.ts';
import { chooseCluster, openAccess, reachCluster } from './access.ts';

const folder = mkdtempSync(join(tmpdir(), 'access-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function kubeconfig(name: string, contexts: { readonly [context: string]: string }): string {
  const file = join(folder, name);
  const entries = Object.entries(contexts);
  writeFileSync(
    file,
    stringify({
      'current-context': entries[0]?.[0],
      clusters: entries.map(([context, server]) => ({ name: `of-${context}`, cluster: { server } })),
      users: [],
      contexts: entries.map(([context]) => ({ name: context, context: { cluster: `of-${context}`, user: '' } })),
    }),
  );
  return file;
}

async function listening(answer: (response: ServerResponse) => void): Promise<readonly [Server, string]> {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
}

const LOCAL = 'http://127.0.0.1:1';
const REMOTE = 'https://prod.example.com:6443';

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof HarnessError) return `${error.exitCode} ${error.message}`;
  }
  return 'let through';
}

describe('a cluster is named, never found', () => {
  const local = kubeconfig('local', { mine: LOCAL });

  it('refuses when only the surroundings lead somewhere', () => {
    const home = join(folder, 'home');
    mkdirSync(join(home, '.kube'), { recursive: true });
    writeFileSync(join(home, '.kube', 'config'), '');
    const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

    for (const environment of [{ KUBECONFIG: local }, { HOME: home }, pod])
      expect(refusal(() => chooseCluster({}, folder, environment))).toMatch(
        /^5 got cluster "existing" without a cluster/,
      );
    expect(refusal(() => chooseCluster({ prefix: 'mine', allowed: ['mine'] }, folder, { KUBECONFIG: local }))).toMatch(
      /^5 /,
    );
  });

  it('takes the file that is named and no other', () => {
    const other = kubeconfig('other', { other: 'http://127.0.0.1:2' });

    expect(chooseCluster({ kubeconfig: 'local' }, folder, { KUBECONFIG: other })).toMatchObject({
      kubeconfig: local,
      context: 'mine',
      prefix: 'stalemate',
    });
  });

  it('finds a context by its exact name alone', () => {
    const environment = { KUBECONFIG: `${kubeconfig('first', { elsewhere: REMOTE })}:${local}` };

    expect(chooseCluster({ context: 'mine' }, folder, environment)).toMatchObject({
      kubeconfig: local,
      context: 'mine',
    });
    for (const context of ['min', 'mine ', 'MINE'])
      expect(refusal(() => chooseCluster({ context }, folder, environment))).toMatch(/^2 found no context/);
  });
});

describe('a cluster is let through by where it is', () => {
  it.each([
    ['kind-x', REMOTE],
    ['minikube', 'https://192.168.49.2:8443'],
    ['localhost', 'https://localhost.example.com'],
    ['dotted', 'https://127.0.0.1.example.com'],
    ['user-info', 'https://127.0.0.1@prod.example.com'],
    ['hex', 'https://0x7f000001.example.com'],
    ['any', 'https://0.0.0.0:6443'],
    ['mapped', 'https://[::ffff:10.0.0.1]:6443'],
  ])('refuses context "%s", which leads to %s', (context, server) => {
    const file = kubeconfig(`to-${context}`, { [context]: server });

    expect(refusal(() => chooseCluster({ kubeconfig: file, context }, folder))).toMatch(
      new RegExp(`^5 context "${context}" leads to .*--allow-context ${context}`),
    );
    expect(refusal(() => chooseCluster({ kubeconfig: file, allowed: [`${context}-2`] }, folder))).toMatch(/^5 /);
    expect(refusal(() => chooseCluster({ kubeconfig: file, allowed: [context] }, folder))).toBe('let through');
  });

  it('looks again when the file has changed since', () => {
    const file = kubeconfig('moves', { mine: LOCAL });
    const access = chooseCluster({ kubeconfig: file }, folder);
    kubeconfig('moves', { mine: REMOTE });

    expect(refusal(() => openAccess(access))).toMatch(/^5 context "mine" leads to prod\.example\.com:6443/);
  });
});

describe('what answers has to be the API server itself', () => {
  it('follows no redirection', async () => {
    let asked = 0;
    const [elsewhere, url] = await listening((response) => {
      asked++;
      response.end('{"gitVersion":"v1"}');
    });
    const [redirecting, from] = await listening((response) => {
      response.writeHead(307, { location: `${url}/version` }).end();
    });

    await expect(reachCluster({ url: from })).rejects.toThrow(/sends requests elsewhere \(307/);

    expect(asked).toBe(0);
    redirecting.close();
    elsewhere.close();
  });

  it('says what it is when it is none', async () => {
    const [page, url] = await listening((response) => response.end('<html>'));

    await expect(reachCluster({ url })).rejects.toThrow(/expected an API server and credentials/);
    page.close();
    await expect(reachCluster({ url: LOCAL })).rejects.toThrow(/could not be reached.*expected a running API server/);
  });

  it('tells its version', async () => {
    const http = await serveHttp(testServer().server, {
      authentication: { anonymous: { name: 'admin', groups: ['system:masters'] } },
    });

    expect(await reachCluster({ url: http.url })).toMatch(/^v1\./);
    await http.close();
  });
});
