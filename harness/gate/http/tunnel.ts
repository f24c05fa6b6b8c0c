/**
 * Upgraded connections (exec, attach, port-forward) are relayed as bytes once both sides have agreed.
 *
 * Owns: the handshake, and relaying the answer of a server that refuses the upgrade. Nothing in a tunnel is held or labelled.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Http1Front } from './front-http1.ts';
import type { AnswerReader, RequestHead } from './exchange.ts';
import { withoutRedirects, type OnRedirect } from './redirected.ts';
import type { Http1Remote } from './remote-http1.ts';

const { ServerResponse } = process.getBuiltinModule('node:http');

/** Requests the upgrade in `head` from `remote`, and connects both sides if the server agrees. */
export function tunnel(
  incoming: IncomingMessage,
  socket: Duplex,
  first: Buffer,
  head: RequestHead,
  remote: Http1Remote,
  onRedirect?: OnRedirect,
): void {
  const response = new ServerResponse(incoming);
  response.shouldKeepAlive = false;
  const front = new Http1Front(incoming, response, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  const refusal: AnswerReader = {
    head: (answer) => {
      response.assignSocket(socket as never);
      response.once('finish', () => socket.end());
      front.start(answer);
    },
    data: (piece) => void front.write(piece),
    end: (trailers) => front.end(trailers),
    fail: () => socket.destroy(),
  };
  const cancel = remote.upgrade(head, withoutRedirects(refusal, front.head, onRedirect), (answer, server, rest) => {
    const lines = [`HTTP/1.1 ${answer.statusCode ?? 101} ${answer.statusMessage ?? ''}`];
    for (let at = 0; at < answer.rawHeaders.length; at += 2)
      lines.push(`${answer.rawHeaders[at] ?? ''}: ${answer.rawHeaders[at + 1] ?? ''}`);
    socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    if (rest.length > 0) socket.write(rest);
    if (first.length > 0) server.write(first);
    server.on('error', () => socket.destroy());
    socket.on('close', () => server.destroy());
    server.on('close', () => socket.destroy());
    socket.pipe(server);
    server.pipe(socket);
  });
  socket.once('close', cancel);
}
