/**
 * The gate as a server: an actor connects to it as to the API server itself.
 *
 * Owns: the socket, HTTP/1.1, HTTP/2 and WebSockets, authentication, the actor of a request, and its route: unchanged (`pass.ts`), through
 * the gate (`gated.ts`), or as a tunnel (`tunnel.ts`). Does not own: certificates, the server behind the gate (`remote.ts`), what happens
 * to a request. Start at {@link openFront}.
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
  /** 0 (default) lets the system choose a port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** A listening socket to use instead of a port, for instance one of another network namespace. */
  readonly socket?: Socket;
  /** PEM: the front's certificate, and the CA for the client certificates of actors. If absent, the front serves plain HTTP/1.1. */
  readonly tls?: {
    readonly identity: { readonly certificate: string; readonly key: string };
    readonly clientCa?: string;
  };
  /** The bearer token of actors; a client certificate issued by `clientCa` is accepted too. */
  readonly token: string;
  /**
   * What to do with requests that carry different credentials or none: `refuse` them (default), or `pass` them to the server with exactly
   * the credentials that they carry.
   */
  readonly strangers?: 'refuse' | 'pass';
  /** Reports whether a request that upgrades its connection (`exec`, `port-forward`) is allowed; absent: all are allowed. */
  readonly mayTunnel?: (head: RequestHead) => boolean;
  /** Called with answers that would redirect an actor past the gate; the actor does not get them. Absent: such answers are passed on. */
  readonly onRedirect?: OnRedirect;
  /** Returns the route of a request; absent: all requests pass unchanged. */
  readonly route?: (head: RequestHead) => Way;
}

/** The route of one request: unchanged, perhaps observed; or through the gate, at the port of its actor. */
export type Way =
  | {
      readonly tap?: Tap;
      /** Awaited before the request is forwarded. */
      readonly after?: Promise<void>;
    }
  | { readonly port: Upstream };

export interface Front {
  /** `https://127.0.0.1:6443`. */
  readonly url: string;
  readonly port: number;
  /** The traffic on the front's connections. */
  readonly traffic: Traffic;
  /** Closes all connections, including those to the server, and frees the port. */
  close(): Promise<void>;
}

/** The limit on header bytes: Go's `DefaultMaxHeaderBytes`. */
const HEADER_BYTES_MAX = 1024 * 1024;

const LIMITS = {
  maxHeaderSize: HEADER_BYTES_MAX,
  // The server has its own timeouts; if the front timed out first, clients would notice the front.
  headersTimeout: 0,
  requestTimeout: 0,
  keepAliveTimeout: 0,
  noDelay: true,
  requireHostHeader: false,
  // API servers do not offer HTTP/2 in cleartext.
  shouldUpgradeCallback: ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() !== 'h2c',
};

/** kube-apiserver's limit of concurrent streams, and a limit on the bytes that a client may send ahead on each stream. */
const HTTP2_SETTINGS = {
  maxConcurrentStreams: 100,
  initialWindowSize: 256 * 1024,
  maxHeaderListSize: HEADER_BYTES_MAX,
};

const PASS: Way = {};

/**
 * Opens a front, after checking that the server behind it can be reached.
 *
 * @throws Node's errors if the server cannot be reached or is not trusted, or if the port is taken.
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

/** The state of one client connection. */
class Client {
  readonly certified: boolean;
  readonly #remote: RemoteServer;
  readonly #connections = new Map<As, RemoteConnection>();

  constructor(remote: RemoteServer, certified: boolean) {
    this.#remote = remote;
    this.certified = certified;
  }

  /** Returns the client's HTTP/2 connection to the server for these credentials. */
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
  /** HTTP/1.1 connections to the server are shared by all clients: each carries one request at a time. */
  readonly #pools = new Map<As, Http1Remote>();
  readonly traffic = new Traffic();
  readonly #sockets = new Set<Duplex>();
  /** The TCP sockets under TLS connections, by remote address. */
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
    // Node's own listener speaks HTTP/1.1 on every connection; connections that negotiated HTTP/2 are handled here instead. That listener
    // can be accessed only by its index (`apiserver/http/listener.ts` explains why there is no second server behind this one).
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

  /** Resets the underlying TCP connection: TLS itself has no reset. */
  #reset(socket: TcpSocket): void {
    this.#tcp.get(peerOf(socket))?.resetAndDestroy();
    socket.destroy();
  }

  /** Returns the client of an HTTP/1.1 connection, which is identified by its socket. */
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
    const as = this.#credentialsFor(head, client);
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
    const as = this.#credentialsFor(head, client);
    if (as === undefined) socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    else if (!mayTunnel(head)) socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    else tunnel(incoming, socket, first, remote.addressed(head, as, true), this.#pool(as), onRedirect);
  }

  /** Returns the credentials for forwarding a request; undefined if the request is refused. */
  #credentialsFor({ headers }: RequestHead, { certified }: Client): As | undefined {
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
