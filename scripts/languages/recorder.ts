/**
 * A reverse proxy that records traffic: TLS with HTTP/2, HTTP/1.1 and WebSocket, each forwarded with its own protocol.
 *
 * Owns: sockets and the bytes of both directions, unchanged. Does not own: what the bytes mean (`forms.ts`). Start at {@link record}.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  connect,
  createSecureServer,
  type ClientHttp2Session,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
} from 'node:http2';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import { parse, stringify } from 'yaml';
import { CertificateAuthority } from 'stalemate-apiserver/http';

/** One request and its answer, possibly incomplete. */
export interface Passed {
  readonly protocol: 'HTTP/2' | 'HTTP/1.1' | 'WebSocket';
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: readonly Buffer[];
  readonly answer: { status: number; headers: IncomingHttpHeaders; readonly body: Buffer[] };
}

export interface Recorder {
  /** Returns the traffic since the last call, in order of the requests; open requests are included as far as they have got. */
  take(): readonly Passed[];
  close(): Promise<void>;
}

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { server: string; 'certificate-authority-data'?: string } }[];
}

/** Headers of HTTP/1.1 connections, which HTTP/2 does not allow. */
const HOP_BY_HOP = new Set(['connection', 'host', 'http2-settings', 'keep-alive', 'transfer-encoding', 'upgrade']);

/** Listens in front of the server of `kubeconfig`, and writes a kubeconfig for the recorder to `written`. */
export async function record(kubeconfig: string, written: string): Promise<Recorder> {
  const config = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
  const cluster = config.clusters[0]?.cluster;
  if (cluster === undefined) throw new Error(`${kubeconfig} names no cluster`);
  const upstream = new URL(cluster.server);
  const ca = Buffer.from(cluster['certificate-authority-data'] ?? '', 'base64').toString();
  const agent = new Agent({ keepAlive: true, ca });
  let passed: Passed[] = [];
  let session: ClientHttp2Session | undefined;
  const sockets = new Set<Duplex>();

  /** One session for all clients: the number of their connections does not matter. */
  const upstreamSession = (): ClientHttp2Session => {
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(upstream, { ca });
      session.on('error', () => undefined);
    }
    return session;
  };

  const begin = (protocol: Passed['protocol'], { method = '', url = '', headers }: Incoming): Passed => {
    const one = { protocol, method, target: url, headers, body: [], answer: { status: 0, headers: {}, body: [] } };
    passed.push(one);
    return one;
  };

  const overHttp2 = (incoming: Http2ServerRequest, response: Http2ServerResponse): void => {
    const one = begin('HTTP/2', incoming);
    const headers = Object.entries(incoming.headers).filter(([name]) => !name.startsWith(':') && !HOP_BY_HOP.has(name));
    const pseudo = { ':method': one.method, ':path': one.target, ':authority': upstream.host };
    // Otherwise Node assumes that a DELETE has no body.
    const stream = upstreamSession().request({ ...pseudo, ...Object.fromEntries(headers) }, { endStream: false });
    stream.on('response', (answered) => {
      note(one, Number(answered[':status']), answered);
      response.writeHead(one.answer.status, withoutPseudo(answered));
    });
    tee(incoming, stream, one.body as Buffer[]);
    tee(stream, response, one.answer.body);
    // Closing a watch on one side closes it on the other side.
    response.on('close', () => stream.close());
    stream.on('error', () => response.stream?.destroy());
  };

  const overHttp1 = (incoming: IncomingMessage, response: ServerResponse): void => {
    const one = begin('HTTP/1.1', incoming);
    const { method, target: path, headers } = one;
    const sent = request(upstream, { agent, method, path, headers }, (answer) => {
      note(one, answer.statusCode ?? 0, answer.headers);
      response.writeHead(one.answer.status, answer.headers);
      response.flushHeaders();
      tee(answer, response, one.answer.body);
      answer.on('error', () => response.destroy());
    });
    sent.on('error', () => response.destroy());
    tee(incoming, sent, one.body as Buffer[]);
    response.on('close', () => sent.destroy());
  };

  const overWebSocket = (incoming: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const one = begin('WebSocket', incoming);
    const { method, target: path, headers } = one;
    const sent = request(upstream, { ca, method, path, headers });
    const answerHead = (answer: IncomingMessage): void => {
      note(one, answer.statusCode ?? 0, answer.headers);
      const lines = [`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`];
      for (let at = 0; at < answer.rawHeaders.length; at += 2)
        lines.push(`${answer.rawHeaders[at]}: ${answer.rawHeaders[at + 1]}`);
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    };
    sent.on('upgrade', (answer, beyond: Duplex, rest: Buffer) => {
      answerHead(answer);
      socket.write(rest);
      beyond.write(head);
      beyond.on('error', () => socket.destroy()).pipe(socket);
      socket.pipe(beyond);
      socket.on('close', () => beyond.destroy());
    });
    sent.on('response', (answer) => {
      answerHead(answer);
      tee(answer, socket, one.answer.body);
    });
    sent.on('error', () => socket.destroy());
    socket.on('error', () => sent.destroy());
    sent.end();
  };

  const authority = new CertificateAuthority();
  const identity = authority.issueServer();
  const server = createSecureServer(
    { key: identity.key, cert: identity.certificate, allowHTTP1: true },
    (incoming, response) => {
      if (incoming.httpVersionMajor >= 2) overHttp2(incoming, response);
      else overHttp1(incoming as unknown as IncomingMessage, response as unknown as ServerResponse);
    },
  );
  server.on('upgrade', overWebSocket);
  server.on('sessionError', () => undefined);
  server.on('secureConnection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  cluster.server = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  cluster['certificate-authority-data'] = Buffer.from(authority.certificate).toString('base64');
  writeFileSync(written, stringify(config), { mode: 0o600 });

  return {
    take: () => {
      const taken = passed;
      passed = [];
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
        session?.destroy();
        agent.destroy();
      }),
  };
}

type Incoming = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

function note({ answer }: Passed, status: number, headers: IncomingHttpHeaders): void {
  answer.status = status;
  answer.headers = headers;
}

function withoutPseudo(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')));
}

/** Forwards a stream and keeps a copy. */
function tee(from: Readable, to: Writable | Http2ServerResponse, copy: Buffer[]): void {
  from.on('data', (part: Buffer) => void copy.push(part));
  from.pipe(to);
}
