/**
 * Real controllers behind the gate as a proxy, in front of an embedded API server, and of a real one if its binaries are installed.
 *
 * The Go controller (controller-runtime: one HTTP/2 connection for all requests, protobuf for built-in kinds) takes part if it has been
 * built: `npm run languages -- --only go --build-only`.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { findProgram } from 'stalemate-apiserver/control-plane/binaries';
import { startControlPlane } from 'stalemate-apiserver/control-plane/control-plane';
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import { call } from 'stalemate-apiserver/wire/call';
import type { ApiResponse, Method } from 'stalemate-apiserver/wire/http';
import { readKubeconfig } from '../clusters/existing/kubeconfig-file.ts';
import { gateBefore } from '../execution/gate/proxy-testing.ts';
import type { StandingGate } from '../gate/http/open-gate.ts';
import type { RemoteOptions } from '../gate/http/remote.ts';
import { RemoteServer } from '../gate/http/remote.ts';
import { remoteUpstream } from '../gate/http/remote-upstream.ts';

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const CRD = file('controllers-under-test/buckets/crd.yaml');
const CACHE = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
const GO = join(CACHE, 'stalemate', 'languages', 'go', 'bucket-controller');
interface Client {
  readonly client: string;
  readonly command: readonly string[];
  readonly isBuilt: boolean;
}

const CLIENTS: readonly Client[] = [
  {
    client: 'client-node',
    command: [process.execPath, file('controllers-under-test/languages/typescript/main.ts')],
    isBuilt: true,
  },
  { client: 'controller-runtime', command: [GO], isBuilt: existsSync(GO) },
];
const SERVERS = [
  { server: 'serve', isThere: true },
  { server: 'kube-apiserver', isThere: findProgram('kube-apiserver') !== undefined },
];

const BUCKETS = '/apis/storage.example.com/v1/namespaces/default/buckets';
const MAPS = '/api/v1/namespaces/default/configmaps';
const WAIT = { timeout: 30_000, interval: 50 };

const endings: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

async function serverAt(which: string, folder: string): Promise<RemoteOptions> {
  if (which === 'kube-apiserver') {
    const plane = await startControlPlane();
    endings.push(() => plane.stop());
    return { url: plane.url, ca: plane.ca, authorization: () => `Bearer ${plane.token}` };
  }
  const kubeconfig = join(folder, 'serve.yaml');
  const serving = spawn(process.execPath, [file('harness/cli/bin.mjs'), 'serve', '--write-kubeconfig', kubeconfig]);
  endings.push(() => ended(serving));
  await new Promise((resolve) => serving.stdout.once('data', resolve));
  return readKubeconfig(kubeconfig).remote;
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else {
      child.once('exit', () => resolve());
      child.kill('SIGKILL');
    }
  });
}

type Ask = (method: Method, path: string, body?: JsonValue) => Promise<ApiResponse>;

function clientOf(remote: RemoteOptions): Ask {
  const upstream = remoteUpstream(new RemoteServer(remote));
  endings.push(() => upstream.close());
  const headers = { 'content-type': 'application/json' };
  return (method, path, body) =>
    call(upstream, { method, path, query: {}, headers, ...(body === undefined ? {} : { body }) });
}

/** A scheduler that passes everything except events of buckets while they are frozen. */
class Freezer {
  frozen = false;

  next({ items }: { readonly items: readonly { readonly stream: string }[] }): { item: never } | undefined {
    const item = items.find(({ stream }) => !this.frozen || !stream.includes('/watch/buckets.'));
    return item === undefined ? undefined : { item: item as never };
  }

  holding(): boolean {
    return this.frozen;
  }
}

async function started(
  which: string,
  command: readonly string[],
): Promise<{ ask: Ask; gate: StandingGate; freezer: Freezer }> {
  const folder = mkdtempSync(join(tmpdir(), 'stalemate-gate-clients-'));
  endings.push(() => rmSync(folder, { recursive: true, force: true }));
  const remote = await serverAt(which, folder);
  const ask = clientOf(remote);
  await ask(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    parse(readFileSync(CRD, 'utf8')) as JsonValue,
  );
  await vi.waitFor(async () => expect((await ask('GET', BUCKETS)).code).toBe(200), WAIT);
  const freezer = new Freezer();
  const gate = await gateBefore(remote, freezer);
  endings.push(() => gate.close());
  const kubeconfig = join(folder, 'gate.yaml');
  writeFileSync(kubeconfig, stringify(gate.kubeconfig));
  const [program = '', ...args] = command;
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const controller = spawn(program, args, { cwd: folder, env, stdio: 'ignore' });
  endings.push(() => ended(controller));
  return { ask, gate, freezer };
}

function bucket(name: string): JsonValue {
  return {
    apiVersion: 'storage.example.com/v1',
    kind: 'Bucket',
    metadata: { name, namespace: 'default' },
    spec: { sizeGiB: 1 },
  };
}

const CASES = SERVERS.flatMap((server) => CLIENTS.map((client) => ({ ...server, ...client })));

describe('a controller behind the gate', { timeout: 120_000 }, () => {
  for (const { server, client, command, isThere, isBuilt } of CASES)
    it.runIf(isThere && isBuilt)(
      `works, and with one of its watches frozen goes on with the others: ${client}, ${server}`,
      async () => {
        const { ask, gate, freezer } = await started(server, command);
        const settings = async (name: string): Promise<number> => (await ask('GET', `${MAPS}/${name}-settings`)).code;
        await ask('POST', BUCKETS, bucket('first'));
        await vi.waitFor(async () => expect(await settings('first')).toBe(200), WAIT);

        freezer.frozen = true;
        await ask('POST', BUCKETS, bucket('second'));
        await ask('DELETE', `${MAPS}/first-settings`);
        await vi.waitFor(async () => expect(await settings('first')).toBe(200), WAIT);
        expect(await settings('second')).toBe(404);

        freezer.frozen = false;
        gate.look();
        await vi.waitFor(async () => expect(await settings('second')).toBe(200), WAIT);

        const restored = gate.recorder.operations.filter(({ label }) =>
          label.includes('create/configmaps/default/first-settings'),
        );
        expect(restored.length).toBeGreaterThan(1);
        const seen = gate.recorder.deliveries.flatMap(({ object }): readonly KubeObject[] =>
          object === undefined ? [] : [object],
        );
        expect(seen.map(({ metadata }) => metadata.name)).toEqual(
          expect.arrayContaining(['first', 'first-settings', 'second']),
        );
      },
    );
});
