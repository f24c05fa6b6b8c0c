/** Commands, logs and ports for real clients: client-node over WebSockets, and kubectl's SPDY traffic, byte for byte. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Exec, KubeConfig, Log, PortForward, type V1Status } from '@kubernetes/client-node';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KubeletAnswers } from '../../../wire/declared-answers.ts';
import type { KubeObject } from '../../../objects/object.ts';
import { testServer, type TestServer } from '../../testing.ts';
import { serveHttp, type HttpServer } from '../serve.ts';
import { SpdyConnection } from './spdy.ts';

const ANSWERS: KubeletAnswers = {
  exec: [
    { pod: 'db-*', command: '^psql .*select 1$', stdout: '1\n' },
    { command: '^fail', stdout: 'out\n', stderr: 'broken\n', exitCode: 3 },
    { command: '^cat', stdin: 'hello', stdout: 'read hello\n' },
    { command: '^long', stdout: 'x'.repeat(100_000) },
  ],
  logs: [{ pod: 'db-*', text: 'one\ntwo\nthree\n' }],
  portForward: [
    { port: 80, http: [{ path: '/health', body: '{"ok":true}' }] },
    { port: 6379, tcp: [{ expect: 'PING\r\n', send: '+PONG\r\n', close: true }] },
  ],
  serviceProxy: [{ service: 'web', http: [{ path: '/api/query\\?q=.*', body: 'found' }] }],
};

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'db-0', namespace: 'default', uid: 'pod' },
  spec: { nodeName: 'node', containers: [{ name: 'main', image: 'i' }] },
  status: { phase: 'Running' },
} satisfies KubeObject;

let made: TestServer;
let http: HttpServer;
let config: KubeConfig;

beforeEach(async () => {
  made = testServer({ kubelet: ANSWERS });
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'default', uid: 'web' } };
  made.server.seed([POD, service]);
  http = await serveHttp(made.server);
  config = new KubeConfig();
  config.loadFromClusterAndUser({ name: 'c', server: http.url, skipTLSVerify: true }, { name: 'u' });
});

afterEach(async () => {
  await http.close();
});

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: V1Status;
}

async function run(command: readonly string[], stdin: string | null = null): Promise<Ran> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const input = stdin === null ? null : Readable.from([stdin]);
  const status = await new Promise<V1Status>((resolve, reject) => {
    new Exec(config).exec('default', 'db-0', 'main', [...command], stdout, stderr, input, false, resolve).catch(reject);
  });
  stdout.end();
  stderr.end();
  return { stdout: await text(stdout), stderr: await text(stderr), status };
}

it('runs a declared command for client-node, over a WebSocket', async () => {
  const { stdout, stderr, status } = await run(['psql', '-c', 'select 1']);

  expect([stdout, stderr, status.status]).toEqual(['1\n', '', 'Success']);
});

it('reports the exit code and both streams of a command that fails', async () => {
  const { stdout, stderr, status } = await run(['fail', 'now']);

  expect([stdout, stderr]).toEqual(['out\n', 'broken\n']);
  expect(status).toMatchObject({
    status: 'Failure',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: '3' }] },
  });
});

it('waits for the input of a command', async () => {
  const { stdout, status } = await run(['cat'], 'say hello\n');

  expect([stdout, status.status]).toEqual(['read hello\n', 'Success']);
});

it('sends long output completely', async () => {
  expect((await run(['long'])).stdout).toHaveLength(100_000);
});

it('refuses undeclared commands as a cluster without kubelets does, and records them', async () => {
  await expect(run(['unknown', '--password=x'])).rejects.toBeDefined();

  expect(made.server.undeclared()).toEqual([
    { what: 'exec', namespace: 'default', name: 'db-0', of: 'main', command: 'unknown --password=x' },
  ]);
});

it('tails a log', async () => {
  const out = new PassThrough();
  await new Log(config).log('default', 'db-0', 'main', out, { tailLines: 2 });

  expect(await text(out)).toBe('two\nthree\n');
});

it.each([
  [false, '', 404],
  [true, '', 200],
  [true, '?previous=true', 404],
])('an undeclared log with emptyLogs %s and the query "%s" is answered with %d', async (emptyLogs, query, code) => {
  const { server } = testServer({ emptyLogs });
  server.seed([POD]);
  const alone = await serveHttp(server);

  const answer = await fetch(`${alone.url}/api/v1/namespaces/default/pods/db-0/log${query}`);

  expect([answer.status, code === 200 ? await answer.text() : '']).toEqual([code, '']);
  expect(server.undeclared()).toMatchObject([{ what: 'log', of: 'main' }]);
  await alone.close();
});

it('keeps a followed log open', async () => {
  const answer = await fetch(`${http.url}/api/v1/namespaces/default/pods/db-0/log?follow=true`);
  const reader = answer.body?.getReader();
  const first = await reader?.read();
  let isOver = false;
  void reader?.read().then(() => (isOver = true));
  // The answer to another request shows that the server had time to end the log.
  await (await fetch(`${http.url}/version`)).text();

  expect([Buffer.from(first?.value ?? []).toString(), isOver]).toEqual(['one\ntwo\nthree\n', false]);
  await reader?.cancel();
});

it('forwards ports for client-node, over a WebSocket', async () => {
  const forward = new PortForward(config);
  const local = createServer((socket: Socket) => {
    forward.portForward('default', 'db-0', [80], socket, null, socket).catch((error: Error) => socket.destroy(error));
  });
  local.listen(0, '127.0.0.1');
  await once(local, 'listening');
  const client = connect((local.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
  const [answer] = (await once(client, 'data')) as [Buffer];

  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\{"ok":true\}$/);
  client.destroy();
  local.close();
});

it('answers behind the proxy of a service', async () => {
  const base = `${http.url}/api/v1/namespaces/default/services`;
  const found = await fetch(`${base}/http:web:80/proxy/api/query?q=up&q=down`);
  const missing = await fetch(`${base}/web/proxy/else`);

  expect([found.status, await found.text(), missing.status]).toEqual([200, 'found', 503]);
  expect(made.server.undeclared()).toMatchObject([{ what: 'serviceProxy', name: 'web', of: 'GET /else' }]);
});

/** The streams `error` and `stdout` of kubectl 1.32. */
const KUBECTL = [
  '80030001000000290000000100000000000078f9e3c6a7c26260606004a7b392a2d4c45c6851c29a0a0a6800000000ffff',
  '800300010000001900000003000000000000c22ac5565c92925f5a02000000ffff',
];

it('runs a declared command over SPDY', async () => {
  const socket = connect(http.port, '127.0.0.1');
  const target = '/api/v1/namespaces/default/pods/db-0/exec?command=psql&command=-c&command=select%201&stdout=true';
  socket.write(
    `POST ${target} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v5.channel.k8s.io\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n`,
  );
  const [head] = (await once(socket, 'data')) as [Buffer];
  expect(head.toString()).toBe(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v5.channel.k8s.io\r\n\r\n',
  );

  let received = Buffer.alloc(0);
  const over = new Promise<void>((resolve) => {
    socket.on('data', (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      // The server has closed both streams.
      if (
        received.includes(Buffer.from('0000000101000000', 'hex')) &&
        received.includes(Buffer.from('0000000301000000', 'hex'))
      )
        resolve();
    });
  });
  for (const frame of KUBECTL) socket.write(Buffer.from(frame, 'hex'));
  await over;

  expect(received.toString('latin1')).toContain('\0\0\0\x03\0\0\0\x021\n');
  expect(received.toString('latin1')).toContain('{"metadata":{},"status":"Success"}');
  socket.destroy();
});

it('reads the headers of SPDY streams, and closes on invalid SPDY', () => {
  const sent: string[] = [];
  const streams: (readonly [number, string | undefined])[] = [];
  let ended = 0;
  const connection = new SpdyConnection((bytes) => sent.push(bytes.toString('hex')), {
    opened: ({ id, headers }) => streams.push([id, headers.get('streamtype')]) > 0,
    ended: () => ended++,
  });
  const bytes = Buffer.from(KUBECTL.join(''), 'hex');
  for (let at = 0; at < bytes.length; at += 7) connection.read(bytes.subarray(at, at + 7));
  connection.read(Buffer.from('800300060000000400000009', 'hex'));

  expect(streams).toEqual([
    [1, 'error'],
    [3, 'stdout'],
  ]);
  // The server echoes a ping.
  expect(sent.at(-1)).toBe('800300060000000400000009');
  connection.read(Buffer.from('8001000100000000', 'hex'));
  expect(ended).toBe(1);
});
