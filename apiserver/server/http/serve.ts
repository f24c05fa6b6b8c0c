/**
 * The HTTP shell: serves an {@link Served upstream} on a socket.
 *
 * Owns: the assembly of `listener.ts` (sockets, HTTP/1.1 and HTTP/2), `authentication.ts`, `handle.ts` (one request from exchange to
 * upstream and back). Does not own: the contents of answers. Independent of the embedded server: serves any upstream that answers API
 * requests. Start at {@link serveHttp}.
 */
import type { Server } from 'node:net';
import type { Traffic } from '../../wire/traffic.ts';
import { Authenticator, UNSECURED, type AuthenticationOptions } from './authentication.ts';
import { Handler, type Served } from './handle.ts';
import { listen, type TlsOptions } from './listener.ts';

export type { AuthenticationOptions } from './authentication.ts';
export type { Served } from './handle.ts';
export type { TlsOptions } from './listener.ts';

export interface ServeOptions {
  /** The port; 0 (default) lets the system choose. */
  readonly port?: number;
  /** The address to listen on; default 127.0.0.1. */
  readonly host?: string;
  /** A listening socket to use instead of a port, for example a socket in another network namespace. */
  readonly socket?: Server;
  /** Serves HTTP/1.1 and HTTP/2 over TLS; if absent, plain-text HTTP/1.1. */
  readonly tls?: TlsOptions;
  /** How clients authenticate; without this and without TLS, every client may do everything. */
  readonly authentication?: AuthenticationOptions;
  /** Minimum lifetime of a watch without timeoutSeconds (default 1800, as in real servers); the maximum is twice as long. */
  readonly watchTimeoutSeconds?: number;
}

export interface HttpServer {
  /** `https://127.0.0.1:6443`. */
  readonly url: string;
  readonly port: number;
  /** The bytes and connections so far. */
  readonly traffic: Traffic;
  /** Ends watches, finishes answers in flight, drops connections and frees the port. */
  close(): Promise<void>;
}

const WATCH_TIMEOUT_SECONDS = 1800;

/** Serves `upstream` and resolves once it listens. */
export async function serveHttp(upstream: Served, options: ServeOptions = {}): Promise<HttpServer> {
  const { port = 0, host = '127.0.0.1', tls } = options;
  const handler = new Handler({
    upstream,
    authenticator: new Authenticator(options.authentication ?? (tls === undefined ? { anonymous: UNSECURED } : {})),
    watchTimeoutSeconds: options.watchTimeoutSeconds ?? WATCH_TIMEOUT_SECONDS,
  });
  const listener = await listen(options.socket ?? { host, port }, tls, (exchange) => handler.handle(exchange));
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${listener.port}`,
    port: listener.port,
    traffic: listener.traffic,
    close: () => {
      handler.close();
      return listener.close();
    },
  };
}
