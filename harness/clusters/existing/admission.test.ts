import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { serveHttp } from 'stalemate-apiserver/http';
import { testServer } from 'stalemate-apiserver/testing';
import { kubeconfigOf } from 'stalemate-apiserver/wire/kubeconfig';
import { HarnessError } from '../../model/errors.ts';
import { admitCluster, type Admission, type NamedCluster } from './admission.ts';
import { allowCluster, allowedClusters } from './allowed-clusters.ts';
import { noteServed } from './served-clusters.ts';

const folder = mkdtempSync(join(tmpdir(), 'admission-test-'));
const servers: Server[] = [];
/** A server that gives one answer to every request, with the number of requests. */
interface Answering {
  readonly url: string;
  asked: number;
}

async function answering(answer: (response: ServerResponse, request: IncomingMessage) => void): Promise<Answering> {
  const state = { url: '', asked: 0 };
  const server = createServer((request, response) => {
    state.asked++;
    answer(response, request);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

/** Serves the part of an API server that the admission of a cluster reads: its version and the uid of `kube-system`. */
function cluster(uid: string): Promise<Answering> {
  return answering((response, { url }) => {
    const body = url === '/version' ? { gitVersion: 'v1.36.0' } : { metadata: { name: 'kube-system', uid } };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
}

let files = 0;
function named(server: string, more: Partial<NamedCluster> = {}, context = 'mine'): NamedCluster {
  const kubeconfig = join(folder, `kubeconfig-${files++}`);
  writeFileSync(kubeconfig, stringify(kubeconfigOf({ name: context, server })));
  return { kubeconfig, allowed: [], ...more };
}

async function outcome(one: NamedCluster, admission?: Admission): Promise<string> {
  try {
    return `let in: ${(await admitCluster(one, admission)).uid ?? 'unknown'}`;
  } catch (error) {
    if (error instanceof HarnessError) return `${error.exitCode} ${error.message}`;
    throw error;
  }
}

beforeEach(() => {
  const home = mkdtempSync(join(folder, 'home-'));
  vi.stubEnv('XDG_CONFIG_HOME', join(home, 'config'));
  vi.stubEnv('XDG_STATE_HOME', join(home, 'state'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a cluster is let in by which one it is', () => {
  it('is refused on this machine too, when nobody has allowed it', async () => {
    const { url } = await cluster('u1');

    expect(await outcome(named(url))).toBe(
      `5 context "mine" at ${url} points to a cluster that is not allowed (uid of its namespace kube-system: u1), and an address of this machine may be a tunnel; expected --allow-cluster u1 or --allow-context mine if you mean that cluster`,
    );
    expect(await outcome(named(url, { allowed: ['mine-2'], clusters: ['u2'] }))).toMatch(/^5 /);
  });

  it('is let in by uid, by context, by what the user keeps, and by what stalemate serves', async () => {
    const { url } = await cluster('u1');

    expect(await outcome(named(url, { clusters: ['u1'] }))).toBe('let in: u1');
    expect(await outcome(named(url, { allowed: ['mine'] }))).toBe('let in: u1');
    expect(await outcome(named(url))).toMatch(/^5 /);
    allowCluster({ uid: 'u1', context: 'another', server: 'https://moved.example.com' });
    expect(await outcome(named(url))).toBe('let in: u1');
    const other = await cluster('../u2');
    expect(await outcome(named(other.url))).toMatch(/^5 /);
    const forget = noteServed('../u2', other.url);
    expect(await outcome(named(other.url))).toBe('let in: ../u2');
    forget();
    expect(await outcome(named(other.url))).toMatch(/^5 /);
  });

  it('asks a person who is there, and keeps a yes and no other answer', async () => {
    const { url } = await cluster('u1');
    const questions: object[] = [];
    const answer = (yes: boolean): Admission => ({
      ask: (which) => {
        questions.push(which);
        return Promise.resolve(yes);
      },
    });

    expect(await outcome(named(url), answer(false))).toMatch(/^5 .*is not allowed/);
    expect(allowedClusters().clusters).toEqual([]);
    expect(await outcome(named(url), answer(true))).toBe('let in: u1');
    expect(await outcome(named(url), answer(false))).toBe('let in: u1');
    expect(await outcome(named(url))).toBe('let in: u1');

    expect(questions).toEqual([1, 2].map(() => ({ uid: 'u1', context: 'mine', server: url })));
    expect(allowedClusters().clusters).toEqual([{ uid: 'u1', context: 'mine', server: url }]);
  });

  it('is the one that it was', async () => {
    const { url } = await cluster('u2');

    expect(await outcome(named(url, { allowed: ['mine'], clusters: ['u2'] }), { same: 'u1' })).toMatch(
      /^5 context "mine" at .* points to another cluster than before .*: u2\), expected u1/,
    );
    expect(await outcome(named(url), { same: 'u2' })).toBe('let in: u2');
  });

  it('is let in by the name of its context alone where nobody may know which one it is', async () => {
    const { url } = await answering((response, request) => {
      const isKnown = request.url === '/version';
      response.writeHead(isKnown ? 200 : 403, { 'content-type': 'application/json' });
      response.end(isKnown ? '{"gitVersion":"v1.36.0"}' : '{}');
    });

    expect(await outcome(named(url, { clusters: ['u1'] }))).toMatch(/^5 .*answered 403 .*--allow-context mine/);
    expect(await outcome(named(url, { allowed: ['mine'] }))).toBe('let in: unknown');
  });

  it('knows an API server of ours', async () => {
    const { server } = testServer();
    const http = await serveHttp(server, {
      authentication: { anonymous: { name: 'admin', groups: ['system:masters'] } },
    });
    server.boot(http.port);

    const { uid, version } = await admitCluster(named(http.url, { allowed: ['mine'] }));

    expect(version).toMatch(/^v1\./);
    expect(uid).toMatch(/^uid-/);
    await http.close();
  });
});

describe('a server elsewhere is not even asked', () => {
  it.each([
    ['kind-x', 'https://prod.example.com:6443'],
    ['minikube', 'https://192.168.49.2:8443'],
    ['localhost', 'https://localhost.example.com'],
    ['dotted', 'https://127.0.0.1.example.com'],
    ['user-info', 'https://127.0.0.1@prod.example.com'],
    ['hex', 'https://0x7f000001.example.com'],
    ['any', 'https://0.0.0.0:6443'],
    ['mapped', 'https://[::ffff:10.0.0.1]:6443'],
  ])('refuses context "%s", which leads to %s', async (context, server) => {
    expect(await outcome(named(server, { allowed: [`${context}-2`] }, context))).toMatch(
      new RegExp(`^5 context "${context}" points to .*which is not on this machine.*--allow-context ${context}`),
    );
  });

  it('looks again when the file has changed since', async () => {
    const { url } = await cluster('u1');
    const one = named(url, { clusters: [] });
    writeFileSync(one.kubeconfig, stringify(kubeconfigOf({ name: 'mine', server: 'https://prod.example.com:6443' })));

    expect(await outcome(one)).toMatch(/^5 context "mine" points to prod\.example\.com:6443/);
  });
});

describe('what answers has to be the API server itself', () => {
  it.each(['/version', '/api/v1/namespaces/kube-system'])('follows no redirection of %s', async (path) => {
    const elsewhere = await cluster('u1');
    const { url } = await answering((response, request) => {
      if (request.url === path) response.writeHead(307, { location: `${elsewhere.url}${path}` }).end();
      else response.setHeader('content-type', 'application/json').end('{"gitVersion":"v1.36.0"}');
    });

    expect(await outcome(named(url, { allowed: ['mine'] }))).toMatch(
      new RegExp(`^5 the API server redirects requests \\(307 to GET ${path}\\)`),
    );
    expect(elsewhere.asked).toBe(0);
  });

  it('says what it is when it is none', async () => {
    const page = await answering((response) => response.end('<html>'));

    expect(await outcome(named(page.url, { allowed: ['mine'] }))).toMatch(/^3 .*expected an API server and cred/);
    expect(await outcome(named('http://127.0.0.1:1'))).toMatch(/^3 .*could not be reached.*expected a running API/);
  });
});
