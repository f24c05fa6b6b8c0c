/** A proxy between a client and a server that sends some requests elsewhere. For tests. */
import { createServer, request as forward, type IncomingMessage, type Server } from 'node:http';

/** The destination to which a request is redirected. */
export interface Redirection {
  readonly code: 307 | 308;
  readonly location: string;
}

/**
 * Creates a server that forwards everything to the server at `url`, except requests that `elsewhere` redirects. The returned server is not
 * listening yet.
 */
export function between(url: string, elsewhere: (incoming: IncomingMessage) => Redirection | undefined): Server {
  return createServer((incoming, outgoing) => {
    const moved = elsewhere(incoming);
    if (moved !== undefined) {
      incoming.resume();
      outgoing.writeHead(moved.code, { location: moved.location }).end();
      return;
    }
    const { method, url: path = '', headers } = incoming;
    const onward = forward(`${url}${path}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
}
