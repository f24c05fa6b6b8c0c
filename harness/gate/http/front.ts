/**
 * The gate as a server: an actor connects here as it would to the API server itself.
 *
 * Owns: the socket, HTTP/1.1, HTTP/2 and WebSockets, who is let in, whose request it is, and which way it takes: as it is (`pass.ts`),
 * through the gate (`gated.ts`), or as a tunnel (`tunnel.ts`). Does not own: certificates, the server behind (`remote.ts`), what happens to
 * a request. Start at {@link openFront}.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Server as Socket, Socket as TcpSocket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Upstream } from 'stalemate-apiserver/wire/http';
import { listenAnywhere } from 'stalemate-apiserver/wire/listen';
import { failureStatus } from 'stalemate-apiserver/wire/status';
import { Traffic } from 'stalemate-apiserver/wire/traffic';
import type { FrontExchange, RawHeaders, RemoteConnection, RequestHead } from './exchange.ts';
import { headerOf, NO_TRAILERS } from './exchange.ts';
import { Http1Front } from './front-http1.ts';
import { Http2Front } from './front-http2.ts';
import { isWatchOverWebSocket, WebSocketFront } from './front-websocket.ts';
import { gated } from './gated.ts';
import type { Http1Remote } from './remote-http1.ts';
import { pass, type Tap } from './pass.ts';
import type { OnRedirect } from './redirected.ts';
import type { As, RemoteServer } from './remote.ts';
import { tunnel } from './tunnel.ts';

// An import would also run getters of these modules that load Node's fetch and WebSocket.
const { createServer } = process.getBuiltinModule('node:http');
const { createServer: createTlsServer } = process.getBuiltinModule('node:https');
const { performServerHandshake } = process.getBuiltinModule('node:http2');

export interface FrontOptions {
  readonly remote: RemoteServer;
  /** 0 (default) lets the system choose. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** A socket that listens already, instead of a port to listen on: one of another network namespace, for instance. */
  readonly socket?: Socket;
  /** PEM: what the front shows, and who signs the certificates by which actors are let in. Absent, it speaks HTTP/1.1 in the clear. */
  readonly tls?: {
    readonly identity: { readonly certificate: string; readonly key: string };
    readonly clientCa?: string;
  };
  /** The bearer token by which an actor is let in; a client certificate of `clientCa` does as well. */
  readonly token: string;
  /**
   * What happens to requests with credentials that are not ours, or with none: `refuse` them (default), or `pass` them to the server with
   * the credentials that they carry and no others.
   */
  readonly strangers?: 'refuse' | 'pass';
  /** Whether a request that becomes a connection of its own (`exec`, `port-forward`) goes on; absent, all do. */
  readonly mayTunnel?: (head: RequestHead) => boolean;
  /** Hears of answers that send an actor elsewhere beside the gate, which the actor does not get; absent, it gets them as they are. */
  readonly onRedirect?: OnRedirect;
  /** Which way a request takes; absent, all pass as they are. */
  readonly route?: (head: RequestHead) => Way;
}

/** The way of one request: as it is, perhaps looked at; or through the gate, at the port of its actor. */
export type Way =
  | {
      readonly tap?: Tap;
      /** Waits for this before it goes on. */
      readonly after?: Promise<void>;
    }
  | { readonly port: Upstream };

export interface Front {
  /** `https://127.0.0.1:6443`. */
  readonly url: string;
  readonly port: number;
  /** What has moved over its connections. */
  readonly traffic: Traffic;
  /** Cuts all connections, the server's with them, and frees the port. */
  close(): Promise<void>;
}

/** Go's `DefaultMaxHeaderBytes`. */
const HEADER_BYTES_MAX = 1024 * 1024;

const LIMITS = {
  maxHeaderSize: HEADER_BYTES_MAX,
  // The server behind has limits of its own; a front that gave up first would be seen.
  headersTimeout: 0,
  requestTimeout: 0,
  keepAliveTimeout: 0,
  noDelay: true,
  requireHostHeader: false,
  // HTTP/2 in the clear is nothing that API servers agree to.
  shouldUpgradeCallback: ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() !== 'h2c',
};

/** kube-apiserver's limit of streams. What an actor may send ahead is bounded for each. */
const HTTP2_SETTINGS = {
  maxConcurrentStreams: 100,
  initialWindowSize: 256 * 1024,
  maxHeaderListSize: HEADER_BYTES_MAX,
};

const PASS: Way = {};

/**
 * Listens, once the server behind has been reached.
 *
 * @throws what Node throws when it cannot be reached or is not trusted, and when the port is taken.
 */
export async function openFront(options: FrontOptions): Promise<Front> {
  const http2 = await options.remote.speaksHttp2();
  const front = new Listener(options, http2);
  const port = await front.listen();
  const { host = '127.0.0.1', tls } = options;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    port,
    traffic: front.traffic,
    close: () => front.close(),
  };
}

/** What belongs to one connection of an actor. */
class Client {
  readonly certified: boolean;
  readonly #remote: RemoteServer;
  readonly #connections = new Map<As, RemoteConnection>();

  constructor(remote: RemoteServer, certified: boolean) {
    this.#remote = remote;
    this.certified = certified;
  }

  /** Of HTTP/2. */
  connection(as: As): RemoteConnection {
    let connection = this.#connections.get(as);
    if (connection === undefined) {
      connection = this.#remote.http2(as);
      this.#connections.set(as, connection);
    }
    return connection;
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.close();
  }
}

class Listener {
  readonly #options: FrontOptions;
  readonly #http2: boolean;
  readonly #server: Server;
  readonly #clients = new WeakMap<Duplex, Client>();
  /** Connections of HTTP/1.1 to the server are anybody's: each carries one request at a time. */
  readonly #pools = new Map<As, Http1Remote>();
  readonly traffic = new Traffic();
  readonly #sockets = new Set<Duplex>();
  /** Below TLS, by who is at the other end. */
  readonly #tcp = new Map<string, TcpSocket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #bearer: string;

  constructor(options: FrontOptions, http2: boolean) {
    this.#options = options;
    this.#http2 = http2;
    this.#bearer = `Bearer ${options.token}`;
    const onRequest = (incoming: IncomingMessage, response: ServerResponse): void =>
      this.#handle(
        new Http1Front(incoming, response, () => this.#reset(incoming.socket)),
        this.#clientOf(incoming.socket),
        true,
      );
    const server = options.tls === undefined ? createServer(LIMITS, onRequest) : this.#secured(options.tls, onRequest);
    server.maxHeadersCount = 0;
    server.on('connection', (socket: TcpSocket) => {
      this.traffic.add(socket);
      this.#track(socket);
      const peer = peerOf(socket);
      this.#tcp.set(peer, socket);
      socket.once('close', () => this.#tcp.delete(peer));
    });
    server.on('clientError', (_error: Error, socket: Duplex) => {
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
      else socket.destroy();
    });
    server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, first: Buffer) =>
      this.#upgrade(incoming, socket, first),
    );
    this.#server = server;
  }

  async listen(): Promise<number> {
    const { port = 0, host = '127.0.0.1', socket } = this.#options;
    const server = this.#server;
    if (socket === undefined && port === 0) await listenAnywhere(server, host);
    else {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(socket ?? { port, host }, () => {
          server.off('error', reject);
          resolve();
        });
      });
    }
    return (server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const pool of this.#pools.values()) pool.close();
      for (const session of this.#sessions) session.destroy();
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  #secured(
    { identity, clientCa }: NonNullable<FrontOptions['tls']>,
    onRequest: (incoming: IncomingMessage, response: ServerResponse) => void,
  ): Server {
    const server = createTlsServer(
      {
        ...LIMITS,
        key: identity.key,
        cert: identity.certificate,
        ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true }),
        rejectUnauthorized: false,
        ALPNProtocols: this.#http2 ? ['h2', 'http/1.1'] : ['http/1.1'],
        minVersion: 'TLSv1.2',
      },
      onRequest,
    );
    // Node's own listener speaks HTTP/1.1 to every connection; those that agreed on HTTP/2 take the other way. It has no public name
    // but its place here (why there is no second server behind this one: `apiserver/http/listener.ts`).
    const [http1] = server.listeners('secureConnection');
    server.removeAllListeners('secureConnection');
    server.on('secureConnection', (socket: TLSSocket) => {
      this.#track(socket);
      if (socket.alpnProtocol === 'h2') this.#openSession(socket);
      else http1?.call(server, socket);
    });
    server.on('tlsClientError', (_error: Error, socket: TLSSocket) => socket.destroy());
    return server;
  }

  #track(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** TLS has no reset of its own. */
  #reset(socket: TcpSocket): void {
    this.#tcp.get(peerOf(socket))?.resetAndDestroy();
    socket.destroy();
  }

  /** Connections of HTTP/1.1 are known by their socket. */
  #clientOf(socket: Duplex): Client {
    let client = this.#clients.get(socket);
    if (client === undefined) {
      client = this.#client(socket);
      this.#clients.set(socket, client);
    }
    return client;
  }

  #client(socket: Duplex): Client {
    const { remote, tls } = this.#options;
    const certified = tls?.clientCa !== undefined && (socket as TLSSocket).authorized;
    const client = new Client(remote, certified);
    socket.once('close', () => client.close());
    return client;
  }

  #openSession(socket: TLSSocket): void {
    const client = this.#client(socket);
    socket.setNoDelay(true);
    const session = performServerHandshake(socket, {
      settings: HTTP2_SETTINGS,
      maxHeaderListPairs: 100_000,
      maxSessionMemory: 1000,
    });
    this.#sessions.add(session);
    session.once('close', () => this.#sessions.delete(session));
    session.on('error', () => session.destroy());
    session.on('stream', (stream: ServerHttp2Stream, _headers: object, flags: number, raw?: RawHeaders) =>
      this.#handle(new Http2Front(stream, raw ?? [], flags), client, false),
    );
  }

  #handle(exchange: FrontExchange, client: Client, http1: boolean): void {
    const { remote, route, onRedirect } = this.#options;
    const { head } = exchange;
    const as = this.#asWhom(head, client);
    if (as === undefined) {
      refuse(exchange);
      return;
    }
    const addressed = remote.addressed(head, as, http1);
    const way = route === undefined ? PASS : route(head);
    const connection = http1 ? this.#pool(as) : client.connection(as);
    if ('port' in way) gated(exchange, addressed, connection, way.port);
    else if (way.after === undefined) pass(exchange, addressed, connection, way.tap, onRedirect);
    else {
      let gone = false;
      exchange.onClose(() => (gone = true));
      void way.after.then(() => (gone ? undefined : pass(exchange, addressed, connection, way.tap, onRedirect)));
    }
  }

  #pool(as: As): Http1Remote {
    let pool = this.#pools.get(as);
    if (pool === undefined) this.#pools.set(as, (pool = this.#options.remote.http1(as)));
    return pool;
  }

  #upgrade(incoming: IncomingMessage, socket: Duplex, first: Buffer): void {
    const { remote, mayTunnel = () => true, onRedirect } = this.#options;
    const head = {
      method: incoming.method ?? 'GET',
      target: incoming.url ?? '/',
      headers: incoming.rawHeaders,
    };
    const client = this.#clientOf(socket);
    if (isWatchOverWebSocket(incoming, head)) {
      this.#handle(new WebSocketFront(incoming, head, socket, () => this.#reset(incoming.socket)), client, true);
      return;
    }
    const as = this.#asWhom(head, client);
    if (as === undefined) socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    else if (!mayTunnel(head)) socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    else tunnel(incoming, socket, first, remote.addressed(head, as, true), this.#pool(as), onRedirect);
  }

  /** With which credentials a request goes on; undefined when it does not. */
  #asWhom({ headers }: RequestHead, { certified }: Client): As | undefined {
    if (certified) return 'configured';
    if (headerOf(headers, 'authorization') === this.#bearer) return 'configured';
    return this.#options.strangers === 'pass' ? 'carried' : undefined;
  }
}

function peerOf({ remoteAddress, remotePort }: TcpSocket): string {
  return `${remoteAddress} ${remotePort}`;
}

const UNAUTHORIZED = Buffer.from(JSON.stringify(failureStatus(401, 'Unauthorized', 'Unauthorized')));

function refuse(exchange: FrontExchange): void {
  const headers = ['Content-Type', 'application/json', 'Content-Length', String(UNAUTHORIZED.length)];
  exchange.start({ code: 401, message: 'Unauthorized', headers });
  exchange.write(UNAUTHORIZED);
  exchange.end(NO_TRAILERS);
}
