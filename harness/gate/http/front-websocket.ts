/**
 * A watch that an actor requests over a WebSocket, as fabric8 and therefore most operators in Java do: the gate requests the same watch
 * over HTTP from the server, so that its events can be held and recorded like any other's, and forwards them as messages.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { requestInfo } from 'stalemate-apiserver/wire/request-info';
import { asksForWebSocket, WatchSocket } from 'stalemate-apiserver/wire/websocket';
import type { AnswerHead, FrontExchange, RawHeaders, RequestHead } from './exchange.ts';
import { FrameReader } from './frames.ts';
import { questionOf } from './remote-upstream.ts';

/** Headers of the handshake with the gate, which are not forwarded. */
const OF_THE_HANDSHAKE = /^(?:connection|upgrade|sec-websocket-.*)$/i;

/** Reports whether an upgrade is a watch whose events can be separated. */
export function isWatchOverWebSocket(incoming: IncomingMessage, head: RequestHead): boolean {
  if (!asksForWebSocket(incoming) || incoming.headers.accept?.includes('protobuf')) return false;
  const { path, query } = questionOf(head);
  return head.method === 'GET' && requestInfo('GET', path, query)?.verb === 'watch';
}

export class WebSocketFront implements FrontExchange {
  readonly head: RequestHead;
  readonly hasBody = false;
  readonly #socket: Duplex;
  readonly #watch: WatchSocket;
  readonly #events: FrameReader;
  readonly #reset: () => void;
  #agreed = false;
  #ended = false;

  /** @param reset Resets the underlying connection. */
  constructor(incoming: IncomingMessage, head: RequestHead, socket: Duplex, reset: () => void) {
    const { headers } = incoming;
    this.#socket = socket;
    this.#reset = reset;
    this.#watch = new WatchSocket(socket, headers, (text) => createHash('sha1').update(text).digest('base64'));
    this.#events = new FrameReader(false, ({ bytes }) => void this.#watch.send(bytes, false));
    const { token } = this.#watch;
    const own = token === undefined || headers.authorization !== undefined ? [] : ['Authorization', `Bearer ${token}`];
    this.head = { ...head, headers: [...withoutHandshake(head.headers), ...own] };
    socket.on('error', () => socket.destroy());
  }

  read(): void {}

  pause(): void {}

  resume(): void {}

  /** Starts the answer. A rejected request is answered as if no WebSocket had been requested. */
  start({ code, message, headers }: AnswerHead): void {
    this.#agreed = code === 200;
    if (this.#agreed) {
      this.#watch.open();
      return;
    }
    const lines = [`HTTP/1.1 ${code} ${message}`, 'Connection: close'];
    for (let at = 0; at < headers.length; at += 2) {
      const name = headers[at] ?? '';
      // The body is sent unframed, until the connection closes.
      if (!/^(?:connection|transfer-encoding)$/i.test(name)) lines.push(`${name}: ${headers[at + 1] ?? ''}`);
    }
    this.#socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  }

  write(piece: Uint8Array): boolean {
    if (!this.#agreed) return this.#socket.write(piece);
    this.#events.read(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    return !this.#socket.writableNeedDrain;
  }

  onDrain(listener: () => void): void {
    this.#socket.on('drain', listener);
  }

  end(): void {
    this.#ended = true;
    if (this.#agreed) this.#watch.end();
    else this.#socket.end();
  }

  abort(): void {
    this.#socket.destroy();
  }

  lose(): void {
    this.#reset();
  }

  onClose(listener: (whole: boolean) => void): void {
    this.#socket.once('close', () => listener(this.#ended));
  }
}

function withoutHandshake(headers: RawHeaders): RawHeaders {
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (!OF_THE_HANDSHAKE.test(name)) kept.push(name, headers[at + 1] ?? '');
  }
  return kept;
}
