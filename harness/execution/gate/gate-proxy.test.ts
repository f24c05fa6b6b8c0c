/** Tests the gate as a proxy that disturbs nothing: clients receive what they would receive without it. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CertificateAuthority } from 'stalemate-apiserver/http';
import { CONFIGMAPS_PATH, configMap, WIDGETS_PATH } from 'stalemate-apiserver/testing';
import { openFront, type Front } from '../../gate/http/front.ts';
import { RemoteServer } from '../../gate/http/remote.ts';
import {
  askHttp1,
  askHttp2,
  FRONT_TOKEN,
  openStream,
  proxyRig,
  session,
  TOKEN,
  type ProxyRig,
  type RawAnswer,
  type RawQuestion,
} from './proxy-testing.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const BIG = 'x'.repeat(1500);

let rig: ProxyRig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

/** Returns the parts of an answer that do not depend on the time of the request. */
function timeless({ code, headers, body }: RawAnswer): object {
  const told = headers.map((text, at) => (/^(?:audit-id|date)$/i.test(headers[at - 1] ?? '') ? '…' : text));
  return { code, headers: told, body: body.toString('latin1') };
}

async function filled(): Promise<ProxyRig> {
  const made = (rig = await proxyRig());
  made.server.seed(Array.from({ length: 800 }, (_, index) => configMap(`c-${index}`, { text: BIG })));
  return made;
}

const QUESTIONS: { readonly [name: string]: RawQuestion } = {
  'a get': { path: `${CONFIGMAPS_PATH}/c-1` },
  'a list of more than a megabyte': { path: CONFIGMAPS_PATH },
  'the same as protobuf': { path: CONFIGMAPS_PATH, headers: { accept: PROTOBUF } },
  'the same compressed': { path: CONFIGMAPS_PATH, headers: { 'accept-encoding': 'gzip' } },
  'a table': {
    path: `${CONFIGMAPS_PATH}?limit=2`,
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  },
  'what is not there': { path: `${CONFIGMAPS_PATH}/nobody` },
  'a head': { method: 'HEAD', path: `${CONFIGMAPS_PATH}/c-1` },
  discovery: {
    path: '/apis',
    headers: { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' },
  },
  'a broken escape': { path: '/api/v1/%zz' },
  'a write that is refused': {
    method: 'POST',
    path: WIDGETS_PATH,
    headers: { 'content-type': 'application/json' },
    body: '{"kind":"Widget"}',
  },
};

describe('an answer through the front', () => {
  it.each(Object.entries(QUESTIONS))('is the same over HTTP/1.1: %s', async (_name, question) => {
    const { direct, front } = await filled();

    const [one, other] = [
      await askHttp1(direct, { ...question, token: TOKEN }),
      await askHttp1(front.url, { ...question, token: FRONT_TOKEN }),
    ];

    expect(timeless(other)).toEqual(timeless(one));
  });

  it.each(Object.entries(QUESTIONS))('is the same over HTTP/2: %s', async (_name, question) => {
    const { direct, front } = await filled();
    const [straight, through] = [session(direct), session(front.url)];

    const one = await askHttp2(straight, { ...question, token: TOKEN });
    const other = await askHttp2(through, { ...question, token: FRONT_TOKEN });

    expect(timeless(other)).toEqual(timeless(one));
    straight.destroy();
    through.destroy();
  });

  it('takes a body of several megabytes to the server', async () => {
    const { server, front } = (rig = await proxyRig());
    // The server accepts objects of up to 1.5 MB.
    const object = JSON.stringify(configMap('big', { text: 'y'.repeat(1_000_000) })) + ' '.repeat(1_500_000);
    const headers = { 'content-type': 'application/json' };

    const { code } = await askHttp1(front.url, {
      method: 'POST',
      path: CONFIGMAPS_PATH,
      headers,
      body: object,
      token: FRONT_TOKEN,
    });

    expect(code).toBe(201);
    const stored = server.object('configmaps', 'default', 'big') as { readonly data?: { readonly text: string } };
    expect(stored.data?.text).toHaveLength(1_000_000);
  });

  it('of a watch opens before anything happens, and tells each event as it comes', async () => {
    const { front, request } = (rig = await proxyRig());
    const over = session(front.url);
    const watch = openStream(over, `${CONFIGMAPS_PATH}?watch=1&resourceVersion=1`);
    const answered = await askHttp1(front.url, { path: CONFIGMAPS_PATH, token: FRONT_TOKEN });
    expect(answered.code).toBe(200);

    request('POST', CONFIGMAPS_PATH, configMap('a', {}));

    await vi.waitFor(() => expect(watch.text()).toMatch(/"type":"ADDED".*"name":"a".*\n$/));
    over.destroy();
  });
});

describe('whoever connects', () => {
  it('without our token is refused', async () => {
    const { front } = (rig = await proxyRig());

    expect(await askHttp1(front.url, { path: '/version' })).toMatchObject({ code: 401 });
    expect(await askHttp1(front.url, { path: '/version', token: TOKEN })).toMatchObject({ code: 401 });
  });

  it('is asked by the server for the credentials of their own, where strangers pass', async () => {
    rig = await proxyRig({ strangers: 'pass' });
    const { front } = rig;

    expect(await askHttp1(front.url, { path: '/version', token: TOKEN })).toMatchObject({ code: 200 });
    expect(await askHttp1(front.url, { path: CONFIGMAPS_PATH, token: 'nobody' })).toMatchObject({ code: 401 });
  });

  it('with a certificate of ours needs no token', async () => {
    const authority = new CertificateAuthority();
    const identity = authority.issueServer();
    const { front } = (rig = await proxyRig({ tls: { identity, clientCa: authority.certificate } }));
    const client = authority.issueClient({ commonName: 'controller' });

    const text = await new Promise<string>((resolve, reject) => {
      const socket = connectTls({
        port: front.port,
        host: '127.0.0.1',
        ca: authority.certificate,
        cert: client.certificate,
        key: client.key,
      });
      socket.on('error', reject);
      socket.once('data', (piece) => {
        resolve(piece.toString());
        socket.destroy();
      });
      socket.write('GET /version HTTP/1.1\r\nHost: x\r\n\r\n');
    });

    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});

describe('an upgraded connection', () => {
  let remote: Server;
  let front: Front;
  const seen: string[] = [];

  async function upgrading(): Promise<void> {
    remote = createServer();
    remote.on('upgrade', (incoming, socket) => {
      seen.push(`${incoming.url} ${incoming.headers.authorization}`);
      if (incoming.url === '/refused') {
        socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
        return;
      }
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream: v4\r\n\r\nfirst;',
      );
      socket.on('data', (piece: Buffer) => socket.write(piece.toString().toUpperCase()));
      socket.on('end', () => socket.end());
    });
    await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(remote.address() as AddressInfo).port}`;
    front = await openFront({
      remote: new RemoteServer({ url, authorization: () => 'Basic abc' }),
      token: FRONT_TOKEN,
    });
  }

  function upgraded(path: string): Promise<{ text: string; say: (text: string) => void; ended: () => boolean }> {
    return new Promise((resolve) => {
      let text = '';
      let ended = false;
      const socket = process.getBuiltinModule('node:net').connect(front.port, '127.0.0.1');
      const client = {
        get text() {
          return text;
        },
        say: (words: string) => void socket.write(words),
        ended: () => ended,
      };
      socket.on('data', (piece: Buffer) => {
        text += piece.toString();
        resolve(client);
      });
      socket.on('close', () => (ended = true));
      socket.on('error', () => {});
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nAuthorization: Bearer ${FRONT_TOKEN}\r\n\r\n`,
      );
    });
  }

  afterEach(async () => {
    await front.close();
    remote.closeAllConnections();
    await new Promise((resolve) => remote.close(resolve));
  });

  it('passes as bytes both ways, with the credentials for the server', async () => {
    await upgrading();

    const client = await upgraded('/exec?command=ls');
    client.say('hello');

    await vi.waitFor(() => expect(client.text).toContain('HELLO'));
    expect(client.text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n.*X-Stream: v4\r\n\r\nfirst;HELLO$/s);
    expect(seen.at(-1)).toBe('/exec?command=ls Basic abc');
  });

  it('that the server refuses ends with its answer', async () => {
    await upgrading();

    const client = await upgraded('/refused');

    await vi.waitFor(() => expect(client.ended()).toBe(true));
    expect(client.text).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n.*\r\n\r\nno$/s);
  });
});
