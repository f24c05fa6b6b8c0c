/** The server with TLS: protocol negotiation and authentication. */
import { request as requestHttps, type RequestOptions } from 'node:https';
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { afterEach, beforeAll, expect, it } from 'vitest';
import type { ApiRequest, UserInfo } from '../../wire/http.ts';
import { CONFIGMAPS_PATH, testServer, widget, WIDGETS_PATH } from '../testing.ts';
import { ANONYMOUS, parseTokens } from './authentication.ts';
import { CertificateAuthority, type Identity } from './certificates.ts';
import { serveHttp, type AuthenticationOptions, type HttpServer } from './serve.ts';

let authority: CertificateAuthority;
let identity: Identity;
let admin: Identity;
let http: HttpServer | undefined;
let session: ClientHttp2Session | undefined;

beforeAll(() => {
  authority = new CertificateAuthority();
  identity = authority.issueServer();
  admin = authority.issueClient({ commonName: 'admin', organizations: ['system:masters'] });
});

afterEach(async () => {
  session?.close();
  await http?.close();
  session = http = undefined;
});

/** Serves the API over TLS; returns the users of the requests as they arrive. */
async function serve(authentication: AuthenticationOptions = {}): Promise<readonly (UserInfo | undefined)[]> {
  const { server } = testServer();
  const users: (UserInfo | undefined)[] = [];
  const upstream = {
    send: (request: ApiRequest, sink: Parameters<typeof server.send>[1]) => {
      users.push(request.user);
      return server.send(request, sink);
    },
  };
  http = await serveHttp(upstream, { tls: { identity, clientCa: authority.certificate }, authentication });
  return users;
}

interface Answer {
  readonly code: number | undefined;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

/** Sends a request over HTTP/1.1. */
function ask(options: RequestOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const url = `${http?.url}/api/v1/namespaces/default`;
    const sent = requestHttps(url, { ca: authority.certificate, agent: false, ...options }, (response) => {
      let body = '';
      response.on('data', (piece: Buffer) => (body += piece.toString()));
      response.on('end', () => resolve({ code: response.statusCode, body, headers: response.headers }));
    });
    sent.once('error', reject);
    sent.end();
  });
}

const ADMIN = (): RequestOptions => ({ cert: admin.certificate, key: admin.key });

function open(): ClientHttp2Session {
  session = connect(http?.url ?? '', { ca: authority.certificate, cert: admin.certificate, key: admin.key });
  return session;
}

/** Sends a request over HTTP/2; `body` is sent as JSON. */
function askHttp2(over: ClientHttp2Session, headers: IncomingHttpHeaders, body?: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = over.request(headers);
    let answered: IncomingHttpHeaders = {};
    let text = '';
    stream.on('response', (given) => (answered = given));
    stream.on('data', (piece: Buffer) => (text += piece.toString()));
    stream.on('end', () => resolve({ code: Number(answered[':status']), body: text, headers: answered }));
    stream.once('error', reject);
    stream.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const UNAUTHORIZED = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Unauthorized',
  reason: 'Unauthorized',
  code: 401,
};

it('authenticates the user and the groups of a client certificate', async () => {
  const users = await serve();

  expect((await ask(ADMIN())).code).toBe(200);
  expect(users).toEqual([{ name: 'admin', groups: ['system:masters', 'system:authenticated'] }]);
});

it('refuses a certificate that another authority signed as 401', async () => {
  const users = await serve();
  const stranger = new CertificateAuthority().issueClient({ commonName: 'admin', organizations: ['system:masters'] });

  const { code, body } = await ask({ cert: stranger.certificate, key: stranger.key });

  expect(code).toBe(401);
  expect(JSON.parse(body)).toEqual(UNAUTHORIZED);
  expect(users).toEqual([]);
});

it('accepts the tokens of a token file, and refuses other tokens and missing ones as 401', async () => {
  const users = await serve({ tokens: parseTokens('t1,alice,u-1,"dev,ops"\nt2,bob,\n', 'tokens.csv') });
  const withToken = (token: string): Promise<Answer> => ask({ headers: { authorization: token } });

  const codes = [
    await withToken('Bearer t1'),
    await withToken('bearer t2'),
    await withToken('Bearer t3'),
    await withToken('Basic dDE6eA=='),
    await ask(),
  ].map(({ code }) => code);

  expect(codes).toEqual([200, 200, 401, 401, 401]);
  expect(users).toEqual([
    { name: 'alice', uid: 'u-1', groups: ['dev', 'ops', 'system:authenticated'] },
    { name: 'bob', groups: ['system:authenticated'] },
  ]);
});

it('asks the verifier about unknown tokens, and prefers a certificate to a bad token', async () => {
  const users = await serve({
    verifyToken: (token) => (token === 'minted' ? { name: 'system:serviceaccount:a:b', groups: [] } : undefined),
  });

  await ask({ headers: { authorization: 'Bearer minted' } });
  await ask({ ...ADMIN(), headers: { authorization: 'Bearer bad' } });

  expect(users.map((user) => user?.name)).toEqual(['system:serviceaccount:a:b', 'admin']);
});

it('treats requests without credentials as anonymous where that is allowed', async () => {
  const users = await serve({ anonymous: ANONYMOUS });

  expect((await ask()).code).toBe(200);
  expect((await ask({ headers: { authorization: 'Bearer bad' } })).code).toBe(401);
  expect(users).toEqual([ANONYMOUS]);
});

it('serves reads, writes and watches over HTTP/2, several at a time on one connection', async () => {
  const users = await serve();
  const over = open();
  const watch = over.request({ ':path': `${WIDGETS_PATH}?watch=1` });
  const events: string[] = [];
  const seen = new Promise<void>((resolve) => {
    watch.on('data', (piece: Buffer) => {
      events.push(piece.toString());
      if (events.length === 2) resolve();
    });
  });
  await new Promise<void>((resolve) => {
    watch.once('response', () => resolve());
  });
  const create = (name: string): Promise<Answer> =>
    askHttp2(
      over,
      { ':path': WIDGETS_PATH, ':method': 'POST', 'content-type': 'application/json' },
      widget(name, { size: 1 }),
    );

  const codes = (await Promise.all([create('a'), create('b')])).map(({ code }) => code);
  await seen;
  const missing = await askHttp2(over, { ':path': '/nowhere' });
  watch.close();

  expect(over.alpnProtocol).toBe('h2');
  expect(codes).toEqual([201, 201]);
  expect(events.map((text) => (JSON.parse(text) as { type: string }).type)).toEqual(['ADDED', 'ADDED']);
  expect(missing).toMatchObject({ code: 404, body: '404 page not found\n' });
  expect(new Set(users.map((user) => user?.name))).toEqual(new Set(['admin']));
});

it('tells its upstream when an HTTP/2 client resets the stream of a watch', async () => {
  let gone = (): void => {};
  const cancelled = new Promise<string>((resolve) => {
    gone = () => resolve('cancelled');
  });
  http = await serveHttp(
    {
      send: (_request, sink) => {
        sink.open();
        return gone;
      },
    },
    { tls: { identity, clientCa: authority.certificate } },
  );
  const watch = open().request({ ':path': `${WIDGETS_PATH}?watch=1` });
  await new Promise<void>((resolve) => {
    watch.once('response', () => resolve());
  });

  watch.close(8);

  expect(await cancelled).toBe('cancelled');
});

it("sets an audit id on every answer, keeps the client's own, and sends no Connection header", async () => {
  await serve();

  const { headers } = await ask(ADMIN());
  const sent = await ask({ ...ADMIN(), headers: { 'audit-id': 'mine' } });

  expect(headers['audit-id']).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  expect(headers).toMatchObject({ 'cache-control': 'no-cache, private', date: expect.any(String) as string });
  expect(sent.headers['audit-id']).toBe('mine');
});

it('ends open watches when it closes', async () => {
  await serve();
  const watch = open().request({ ':path': `${CONFIGMAPS_PATH}?watch=1` });
  watch.resume();
  await new Promise<void>((resolve) => {
    watch.once('response', () => resolve());
  });
  const ended = new Promise<number>((resolve) => {
    watch.once('close', () => resolve(watch.rstCode));
  });

  await http?.close();

  expect(await ended).toBe(0);
});
