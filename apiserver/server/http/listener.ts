/**
 * Listens on a port: HTTP/1.1 and HTTP/2 over TLS side by side, or plain-text HTTP/1.1.
 *
 * Owns: sockets, protocol choice, connection limits, closing. Does not own: answers (`handle.ts`).
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { AddressInfo, Server as Socket } from 'node:net';
import { realClearTimeout, realSetTimeout } from '../../clock.ts';
import { Traffic } from '../../wire/traffic.ts';
import { certifiedUser } from './authentication.ts';
import type { Identity } from './certificates.ts';
import type { Credential, Exchange } from './exchange.ts';
import { Http1Exchange, refuseConnection, type ClientError, refuseHostless, refuseMethod } from './http1.ts';
import { Http2Exchange } from './http2.ts';
import { asksForWebSocket } from '../../wire/websocket.ts';
import { asksForSpdy } from './streams/become.ts';
import { UpgradeExchange } from './websocket.ts';

// An import would also run getters of these modules that load Node's fetch and WebSocket, which takes a fifth of the time to the first
// answer.
const { createServer } = process.getBuiltinModule('node:http');
const { createServer: createTlsServer } = process.getBuiltinModule('node:https');
const { performServerHandshake } = process.getBuiltinModule('node:http2');

export interface TlsOptions {
  readonly identity: Identity;
  /** The authority of client certificates, as PEM. */
  readonly clientCa: string;
}

export interface Listener {
  readonly port: number;
  readonly traffic: Traffic;
  /** Stops accepting connections, finishes requests in flight, and resolves once the port is free. */
  close(): Promise<void>;
}

/** The maximum size of a request's headers: Go's `DefaultMaxHeaderBytes`. */
const HEADER_BYTES_MAX = 1024 * 1024;
/** kube-apiserver's connection time-outs: for the head of a request, and between requests. */
const HEADERS_TIMEOUT_MS = 32_000;
const IDLE_TIMEOUT_MS = 90_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Grace period of requests in flight before connections are destroyed. */
const GRACE_MS = 1000;

const LIMITS = {
  maxHeaderSize: HEADER_BYTES_MAX,
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: IDLE_TIMEOUT_MS,
  noDelay: true,
  // `http1.ts` answers a request without a Host header in Go's words.
  requireHostHeader: false,
  // Upgrade requests for other protocols are ignored.
  shouldUpgradeCallback: (incoming: IncomingMessage): boolean => asksForWebSocket(incoming) || asksForSpdy(incoming),
};

/** kube-apiserver's limits: streams per connection, and the flow control window of clients. */
const HTTP2_SETTINGS = {
  maxConcurrentStreams: 100,
  initialWindowSize: 256 * 1024,
  maxHeaderListSize: HEADER_BYTES_MAX,
};

/** Listens on the given address, or on a socket that is already listening, and passes every request to `handle`. */
export async function listen(
  place: { readonly host: string; readonly port: number } | Socket,
  tls: TlsOptions | undefined,
  handle: (exchange: Exchange) => void,
): Promise<Listener> {
  const certified = new WeakMap<object, UserOf>();
  const sessions = new Set<ServerHttp2Session>();
  const upgraded = new Set<Duplex>();
  const onRequest = (incoming: IncomingMessage, response: ServerResponse): void => {
    if (incoming.headers.host === undefined && incoming.httpVersionMinor > 0) refuseHostless(incoming.socket);
    else handle(new Http1Exchange(incoming, response, certified.get(incoming.socket)?.user));
  };
  const server = tls === undefined ? createServer(LIMITS, onRequest) : createTlsServer(tlsConfig(tls), onRequest);
  if (tls !== undefined) {
    // Node's own listener speaks HTTP/1.1 on every connection, so connections that negotiated HTTP/2 are diverted here. There is no public
    // way to get that listener except from the list of listeners. Passing these connections to a second server is no alternative: Node does
    // not time out slow requests on servers that do not listen themselves.
    const [http1] = server.listeners('secureConnection');
    server.removeAllListeners('secureConnection');
    server.on('secureConnection', (socket: TLSSocket) => {
      const user = certifiedUser(socket);
      if (socket.alpnProtocol !== 'h2') {
        if (user !== undefined) certified.set(socket, { user });
        http1?.call(server, socket);
        return;
      }
      socket.setNoDelay(true);
      openSession(socket, user, handle, sessions);
    });
    server.on('tlsClientError', (_error: Error, socket: TLSSocket) => socket.destroy());
  }
  const traffic = new Traffic();
  server.on('connection', (socket) => traffic.add(socket));
  // By default Node silently drops headers beyond its own limit.
  server.maxHeadersCount = 0;
  server.on('clientError', (error: ClientError, socket: Duplex) => refuseConnection(error, socket));
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, first: Buffer) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    handle(new UpgradeExchange({ incoming, socket, first }, certified.get(socket)?.user));
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => refuseMethod(socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(place, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { port, traffic, close: () => close(server, sessions, upgraded) };
}

interface UserOf {
  readonly user: Credential;
}

function tlsConfig({ identity, clientCa }: TlsOptions): object {
  return {
    ...LIMITS,
    key: identity.key,
    cert: identity.certificate,
    ca: clientCa,
    requestCert: true,
    rejectUnauthorized: false,
    ALPNProtocols: ['h2', 'http/1.1'],
    minVersion: 'TLSv1.2',
  };
}

function openSession(
  socket: TLSSocket,
  user: Credential,
  handle: (exchange: Exchange) => void,
  sessions: Set<ServerHttp2Session>,
): void {
  const session = performServerHandshake(socket, {
    settings: HTTP2_SETTINGS,
    maxHeaderListPairs: 100_000,
    // Does not limit the memory of a session: each stream has its own limit, and idle watches would count twice.
    maxSessionMemory: 1000,
  });
  sessions.add(session);
  session.once('close', () => sessions.delete(session));
  // An error of a connection ends its streams, so it is not reported anywhere else.
  session.on('error', () => session.destroy());
  session.on('stream', (stream, headers, flags) => handle(new Http2Exchange(stream, headers, flags, user)));
}

function close(
  server: Server,
  sessions: ReadonlySet<ServerHttp2Session>,
  upgraded: ReadonlySet<Duplex>,
): Promise<void> {
  return new Promise((resolve) => {
    const cut = realSetTimeout(() => {
      server.closeAllConnections();
      for (const session of sessions) session.destroy();
      for (const socket of upgraded) socket.destroy();
    }, GRACE_MS);
    server.close(() => {
      realClearTimeout(cut);
      resolve();
    });
    for (const session of sessions) session.close();
  });
}
