/** Misbehaving clients over real sockets: the server answers as kube-apiserver does, and never crashes. */
import { connect, type Socket } from 'node:net';
import { constants, connect as connectHttp2 } from 'node:http2';
import { afterEach, expect, it } from 'vitest';
import type { ResponseSink } from '../../wire/http.ts';
import { CONFIGMAPS_PATH, configMap, testServer, WIDGETS_PATH, type TestServer } from '../testing.ts';
import { CertificateAuthority } from './certificates.ts';
import { serveHttp, type HttpServer, type Served } from './serve.ts';

const WATCH = `${WIDGETS_PATH}?watch=1`;

let http: HttpServer | undefined;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await http?.close();
  http = undefined;
});

async function serve(upstream?: Served): Promise<TestServer> {
  const made = testServer();
  http = await serveHttp(upstream ?? made.server);
  return made;
}

function dial(): Socket {
  const socket = connect(http?.port ?? 0, '127.0.0.1');
  // Tests check the received bytes to find out what the server did to a connection, so errors are ignored.
  socket.on('error', () => socket.destroy());
  sockets.push(socket);
  return socket;
}

/** Resolves with everything that the server sends until it closes the connection. */
function everything(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (piece) => (text += piece.toString()));
    socket.on('close', () => resolve(text));
  });
}

/** Sends a raw request and resolves with the whole answer; its last header asks the server to close the connection. */
function say(request: string): Promise<string> {
  const socket = dial();
  const answer = everything(socket);
  socket.write(request);
  return answer;
}

function ask(method: string, target: string, ...headers: readonly string[]): Promise<string> {
  return say(
    `${[`${method} ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`,
  );
}

function statusOf(answer: string): string {
  return answer.slice('HTTP/1.1 '.length, answer.indexOf('\r\n'));
}

async function alive(): Promise<boolean> {
  return statusOf(await ask('GET', '/livez')) === '200 OK';
}

it.each([
  ['HEAD', CONFIGMAPS_PATH, '405 Method Not Allowed'],
  ['OPTIONS', CONFIGMAPS_PATH, '405 Method Not Allowed'],
  ['TRACE', CONFIGMAPS_PATH, '405 Method Not Allowed'],
  ['FOO', CONFIGMAPS_PATH, '405 Method Not Allowed'],
  ['CONNECT', CONFIGMAPS_PATH, '405 Method Not Allowed'],
  ['OPTIONS', '/version', '405 Method Not Allowed'],
  ['POST', '/version', '405 Method Not Allowed'],
  ['POST', '/api', '405 Method Not Allowed'],
  ['OPTIONS', '/nowhere', '404 Not Found'],
  ['PUT', '/nowhere', '404 Not Found'],
  ['HEAD', '/healthz', '200 OK'],
  ['DELETE', '/readyz', '200 OK'],
])('answers %s %s with %s', async (method, target, status) => {
  await serve();

  expect(statusOf(await ask(method, target))).toBe(status);
});

it.each([
  ['/api/v1/namespaces/', '200 OK'],
  ['/api/v1/namespaces/default/', '200 OK'],
  ['/api/v1/namespaces/%64efault', '200 OK'],
  ['//api/v1/namespaces', '404 Not Found'],
  ['/api/v1//namespaces/default', '404 Not Found'],
  ['/api/v1/../v1/namespaces/default', '404 Not Found'],
  ['/api/v1/./namespaces', '404 Not Found'],
  ['/api/v1/namespaces/de%2Ffault', '404 Not Found'],
  ['/api/v1/namespaces/%zz', '400 Bad Request'],
  ['http://elsewhere/api/v1/namespaces', '200 OK'],
  [`/api/v1/namespaces?${'a'.repeat(100_000)}`, '200 OK'],
  ['/api/v1/namespaces?limit=1;x=2&%zz=1', '200 OK'],
  ['/api/v1/namespaces?timeout=1x', '400 Bad Request'],
  ['/api/v1/namespaces?timeout=-1s', '200 OK'],
  ['/api/v1/namespaces?timeoutSeconds=abc', '400 Bad Request'],
])('reads the target %s as Go does', async (target, status) => {
  await serve();

  expect(statusOf(await ask('GET', target))).toBe(status);
});

it('uses the first of several values of a parameter', async () => {
  await serve();

  expect(await ask('GET', '/api/v1/namespaces?limit=1&limit=3')).toContain('"remainingItemCount":3');
});

it('reports what is wrong with a timeout', async () => {
  await serve();

  expect(await ask('GET', '/api/v1/namespaces?timeout=abc')).toContain(
    String.raw`invalid timeout specified in the request URL - time: invalid duration \"abc\"`,
  );
});

it('accepts ten thousand headers, and refuses more than a mebibyte of them as 431', async () => {
  await serve();
  const many = Array.from({ length: 10_000 }, (_, index) => `X-H${index}: v`);

  expect(statusOf(await ask('GET', '/livez', ...many))).toBe('200 OK');
  const refused = await ask('GET', '/livez', `X-Big: ${'a'.repeat(1_200_000)}`);
  expect(statusOf(refused)).toBe('431 Request Header Fields Too Large');
  expect(await alive()).toBe(true);
});

it.each([
  ['bytes that are no request', '\u0000\u0001garbage\r\n\r\n'],
  ['a target without a slash and a broken version', 'GET x HTTP/9.9\r\n\r\n'],
  ['a chunk of no length', `POST ${CONFIGMAPS_PATH} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`],
])('closes the connection on %s with 400', async (_, bytes) => {
  await serve();

  expect(statusOf(await say(bytes))).toBe('400 Bad Request');
  expect(await alive()).toBe(true);
});

it('requires a host in HTTP/1.1, but not in HTTP/1.0', async () => {
  await serve();

  expect(await say('GET /livez HTTP/1.1\r\n\r\n')).toContain('400 Bad Request: missing required Host header');
  expect(statusOf(await say('GET /livez HTTP/1.0\r\n\r\n'))).toBe('200 OK');
});

it('answers pipelined requests in order', async () => {
  const { request } = await serve();
  for (let at = 0; at < 50; at++) request('POST', CONFIGMAPS_PATH, configMap(`c${at}`));
  const get = (at: number): string => `GET ${CONFIGMAPS_PATH}/c${at} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const last = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

  const answers = await say(Array.from({ length: 50 }, (_, at) => get(at)).join('') + last);

  const names = [...answers.matchAll(/"name":"(c\d+)"/g)].map(([, name]) => name);
  expect(names).toEqual(Array.from({ length: 50 }, (_, at) => `c${at}`));
});

it('drops a request whose client disconnects in the middle of its body', async () => {
  const { server } = await serve();
  const before = server.revision;
  const socket = dial();
  const gone = everything(socket);
  socket.write(`POST ${CONFIGMAPS_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"kind":`);
  await ask('GET', '/livez');
  socket.end();

  await gone;
  expect(server.revision).toBe(before);
  expect(await alive()).toBe(true);
});

it('answers a client that has closed its side of the connection', async () => {
  await serve();
  const socket = dial();
  const answer = everything(socket);

  socket.end('GET /api/v1/namespaces/default HTTP/1.1\r\nHost: x\r\n\r\n');

  expect(statusOf(await answer)).toBe('200 OK');
});

it('serves many connections at a time', async () => {
  await serve();

  const answers = await Promise.all(Array.from({ length: 300 }, () => ask('GET', '/api/v1/namespaces/default')));

  expect(new Set(answers.map(statusOf))).toEqual(new Set(['200 OK']));
});

/** Returns an upstream that counts its open watches. */
function counting(): {
  readonly upstream: Served;
  readonly open: Set<ResponseSink>;
  readonly changed: () => Promise<void>;
} {
  const open = new Set<ResponseSink>();
  let wake = (): void => {};
  return {
    open,
    changed: () => new Promise((resolve) => (wake = resolve)),
    upstream: {
      send: (_request, sink) => {
        open.add(sink);
        sink.open();
        wake();
        return () => {
          open.delete(sink);
          wake();
        };
      },
    },
  };
}

it('closes the watches of clients that are killed, or that close their side', async () => {
  const { upstream, open, changed } = counting();
  await serve(upstream);
  const clients = Array.from({ length: 100 }, () => {
    const socket = dial();
    socket.write(`GET ${WATCH} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return socket;
  });
  while (open.size < 100) await changed();

  for (const [index, socket] of clients.entries()) {
    if (index % 3 === 0) socket.end();
    else if (index % 3 === 1) socket.resetAndDestroy();
    else socket.destroy();
  }
  while (open.size > 0) await changed();

  expect(open.size).toBe(0);
});

const BIG = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'big' }, data: { a: 'x'.repeat(64 * 1024) } };
/** More events than the backlog of a watch and the socket buffers of both sides can hold. */
const EVENTS_MAX = 4096;

/** Sends events until the watch is closed; returns the number sent. */
async function flood(sink: ResponseSink, open: ReadonlySet<ResponseSink>): Promise<number> {
  let sent = 0;
  for (; open.has(sink) && sent < EVENTS_MAX; sent++) {
    sink.event({ type: 'MODIFIED', object: { ...BIG, metadata: { name: `big-${sent}` } } });
    await new Promise((resolve) => setImmediate(resolve));
  }
  return sent;
}

it('drops a watch over HTTP/1.1 whose client does not read (99)', async () => {
  const { upstream, open, changed } = counting();
  await serve(upstream);
  const socket = dial();
  socket.pause();
  socket.write(`GET ${WATCH} HTTP/1.1\r\nHost: x\r\n\r\n`);
  while (open.size === 0) await changed();
  const [sink] = [...open];

  const sent = sink === undefined ? 0 : await flood(sink, open);

  expect(open.size).toBe(0);
  expect(sent).toBeLessThan(EVENTS_MAX);
});

it('drops a watch over HTTP/2 whose client does not read, and keeps the other streams of its connection', async () => {
  const { upstream, open, changed } = counting();
  const authority = new CertificateAuthority();
  http = await serveHttp(upstream, {
    tls: { identity: authority.issueServer(), clientCa: authority.certificate },
    authentication: { anonymous: { name: 'anybody', groups: [] } },
  });
  const session = connectHttp2(http.url, { ca: authority.certificate });
  const slow = session.request({ ':path': WATCH });
  slow.pause();
  while (open.size === 0) await changed();
  const [stuck] = [...open];
  const reading = session.request({ ':path': WATCH });
  while (open.size === 1) await changed();
  const [other] = [...open].filter((sink) => sink !== stuck);

  const sent = stuck === undefined ? 0 : await flood(stuck, open);
  const arrived = new Promise<string>((resolve) => {
    reading.once('data', (piece: Buffer) => resolve(piece.toString('utf8', 0, 16)));
  });
  other?.event({ type: 'ADDED', object: BIG });

  expect(sent).toBeLessThan(EVENTS_MAX);
  expect(await arrived).toBe('{"type":"ADDED",');
  expect([...open]).toEqual([other]);
  session.destroy();
});

it('survives HTTP/2 clients that reset streams and disconnect', async () => {
  const authority = new CertificateAuthority();
  const { server } = testServer();
  http = await serveHttp(server, {
    tls: { identity: authority.issueServer(), clientCa: authority.certificate },
    authentication: { anonymous: { name: 'anybody', groups: [] } },
  });
  for (let round = 0; round < 5; round++) {
    const session = connectHttp2(http.url, { ca: authority.certificate });
    session.on('error', () => {});
    await new Promise<void>((resolve) => session.once('connect', () => resolve()));
    for (let at = 0; at < 50; at++) {
      const post = at % 2 === 0;
      const stream = session.request(
        { ':path': post ? CONFIGMAPS_PATH : WATCH, ':method': post ? 'POST' : 'GET' },
        { endStream: false },
      );
      stream.on('error', () => {});
      stream.write('{"kind":');
      if (at % 3 === 0) stream.close(constants.NGHTTP2_CANCEL);
    }
    session.destroy();
  }
  const last = connectHttp2(http.url, { ca: authority.certificate });
  const code = await new Promise((resolve) => {
    last.request({ ':path': '/livez' }).once('response', (headers) => resolve(headers[':status']));
  });
  last.destroy();

  expect(code).toBe(200);
});

it('compresses large answers for clients that accept it, and no small ones', async () => {
  const { request } = await serve();
  for (let at = 0; at < 20; at++) request('POST', CONFIGMAPS_PATH, configMap(`c${at}`, { a: 'x'.repeat(10_000) }));
  const fetched = (path: string): Promise<Response> =>
    fetch(`${http?.url}${path}`, { headers: { 'accept-encoding': 'gzip' } });

  const large = await fetched(CONFIGMAPS_PATH);
  const small = await fetched(`${CONFIGMAPS_PATH}/c1`);
  const raw = await ask('GET', CONFIGMAPS_PATH);

  expect([large.headers.get('content-encoding'), large.headers.get('vary')]).toEqual(['gzip', 'Accept-Encoding']);
  expect(((await large.json()) as { items: readonly unknown[] }).items).toHaveLength(20);
  expect(small.headers.get('content-encoding')).toBeNull();
  expect(raw).not.toContain('content-encoding');
});

it('answers 500 when its upstream throws, and continues', async () => {
  let first = true;
  await serve({
    send: (_request, sink) => {
      if (first) {
        first = false;
        throw new Error('broken');
      }
      sink.answer({ code: 200, body: 'ok', plainText: true });
      return () => {};
    },
  });

  const answer = await ask('GET', '/x');

  expect(statusOf(answer)).toBe('500 Internal Server Error');
  expect(answer).toContain('Internal error occurred: Error: broken');
  expect(await alive()).toBe(true);
});
