/** Checks that a server accepts TLS with a trusted certificate: the difference between a listening port and a callable webhook. */
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { goError } from './call-out.ts';

export interface Expected {
  /** The name that the server's certificate must contain. */
  readonly servername: string;
  /** The trusted authorities, as PEM; if absent, any certificate is accepted. */
  readonly ca?: string;
}

/** Resolves with null, or with Go's error. Takes over the socket. */
export function shakeHands(socket: Duplex, { servername, ca }: Expected): Promise<string | null> {
  return new Promise((resolve) => {
    // An aborted handshake would be logged as an error by the server.
    const trust = ca === undefined ? {} : { ca, allowPartialTrustChain: true };
    const tls = connect({ socket, servername, rejectUnauthorized: false, ...trust });
    tls.once('secureConnect', () => {
      // It is an error code, despite its type.
      const code = (tls as { readonly authorizationError: unknown }).authorizationError;
      const why =
        typeof code === 'string'
          ? goError({ name: '', message: code, code, cert: tls.getPeerCertificate() }, { servername })
          : null;
      tls.end();
      resolve(ca === undefined ? null : why);
    });
    tls.on('error', (error) => {
      socket.destroy();
      resolve(goError(error, { servername }));
    });
    tls.once('close', () => resolve('EOF'));
  });
}
