/** A request of an actor over HTTP/1.1, and the answer to it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnswerHead, BodyReader, FrontExchange, RawHeaders, RequestHead } from './exchange.ts';
import { pairs } from './remote-http1.ts';

export class Http1Front implements FrontExchange {
  readonly head: RequestHead;
  readonly hasBody: boolean;
  readonly #incoming: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #reset: () => void;

  /** @param reset Resets the underlying TCP connection. */
  constructor(incoming: IncomingMessage, response: ServerResponse, reset: () => void) {
    this.#incoming = incoming;
    this.#response = response;
    this.#reset = reset;
    this.head = { method: incoming.method ?? 'GET', target: incoming.url ?? '/', headers: incoming.rawHeaders };
    const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers;
    this.hasBody = encoding !== undefined || (length !== undefined && length !== '0');
    // The server's Date and connection headers are passed on, and nothing is added.
    response.sendDate = false;
    if (response.shouldKeepAlive) response.removeHeader('connection');
  }

  read(reader: BodyReader): void {
    const incoming = this.#incoming;
    incoming.on('data', (piece: Buffer) => reader.data(piece));
    incoming.on('end', () => reader.end(incoming.rawTrailers));
  }

  pause(): void {
    this.#incoming.pause();
  }

  resume(): void {
    this.#incoming.resume();
  }

  start({ code, message, headers }: AnswerHead): void {
    this.#response.writeHead(code, message, headers as string[]);
    // A watch may have no events for long, and its client waits for the headers.
    if (isOpenEnded(headers)) this.#response.flushHeaders();
  }

  write(piece: Uint8Array): boolean {
    return this.#response.write(piece);
  }

  onDrain(listener: () => void): void {
    this.#response.on('drain', listener);
  }

  end(trailers: RawHeaders): void {
    if (trailers.length > 0) this.#response.addTrailers(pairs(trailers));
    this.#response.end();
  }

  abort(): void {
    this.#response.destroy();
  }

  /**
   * Breaks off the request. If a keep-alive connection breaks before the first byte of an answer, Go retries a read, so the head of an
   * answer is sent first. The connection is reset rather than closed: on a connection that is not kept alive, some clients take a close for
   * the end of the answer, chunked or not.
   */
  lose(): void {
    const head = this.#response.headersSent ? '' : 'HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n';
    // Reset only once everything is written: a reset drops unsent bytes.
    this.#incoming.socket.write(head, () => this.#reset());
  }

  onClose(listener: (whole: boolean) => void): void {
    this.#response.once('close', () => listener(this.#response.writableFinished));
  }
}

function isOpenEnded(headers: RawHeaders): boolean {
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') return true;
  }
  return false;
}
