/**
 * The baseline for the gate: a minimal reverse proxy in Node, with TLS and persistent connections on both sides.
 *
 *   plain-proxy.ts URL      prints its own URL
 */
import { createSecureServer, connect, type ClientHttp2Session } from 'node:http2';
import type { ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { CertificateAuthority } from 'stalemate-apiserver/http';

const [url = ''] = process.argv.slice(2);
const { hostname, port, host } = new URL(url);
const { certificate: cert, key } = new CertificateAuthority().issueServer();
const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
const sessions = new WeakMap<object, ClientHttp2Session>();

const server = createSecureServer({ cert, key, allowHTTP1: true });
server.on('secureConnection', (socket: TLSSocket) => socket.setNoDelay(true));
server.on('request', (incoming, response) => {
  if (incoming.httpVersionMajor > 1) return;
  const { method, headers } = incoming;
  const onward = request({ agent, hostname, port, method, path: incoming.url, headers: { ...headers, host } });
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    // Sends the headers at once, because a watch may have no event for a long time.
    if (answer.headers['content-length'] === undefined) (response as unknown as ServerResponse).flushHeaders();
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  incoming.pipe(onward);
});
server.on('stream', (stream, headers) => {
  let session = stream.session === undefined ? undefined : sessions.get(stream.session);
  if (session === undefined) {
    session = connect(url, { rejectUnauthorized: false });
    if (stream.session !== undefined) sessions.set(stream.session, session);
  }
  const onward = session.request({ ...headers, ':authority': host });
  onward.on('response', (answer) => {
    stream.respond(answer);
    onward.pipe(stream);
  });
  onward.on('error', () => stream.close());
  stream.on('error', () => {});
  stream.on('close', () => onward.close());
  stream.pipe(onward);
});
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`https://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
