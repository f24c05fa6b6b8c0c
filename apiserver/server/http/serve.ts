/**
 * The HTTP shell: an {@link Served upstream} behind a socket.
 *
 * Owns: putting the parts together: `listener.ts` (sockets, HTTP/1.1 and HTTP/2), `authentication.ts`, `handle.ts` (one request from
 * exchange to upstream and back). Does not own: what the answers say. Knows nothing of the embedded server, so that anything that
 * answers API requests can be served. Start at {@link serveHttp}.
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
  /** 0 (default) lets the system choose. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** A socket that listens already, instead of a port to listen on: one of another network namespace, for instance. */
  readonly socket?: Server;
  /** HTTP/1.1 and HTTP/2 over TLS; absent, HTTP/1.1 in the clear. */
  readonly tls?: TlsOptions;
  /** Without TLS and without this, everybody may do everything. */
  readonly authentication?: AuthenticationOptions;
  /** How long a watch without timeoutSeconds lives at least (default 1800, as in real servers); at most twice as long. */
  readonly watchTimeoutSeconds?: number;
}

export interface HttpServer {
  /** `https://127.0.0.1:6443`. */
  readonly url: string;
  readonly port: number;
  /** What has moved over its connections. */
  readonly traffic: Traffic;
  /** Ends watches, lets answers in flight leave, drops connections and frees the port. */
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
