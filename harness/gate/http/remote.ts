/**
 * The API server behind the gate: its address, how it is trusted, and the credentials for it.
 *
 * Owns: connecting, and addressing requests to it. Does not own: where the credentials come from (the caller that read a kubeconfig). Start
 * at {@link RemoteServer}.
 */
import type { TLSSocket } from 'node:tls';
import type { Socket } from 'node:net';
import type { RawHeaders, RemoteConnection, RequestHead } from './exchange.ts';
import { Http1Remote } from './remote-http1.ts';
import { Http2Remote } from './remote-http2.ts';
import { given } from '../../model/given.ts';

const tls = process.getBuiltinModule('node:tls');
const net = process.getBuiltinModule('node:net');

/** An API server and the credentials for it. */
export interface RemoteOptions {
  /** `https://host:port`, or `http://…` without TLS. A path is kept as a prefix of every request's path. */
  readonly url: string;
  /** The CA bundle in PEM; absent: the system's. */
  readonly ca?: string;
  /** True to accept any certificate. */
  readonly insecure?: boolean;
  /** The name to expect in the server's certificate, if it differs from the URL's. */
  readonly serverName?: string;
  /** The client certificate and its key in PEM. */
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
  /** Returns the value of the Authorization header: `Bearer …` or `Basic …`. Called for every request, because tokens expire. */
  readonly authorization?: () => string | undefined;
}

/** The credentials of a forwarded request: those of {@link RemoteOptions}, or those that the request itself carries. */
export type As = 'configured' | 'carried';

export class RemoteServer {
  readonly #options: RemoteOptions;
  readonly #url: URL;
  readonly #prefix: string;
  #speaksHttp2: boolean | undefined;

  constructor(options: RemoteOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
    this.#prefix = this.#url.pathname.replace(/\/+$/, '');
  }

  /** Reports whether the server speaks HTTP/2; probed once. Rejects if it cannot be reached or its certificate is not trusted. */
  async speaksHttp2(): Promise<boolean> {
    if (this.#speaksHttp2 !== undefined) return this.#speaksHttp2;
    const socket = this.#socket('configured', ['h2', 'http/1.1']);
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once(this.#isSecure ? 'secureConnect' : 'connect', () => resolve());
        socket.once('error', reject);
      });
      return (this.#speaksHttp2 = this.#isSecure && (socket as TLSSocket).alpnProtocol === 'h2');
    } finally {
      socket.on('error', () => {});
      socket.destroy();
    }
  }

  /** Opens the counterpart of one HTTP/2 client connection; only for a server that speaks HTTP/2. */
  http2(as: As): RemoteConnection {
    return new Http2Remote(() => this.#socket(as, ['h2']), this.#url.host);
  }

  /** Opens a pool of HTTP/1.1 connections. */
  http1(as: As): Http1Remote {
    return new Http1Remote(() => this.#socket(as, ['http/1.1']));
  }

  /** Returns the request as it is forwarded: with the server's host and the credentials that `as` selects. */
  addressed(head: RequestHead, as: As, http1: boolean): RequestHead {
    const headers: string[] = http1 ? ['Host', this.#url.host] : [];
    const own = as === 'configured' ? this.#options.authorization?.() : undefined;
    const source: RawHeaders = head.headers;
    for (let at = 0; at < source.length; at += 2) {
      const name = source[at] ?? '';
      const value = source[at + 1] ?? '';
      switch (name.length) {
        case 4:
          if (name.toLowerCase() === 'host') continue;
          break;
        case 13:
          if (as === 'configured' && name.toLowerCase() === 'authorization') continue;
      }
      headers.push(name, value);
    }
    if (own !== undefined) headers.push(http1 ? 'Authorization' : 'authorization', own);
    return { method: head.method, target: this.#prefix === '' ? head.target : this.#prefix + head.target, headers };
  }

  get #isSecure(): boolean {
    return this.#url.protocol === 'https:';
  }

  #socket(as: As, protocols: readonly string[]): Socket {
    const { ca, insecure = false, serverName, clientCertificate } = this.#options;
    const host = this.#url.hostname.replace(/^\[(.*)\]$/, '$1');
    const port = Number(this.#url.port || (this.#isSecure ? 443 : 80));
    if (!this.#isSecure) return net.connect({ host, port, noDelay: true });
    const name = serverName ?? (net.isIP(host) === 0 ? host : undefined);
    const socket = tls.connect({
      host,
      port,
      ALPNProtocols: [...protocols],
      rejectUnauthorized: !insecure,
      ...given({ servername: name, ca }),
      ...(as === 'configured' && clientCertificate !== undefined
        ? { cert: clientCertificate.certificate, key: clientCertificate.key }
        : {}),
    });
    socket.setNoDelay(true);
    return socket;
  }
}
