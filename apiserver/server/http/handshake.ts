/** Checks that a server accepts TLS with a trusted certificate: a webhook whose port merely listens cannot be called yet. */
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { goError } from './call-out.ts';
import { distrustOf } from './trust.ts';

export interface Expected {
  /** The name that the server's certificate must contain. */
  readonly servername: string;
  /** The trusted authorities, as PEM; if absent, any certificate is accepted. */
  readonly ca?: string;
}

/** Resolves with null on success, otherwise with Go's error. Takes ownership of the socket. */
export function shakeHands(socket: Duplex, { servername, ca }: Expected): Promise<string | null> {
  return new Promise((resolve) => {
    // The certificate is checked after the handshake, because the server would log an aborted handshake as an error.
    const trust = ca === undefined ? {} : { ca, allowPartialTrustChain: true };
    const tls = connect({ socket, servername, rejectUnauthorized: false, ...trust });
    tls.once('secureConnect', () => {
      const why = ca === undefined ? undefined : distrustOf(tls, { ca, servername });
      tls.end();
      resolve(why === undefined ? null : goError(why, { servername }));
    });
    tls.on('error', (error) => {
      socket.destroy();
      resolve(goError(error, { servername }));
    });
    tls.once('close', () => resolve('EOF'));
  });
}
