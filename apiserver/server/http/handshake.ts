/** Whether a server answers over TLS and is trusted: what stands between a port that listens and a webhook that can be called. */
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { goError } from './call-out.ts';

export interface Expected {
  /** The name that its certificate must hold. */
  readonly servername: string;
  /** PEM of who may vouch for it; absent: anybody may. */
  readonly ca?: string;
}

/** Resolves with null, or with why not, in Go's words. Takes the socket with it. */
export function shakeHands(socket: Duplex, { servername, ca }: Expected): Promise<string | null> {
  return new Promise((resolve) => {
    // Broken off in the middle, a handshake is an error in the log of the server.
    const trust = ca === undefined ? {} : { ca, allowPartialTrustChain: true };
    const tls = connect({ socket, servername, rejectUnauthorized: false, ...trust });
    tls.once('secureConnect', () => {
      // A code, whatever its type says.
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
