/**
 * The real kubectl against the embedded server, if kubectl is installed (`node scripts/control-plane.ts build kubectl` builds it). On every
 * machine: the requests that kubectl sends, over plain HTTP.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiServer } from 'stalemate-apiserver';
import { testServer, widget, WIDGETS_PATH } from 'stalemate-apiserver/testing';
import { findKubectl } from 'stalemate-apiserver/control-plane/binaries';
import { serveHttp, type HttpServer } from 'stalemate-apiserver/http';

const kubectl = findKubectl();
let server: ApiServer;
let http: HttpServer;
let folder: string;

beforeAll(async () => {
  server = testServer().server;
  http = await serveHttp(server);
  folder = await mkdtemp(join(tmpdir(), 'kubectl-test-'));
});

afterAll(async () => {
  await http.close();
  await rm(folder, { recursive: true, force: true });
});

/** Returns arguments that keep kubectl from using the clusters and caches configured on this machine. */
function isolated(args: readonly string[]): readonly string[] {
  return ['--server', http.url, '--cache-dir', join(folder, 'cache'), ...args];
}

const environment = { ...process.env, KUBECONFIG: '/dev/null' };

async function run(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(kubectl ?? 'kubectl', [...isolated(args)], { env: environment });
  return stdout.trim();
}

async function manifest(name: string, object: KubeObject): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, JSON.stringify(object));
  return path;
}

async function overHttp(method: string, path: string, body?: unknown, type = 'application/json'): Promise<KubeObject> {
  const response = await fetch(`${http.url}${path}`, {
    method,
    headers: { 'content-type': type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as KubeObject;
}

function stored(): KubeObject | undefined {
  return server.object('widgets.example.com', 'default', 'a');
}

it('answers over plain HTTP what kubectl would ask', async () => {
  await overHttp('POST', WIDGETS_PATH, widget('a', { size: 1 }));
  const live = await overHttp('GET', `${WIDGETS_PATH}/a`);
  await overHttp('PUT', `${WIDGETS_PATH}/a`, { ...live, spec: { size: 2 } });
  await overHttp('PATCH', `${WIDGETS_PATH}/a`, { spec: { size: 3 } }, 'application/merge-patch+json');
  const replace = [{ op: 'replace', path: '/spec/size', value: 4 }];
  await overHttp('PATCH', `${WIDGETS_PATH}/a`, replace, 'application/json-patch+json');
  expect(stored()).toMatchObject({ spec: { size: 4 } });
  await overHttp('DELETE', `${WIDGETS_PATH}/a`);
  expect(stored()).toBeUndefined();
});

describe.runIf(kubectl !== undefined)('kubectl', () => {
  it('lets kubectl create, get, replace, patch and delete a custom resource (11)', async () => {
    expect(await run('create', '-f', await manifest('a.json', widget('a', { size: 1 })))).toContain('created');
    expect(await run('get', 'widgets', '-o', 'name')).toBe('widget.example.com/a');
    expect(await run('get', 'wd', 'a', '-o', 'jsonpath={.spec.size}')).toBe('1');

    expect(await run('replace', '-f', await manifest('b.json', widget('a', { size: 2 })))).toContain('replaced');
    expect(stored()).toMatchObject({ spec: { size: 2 } });
    expect(await run('patch', 'widget', 'a', '--type', 'merge', '-p', '{"spec":{"size":3}}')).toContain('patched');
    expect(stored()).toMatchObject({ spec: { size: 3 } });
    const patch = '[{"op":"replace","path":"/spec/size","value":4}]';
    expect(await run('patch', 'widget', 'a', '--type', 'json', '-p', patch)).toContain('patched');
    expect(stored()).toMatchObject({ spec: { size: 4 } });

    expect(await run('delete', 'widget', 'a')).toContain('deleted');
    expect(stored()).toBeUndefined();
  });

  it('shows kubectl what it has refused (113, 124)', async () => {
    const wrong = await manifest('wrong.json', widget('wrong', { size: 'three' }));
    await expect(run('create', '-f', wrong)).rejects.toThrow(
      'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
    );
    const unknown = await manifest('unknown.json', widget('unknown', { sise: 3 }));
    await expect(run('create', '-f', unknown)).rejects.toThrow('unknown field "spec.sise"');
  });

  it('streams changes to kubectl get --watch (87)', async () => {
    const watching = spawn(kubectl ?? 'kubectl', [...isolated(['get', 'widgets', '--watch', '-o', 'name'])], {
      env: environment,
    });
    const lines: string[] = [];
    const seen = new Promise<void>((resolve) => {
      createInterface(watching.stdout).on('line', (line) => {
        lines.push(line);
        if (lines.length === 1) void overHttp('POST', WIDGETS_PATH, widget('second'));
        if (lines.length === 2) resolve();
      });
    });

    await overHttp('POST', WIDGETS_PATH, widget('first'));
    await seen;
    watching.kill();

    expect(lines).toEqual(['widget.example.com/first', 'widget.example.com/second']);
  });
});
