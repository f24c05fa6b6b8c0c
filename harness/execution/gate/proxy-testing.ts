/**
 * Helpers for tests of the gate as a proxy: an API server, the gate's front in front of it, and raw requests to both.
 *
 * Located here because `gate` and `apiserver` must not import each other. Used by tests only.
 */
import type { ClientHttp2Session } from 'node:http2';
import { connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { connect as connectTls } from 'node:tls';
import { CertificateAuthority, serveHttp } from 'stalemate-apiserver/http';
import { testServer, type TestServer } from 'stalemate-apiserver/testing';
import { kubeconfigOf } from 'stalemate-apiserver/wire/kubeconfig';
import { openFront, type Front, type FrontOptions } from '../../gate/http/front.ts';
import { openGate, type OpenGateOptions, type StandingGate } from '../../gate/http/open-gate.ts';
import { RemoteServer, type RemoteOptions } from '../../gate/http/remote.ts';
import { EMPTY_SCHEDULE, type Schedule } from '../../model/schedule.ts';
import type { Scheduler } from '../../model/item.ts';
import { ReplayScheduler } from '../../schedule/replay-scheduler.ts';

export const TOKEN = 'server-token';
export const FRONT_TOKEN = 'front-token';

export interface ProxyRig extends TestServer {
  readonly direct: string;
  readonly front: Front;
  readonly ca: string;
  /** Ends the server but not the front. */
  closeServer(): Promise<void>;
  close(): Promise<void>;
}

const authority = new CertificateAuthority();
const identity = authority.issueServer();

/** Starts an API server, which authenticates by token, behind the gate's front. */
export async function proxyRig(more: Partial<FrontOptions> = {}): Promise<ProxyRig> {
  const made = testServer();
  const user = { name: 'admin', groups: ['system:masters'] };
  const http = await serveHttp(made.server, {
    tls: { identity, clientCa: authority.certificate },
    authentication: { tokens: new Map([[TOKEN, user]]) },
  });
  const remote = new RemoteServer({
    url: http.url,
    ca: authority.certificate,
    authorization: () => `Bearer ${TOKEN}`,
  });
  const tls = { identity, clientCa: authority.certificate };
  const front = await openFront({ remote, tls, token: FRONT_TOKEN, ...more });
  return {
    ...made,
    direct: http.url,
    front,
    ca: authority.certificate,
    closeServer: () => http.close(),
    close: async () => {
      await front.close();
      await http.close();
    },
  };
}

export interface GatedRig extends TestServer, StandingGate {
  readonly direct: string;
  readonly ca: string;
  /** Ends the server but not the front. */
  closeServer(): Promise<void>;
}

/** Starts an API server behind a gate that applies the holds and faults of a schedule to actor `controller`. */
export async function gatedRig(
  schedule: Pick<Partial<Schedule>, 'holds' | 'faults'> = {},
  more: Pick<OpenGateOptions, 'watchBytesMax'> = {},
): Promise<GatedRig> {
  const rig = await proxyRig();
  const remote = { url: rig.direct, ca: rig.ca, authorization: () => `Bearer ${TOKEN}` };
  const standing = await gateBefore(remote, new ReplayScheduler({ ...EMPTY_SCHEDULE, ...schedule }), more);
  return {
    ...rig,
    ...standing,
    close: async () => {
      await standing.close();
      await rig.close();
    },
  };
}

/** Opens a gate in front of the given server, with a front for actor `controller`. */
export async function gateBefore(
  remote: RemoteOptions,
  scheduler: Scheduler,
  more: Pick<OpenGateOptions, 'watchBytesMax'> = {},
): Promise<StandingGate & { readonly kubeconfig: object }> {
  const { certificate: ca } = authority;
  const standing = await openGate({
    remote: new RemoteServer(remote),
    tls: { identity, clientCa: ca },
    token: FRONT_TOKEN,
    actor: 'controller',
    scheduler,
    now: () => 0,
    ...more,
  });
  const kubeconfig = kubeconfigOf({ name: 'stalemate', server: standing.front.url, ca, token: FRONT_TOKEN });
  return { ...standing, kubeconfig };
}

export interface RawAnswer {
  readonly code: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

export interface RawQuestion {
  readonly method?: string;
  readonly path: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | Buffer;
  readonly token?: string;
}

/** Sends one request over HTTP/1.1 on a connection of its own. Rejects if the connection breaks. */
export function askHttp1(url: string, question: RawQuestion): Promise<RawAnswer> {
  const { method = 'GET', path, headers = {}, body, token } = question;
  return new Promise((resolve, reject) => {
    const request = httpsRequest(`${url}${path}`, {
      method,
      headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      ca: authority.certificate,
      agent: false,
    });
    request.on('error', reject);
    request.on('response', (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({ code: answer.statusCode ?? 0, headers: answer.rawHeaders, body: Buffer.concat(pieces) }),
      );
    });
    request.end(body);
  });
}

/** Opens an HTTP/2 session as an actor does. */
export function session(url: string): ClientHttp2Session {
  const made = connect(url, { ca: authority.certificate });
  made.on('error', () => {});
  return made;
}

/** Sends one request in a stream of `over`. Rejects if the stream is reset. */
export function askHttp2(over: ClientHttp2Session, question: RawQuestion): Promise<RawAnswer> {
  const { method = 'GET', path, headers = {}, body, token } = question;
  return new Promise((resolve, reject) => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const stream = over.request(
      { ':method': method, ':path': path, ...headers, ...authorization },
      { endStream: false },
    );
    const pieces: Buffer[] = [];
    let code = 0;
    let raw: readonly string[] = [];
    stream.on('response', (answer, _flags, list: readonly string[]) => {
      code = answer[':status'] ?? 0;
      raw = list;
    });
    stream.on('error', reject);
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('end', () => resolve({ code, headers: raw, body: Buffer.concat(pieces) }));
    stream.end(body);
  });
}

/** The data received in one stream so far. */
export interface OpenStream {
  readonly bytes: () => Buffer;
  readonly text: () => string;
  readonly ended: () => boolean;
  readonly error: () => string | undefined;
  readonly close: () => void;
}

export function openStream(
  over: ClientHttp2Session,
  path: string,
  headers: { readonly [name: string]: string } = {},
): OpenStream {
  const stream = over.request({ ':path': path, authorization: `Bearer ${FRONT_TOKEN}`, ...headers });
  const pieces: Buffer[] = [];
  let ended = false;
  let error: string | undefined;
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  stream.on('error', ({ message }) => (error = message));
  stream.on('close', () => (ended = true));
  const bytes = (): Buffer => Buffer.concat(pieces);
  return { bytes, text: () => bytes().toString(), ended: () => ended, error: () => error, close: () => stream.close() };
}

/** Sends a request over HTTP/1.1 with `Connection: close`, and records what its socket receives. */
export function openClosing(url: string, path: string): Pick<OpenStream, 'text' | 'error'> {
  const { hostname, port } = new URL(url);
  const socket = connectTls({ host: hostname, port: Number(port), ca: authority.certificate });
  let text = '';
  let error: string | undefined;
  socket.on('data', (piece: Buffer) => (text += piece.toString()));
  socket.on('error', ({ message }) => (error = message));
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${FRONT_TOKEN}\r\nConnection: close\r\n\r\n`,
  );
  return { text: () => text, error: () => error };
}
