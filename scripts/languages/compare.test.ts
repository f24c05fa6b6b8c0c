/** Tests of recordings over every protocol, of normalized requests and answers, and of the differences between two recordings. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { CertificateAuthority, serveHttp, type HttpServer } from 'stalemate-apiserver/http';
import { configMap, CONFIGMAPS_PATH, testServer } from 'stalemate-apiserver/testing';
import { differencesOf, inBoth } from './compare.ts';
import { reasonOf } from './explained.ts';
import { type Forms, formsOf } from './forms.ts';
import { type Passed, record, type Recorder } from './recorder.ts';

const folder = mkdtempSync(join(tmpdir(), 'stalemate-recorder-'));
let http: HttpServer | undefined;
let recorder: Recorder | undefined;

afterEach(async () => {
  await recorder?.close();
  await http?.close();
  http = recorder = undefined;
  rmSync(folder, { recursive: true, force: true });
});

it('records HTTP/1.1, HTTP/2 and WebSocket, each with its protocol', async () => {
  const authority = new CertificateAuthority();
  const tls = { identity: authority.issueServer(), clientCa: authority.certificate };
  const user = { name: 'admin', groups: ['system:masters'] };
  http = await serveHttp(testServer().server, { tls, authentication: { tokens: new Map(), anonymous: user } });
  const given = join(folder, 'given');
  const data = (text: string): string => Buffer.from(text).toString('base64');
  const cluster = { server: http.url, 'certificate-authority-data': data(authority.certificate) };
  writeFileSync(given, stringify({ clusters: [{ cluster }] }));
  const written = join(folder, 'written');
  recorder = await record(given, written);
  const through = (parse(readFileSync(written, 'utf8')) as { clusters: [{ cluster: typeof cluster }] }).clusters[0];
  const { server } = through.cluster;
  const ca = Buffer.from(through.cluster['certificate-authority-data'], 'base64').toString();

  const code1 = await new Promise((resolve) => {
    request(server + CONFIGMAPS_PATH, { ca }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    }).end();
  });
  const code2 = await new Promise((resolve) => {
    const session = connect(server, { ca });
    const stream = session.request({ ':method': 'DELETE', ':path': `${CONFIGMAPS_PATH}/a` }, { endStream: false });
    stream.on('response', (answer) => {
      resolve(answer[':status']);
      session.destroy();
    });
    stream.end('{"kind":"DeleteOptions","apiVersion":"v1"}');
  });
  const upgraded = await new Promise((resolve) => {
    const key = data('0123456789abcdef');
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': key,
      'sec-websocket-version': '13',
      origin: 'https://localhost',
    };
    const sent = request(`${server}${CONFIGMAPS_PATH}?watch=1`, { ca, headers });
    sent.on('upgrade', (answer, socket) => {
      resolve(answer.statusCode);
      socket.destroy();
    });
    sent.end();
  });

  expect([code1, code2, upgraded]).toEqual([200, 404, 101]);
  expect(recorder.take().map(({ protocol, method, answer }) => [protocol, method, answer.status])).toEqual([
    ['HTTP/1.1', 'GET', 200],
    ['HTTP/2', 'DELETE', 404],
    ['WebSocket', 'GET', 101],
  ]);
});

function passed(target: string, body: object | string, status = 200): Passed {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'content-type': 'application/json' };
  const answer = { status, headers, body: [Buffer.from(text)] };
  return { protocol: 'HTTP/2', method: 'GET', target, headers: {}, body: [], answer };
}

const seen = (uid: string, resourceVersion: string, name = 'a'): object => {
  const object = configMap(name);
  return { ...object, metadata: { ...object.metadata, uid, resourceVersion } };
};

const UIDS = ['11111111-1111-1111-1111-111111111111', '22222222-2222-2222-2222-222222222222'] as const;

it('treats answers as equal that differ only in timing and random values', () => {
  const one = formsOf([passed('/x?resourceVersion=7&timeoutSeconds=301', seen(UIDS[0], '7'))], 'values');
  const other = formsOf([passed('/x?resourceVersion=90&timeoutSeconds=599', seen(UIDS[1], '90'))], 'values');

  expect(one).toEqual(other);
});

it('records the order of events of one object, and leaves out periodic bookmarks', () => {
  const event = (type: string, version: string): string =>
    `${JSON.stringify({ type, object: seen(UIDS[0], version, type === 'BOOKMARK' ? '' : 'a') })}\n`;
  const watch = event('ADDED', '1') + event('BOOKMARK', '2') + event('DELETED', '3');

  const [answers] = [...formsOf([passed('/x?watch=true', watch)], 'fields').values()];
  const facts = [...(answers?.get('200 application/json') ?? [])];

  expect(facts).toContain('events of a: ADDED DELETED');
  expect(facts.some((fact) => fact.startsWith('BOOKMARK'))).toBe(false);
});

it('reports requests, answers and facts that only one side has', () => {
  const steps = (...recording: readonly Passed[]): ReadonlyMap<string, Forms> =>
    new Map([['step', formsOf(recording, 'values')]]);
  const ours = steps(passed('/a', { kind: 'A' }), passed('/b', {}), passed('/c', {}));
  const theirs = steps(passed('/a', { kind: 'B' }), passed('/b', {}, 404));

  const found = differencesOf('client', ours, theirs);

  expect(found.map(({ request, side, fact }) => `${request.slice(4, 6)} ${side} ${fact}`)).toEqual([
    '/a embedded kind=A',
    '/a real kind=B',
    '/b embedded answer 200 application/json',
    '/b real answer 404 application/json',
    '/c embedded the request',
  ]);
  expect(found.map(reasonOf)).toEqual(found.map(() => undefined));
});

it('keeps differences that are in every recording, and drops races', () => {
  const difference = (fact: string) =>
    ({ client: 'go', step: 'buckets', request: 'GET /a', side: 'real', fact }) as const;
  const again = inBoth([difference('answer 404'), difference('the request')], [difference('the request')]);
  expect(again).toEqual([difference('the request')]);
});
