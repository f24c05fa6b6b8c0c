import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { get, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { stalemate, startStalemate } from './test-bin.ts';

const CRD = fileURLToPath(new URL('../../controllers-under-test/releases/crd.yaml', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-serve-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Served {
  readonly child: ReturnType<typeof startStalemate>;
  readonly url: string;
  readonly exit: Promise<number | null>;
}

async function started(...flags: readonly string[]): Promise<Served> {
  const child = startStalemate(['serve', ...flags], folder);
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().replace('serving on ', '').trim()));
    child.once('exit', () => reject(new Error('the server ended')));
  });
  return { child, url, exit };
}

function codeOf(url: string, options: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, options, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).once('error', reject);
  });
}

describe('serve', () => {
  it('answers API requests, writes a kubeconfig and ends on Ctrl-C', async () => {
    const kubeconfig = join(folder, 'kubeconfig.yaml');
    const { child, url, exit } = await started('--plain-http', '--crds', CRD, '--write-kubeconfig', kubeconfig);

    const releases = await fetch(`${url}/apis/delivery.example.com/v1/namespaces/default/releases`);
    const written = parse(readFileSync(kubeconfig, 'utf8')) as { clusters: readonly { cluster: { server: string } }[] };
    child.kill('SIGINT');

    expect(releases.status).toBe(200);
    expect(await releases.json()).toMatchObject({ kind: 'ReleaseList', items: [] });
    expect(written.clusters[0]?.cluster.server).toBe(url);
    expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
    expect(await exit).toBe(0);
  });

  it('speaks TLS, and knows the administrator of the kubeconfig and the users of the token file', async () => {
    const kubeconfig = join(folder, 'kubeconfig.yaml');
    writeFileSync(join(folder, 'tokens.csv'), 'secret,alice,,"dev,ops"\n');
    const flags = ['--controllers', 'workloads', '--token-file', 'tokens.csv', '--write-kubeconfig', kubeconfig];
    const { child, url, exit } = await started(...flags);
    const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as {
      clusters: readonly [{ cluster: { 'certificate-authority-data': string } }];
      users: readonly [{ user: { token: string } }];
    };
    const ca = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString();
    const path = `${url}/api/v1/namespaces/default`;

    const codes = [
      await codeOf(path, { ca, headers: { authorization: `Bearer ${users[0].user.token}` } }),
      await codeOf(path, { ca, headers: { authorization: 'Bearer secret' } }),
      await codeOf(path, { ca, headers: { authorization: 'Bearer other' } }),
      await codeOf(path, { ca }),
    ];
    child.kill('SIGINT');

    expect(url).toMatch(/^https:/);
    expect(codes).toEqual([200, 200, 401, 401]);
    expect(await exit).toBe(0);
  });

  it('lets roles and bindings decide under rbac', async () => {
    const tokens = 'root,root,,"system:masters"\nalice,alice,\n';
    writeFileSync(join(folder, 'tokens.csv'), tokens);
    const { child, url, exit } = await started('--authorization', 'rbac', '--token-file', 'tokens.csv', '--plain-http');
    const as = (token: string): Promise<number> =>
      fetch(`${url}/api/v1/namespaces`, { headers: { authorization: `Bearer ${token}` } }).then(({ status }) => status);

    const codes = [await as('root'), await as('alice'), await as('mallory')];
    child.kill('SIGINT');

    expect(codes).toEqual([200, 403, 401]);
    expect(await exit).toBe(0);
  });

  it('never writes over the kubeconfig of other clusters', async () => {
    const kubeconfig = join(folder, 'mine.yaml');
    const mine = 'apiVersion: v1\nkind: Config\nclusters: [{ name: prod, cluster: { server: https://prod } }]\n';
    writeFileSync(kubeconfig, mine);
    const child = startStalemate(['serve', '--write-kubeconfig', kubeconfig], folder);
    const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    // If the command serves by mistake, it does not end by itself, so it is killed.
    child.stdout.once('data', () => child.kill());

    expect(await exit).toBe(2);
    expect(said).toContain('expected a new file, or one that serve wrote');
    expect(readFileSync(kubeconfig, 'utf8')).toBe(mine);
  });

  it('refuses controllers that it does not have, and a token file that holds no tokens', () => {
    writeFileSync(join(folder, 'tokens.csv'), 'secret\n');

    const { code, stderr } = stalemate(['serve', '--controllers', 'kind']);

    expect(code).toBe(2);
    expect(stderr).toContain('Allowed choices are none, gc, workloads.');
    expect(stalemate(['serve', '--token-file', 'tokens.csv'], { cwd: folder }).stderr).toContain(
      'line 1 of "tokens.csv" is no token',
    );
  });

  it('refuses a webhook service without an address', () => {
    expect(stalemate(['serve', '--webhook-service', 'system/webhook'])).toMatchObject({
      code: 2,
      stderr:
        'stalemate: got webhook service "system/webhook", expected NAMESPACE/NAME[:PORT]=HOST:PORT such as "default/webhook=127.0.0.1:9443"\n',
    });
  });

  it('refuses a port that is none, and a CRD that is missing', () => {
    expect(stalemate(['serve', '--port', '70000'])).toMatchObject({
      code: 2,
      stderr: 'stalemate: got port "70000", expected a whole number from 0 to 65535\n',
    });
    expect(stalemate(['serve', '--crds', 'no.yaml'], { cwd: folder }).stderr).toContain('"no.yaml" does not exist');
  });
});
