/**
 * TLS connections that trust what Go trusts.
 *
 * If a certificate has the same subject as its issuer, OpenSSL takes it for self-signed, while Go looks for the authority that signed it.
 * Controller managers that create their own certificates may give both the same subject.
 */
import { X509Certificate } from 'node:crypto';
import { checkServerIdentity, connect, type ConnectionOptions, type TLSSocket } from 'node:tls';

const SELF_SIGNED = 'DEPTH_ZERO_SELF_SIGNED_CERT';
const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Why a certificate is not trusted: an error with a code of Node or OpenSSL. */
export type Distrust = NodeJS.ErrnoException & { readonly cert?: unknown };

/** Connects; the socket is destroyed with a {@link Distrust} unless the certificate is trusted. */
export function connectTrusted(options: ConnectionOptions): TLSSocket {
  const socket = connect({ ...options, rejectUnauthorized: false });
  socket.once('secureConnect', () => {
    const why = distrustOf(socket, options);
    if (why !== undefined) socket.destroy(why);
  });
  return socket;
}

/** Returns why the certificate of a connection is not trusted; undefined if it is. */
export function distrustOf(
  socket: TLSSocket,
  { ca, host = '', servername = '' }: ConnectionOptions,
): Distrust | undefined {
  // This property contains an error code, despite its declared type.
  const { authorizationError: code } = socket as { readonly authorizationError: unknown };
  if (typeof code !== 'string') return undefined;
  const cert = socket.getPeerCertificate();
  const certificate = socket.getPeerX509Certificate();
  if (code === SELF_SIGNED && typeof ca === 'string' && certificate !== undefined && isSignedByOneOf(certificate, ca)) {
    return checkServerIdentity(servername === '' ? host : servername, cert);
  }
  return distrust(code, cert);
}

function distrust(code: string, cert: unknown): Distrust {
  return Object.assign(new Error(code), { code, cert });
}

function isSignedByOneOf(certificate: X509Certificate, bundle: string): boolean {
  return (bundle.match(CERTIFICATES) ?? []).some((pem) => {
    const authority = parsed(pem);
    if (authority === undefined) return false;
    return authority.ca && authority.subject === certificate.issuer && certificate.verify(authority.publicKey);
  });
}

/** Parses a certificate; undefined if the text is not one, because a bundle may contain anything. */
function parsed(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
