/** Serves the API server on a socket: certificates, tokens, calls to webhooks, upgraded connections. */
export { ANONYMOUS, parseTokens, UNSECURED } from './server/http/authentication.ts';
export { httpsCallOut, type CallOutOptions } from './server/http/call-out.ts';
export { CertificateAuthority, SERVER_NAMES, type Identity } from './server/http/certificates.ts';
export { freePorts } from './server/http/free-ports.ts';
export { shakeHands } from './server/http/handshake.ts';
export { serveHttp, type HttpServer, type ServeOptions, type TlsOptions } from './server/http/serve.ts';
export { converse } from './server/http/streams/converse.ts';
