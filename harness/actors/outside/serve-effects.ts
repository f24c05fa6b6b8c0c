/**
 * The store for a process: plain HTTP on loopback, for one incarnation of the target.
 *
 * A lost answer is a broken connection. Owns: the socket. Does not own: requests and answers (`rest.ts`).
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Server as Listening } from 'node:net';
import type { Upstream } from 'stalemate-apiserver/wire/http';
import { answerTo } from './effects.ts';

export interface EffectsServer {
  /** Without a trailing slash. */
  readonly url: string;
  close(): void;
}

/** The largest accepted body. */
const BODY_MAX = 1_000_000;

/** Serves the store behind `upstream`, on an existing listening socket or on a free port. */
export async function serveEffects(upstream: Upstream, listening: Listening | undefined): Promise<EffectsServer> {
  const server = createServer((request, response) => void handle(upstream, request, response));
  if (listening === undefined) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  } else listening.on('connection', (socket) => server.emit('connection', socket));
  const { port } = (listening ?? server).address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      listening?.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

async function handle(upstream: Upstream, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) {
      text += piece as string;
      if (text.length > BODY_MAX) throw new RangeError('the body is too large');
    }
    const headers: { [name: string]: string } = {};
    for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value);
    const { method = 'GET', url: path = '/' } = request;
    const answer = await answerTo(upstream, { method, path, headers, text });
    response.writeHead(answer.status, answer.headers).end(answer.text);
  } catch {
    request.socket.destroy();
  }
}
