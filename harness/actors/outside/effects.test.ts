import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ApiServer } from 'stalemate-apiserver';
import type { Upstream } from 'stalemate-apiserver/wire/http';
import { OUTSIDE_CRD } from '../../model/outside.ts';
import { effectsFor, type Effects } from './effects.ts';
import { serveEffects } from './serve-effects.ts';

function store(): ApiServer {
  let n = 0;
  const server = new ApiServer({
    now: () => 0,
    newUid: () => `00000000-0000-4000-8000-${String(++n).padStart(12, '0')}`,
    nameSuffix: () => `n${++n}`,
  });
  server.installCrd(OUTSIDE_CRD);
  return server;
}

interface Way {
  readonly url: string;
  readonly fetch: Effects['fetch'];
  close(): void;
}

const ways: readonly { readonly way: string; readonly reach: () => Way | Promise<Way> }[] = [
  { way: 'in this process', reach: () => ({ ...effectsFor(store()), close: () => {} }) },
  { way: 'over HTTP', reach: async () => ({ ...(await serveEffects(store(), undefined)), fetch }) },
];

function init(body: unknown): { readonly body?: string } {
  return body === undefined ? {} : { body: JSON.stringify(body) };
}

describe.each(ways)('the store $way', ({ reach }) => {
  let reached: Way;
  beforeAll(async () => {
    reached = await reach();
  });
  afterAll(() => reached.close());

  const call = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> => reached.fetch(reached.url + path, { method, headers, ...init(body) });

  it('makes one under a drawn id for each POST', async () => {
    const first = (await (await call('POST', '/disks', { size: 1 })).json()) as { id: string };
    const second = (await (await call('POST', '/disks', { size: 1 })).json()) as { id: string };

    expect(first).toEqual({ id: expect.any(String), size: 1 });
    expect(second.id).not.toBe(first.id);
    expect(await (await call('GET', `/disks/${first.id}`)).json()).toEqual(first);
  });

  it('makes one for two POSTs under one key', async () => {
    const key = { 'idempotency-key': 'Uid 1/a' };
    const first = await (await call('POST', '/keyed', { size: 1 }, key)).json();
    const second = await (await call('POST', '/keyed', { size: 1 }, key)).json();

    expect(second).toEqual(first);
    expect(await (await call('GET', '/keyed')).json()).toEqual([first]);
  });

  it('makes, replaces, patches and deletes under an id that the caller chose', async () => {
    expect(await (await call('PUT', '/records/WWW.example', { a: 1, b: 2 })).json()).toEqual({
      id: 'WWW.example',
      a: 1,
      b: 2,
    });
    expect(await (await call('PUT', '/records/WWW.example', { a: 3 })).json()).toEqual({ id: 'WWW.example', a: 3 });
    expect(await (await call('PATCH', '/records/WWW.example', { c: 4 })).json()).toEqual({
      id: 'WWW.example',
      a: 3,
      c: 4,
    });
    expect((await call('DELETE', '/records/WWW.example')).status).toBe(204);
    expect((await call('GET', '/records/WWW.example')).status).toBe(404);
    expect(await (await call('GET', '/records')).json()).toEqual([]);
  });

  it('refuses what it does not know', async () => {
    expect((await call('DELETE', '/records')).status).toBe(405);
    expect((await call('GET', '/a/b/c')).status).toBe(404);
    const refused = await call('POST', '/records', 'text');
    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({ error: 'expected a JSON object as body' });
  });
});

const broken: Upstream = {
  send: (_, sink) => {
    sink.end({ code: 'ECONNRESET', message: 'socket hang up' });
    return () => {};
  },
};

describe('a lost answer', () => {
  it('is a connection that breaks, however the store is reached', async () => {
    const effects = effectsFor(broken);
    const server = await serveEffects(broken, undefined);
    onTestFinished(() => server.close());

    await expect(effects.fetch(`${effects.url}/disks`)).rejects.toThrow('fetch failed');
    await expect(fetch(`${server.url}/disks`)).rejects.toThrow('fetch failed');
  });
});
