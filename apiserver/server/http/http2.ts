/**
 * HTTP/2 exchanges: one per stream.
 *
 * Owns: writing an answer to a stream. Uses streams directly, without Node's HTTP/1 compatibility layer, which doubles the memory of an
 * idle watch.
 */
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { collectBody, NO_BODY, type AnswerHeaders, type Credential, type Exchange } from './exchange.ts';

const { constants } = process.getBuiltinModule('node:http2');
const END_STREAM = constants.NGHTTP2_FLAG_END_STREAM;

export class Http2Exchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly headers: Exchange['headers'];
  readonly certified: Credential;
  readonly #stream: ServerHttp2Stream;
  readonly #hasBody: boolean;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, certified: Credential) {
    this.method = headers[':method'] ?? 'GET';
    this.target = headers[':path'] ?? '/';
    this.headers = headers;
    this.certified = certified;
    this.#stream = stream;
    this.#hasBody = (flags & END_STREAM) === 0;
    // A stream that the client resets must not crash the process.
    stream.on('error', ignore);
  }

  get full(): boolean {
    return this.#stream.writableNeedDrain;
  }

  get started(): boolean {
    return this.#stream.headersSent;
  }

  readBody(bytesMax: number, done: (body: Buffer | undefined) => void): void {
    if (this.#hasBody) collectBody(this.#stream, bytesMax, done);
    else done(NO_BODY);
  }

  respond(code: number, headers: AnswerHeaders, body: string | Uint8Array): void {
    const stream = this.#stream;
    if (stream.headersSent || stream.destroyed) return;
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    headers['content-length'] = length;
    headers[':status'] = code;
    if (this.method === 'HEAD' || length === 0) stream.respond(headers, { endStream: true });
    else {
      stream.respond(headers);
      stream.end(body);
    }
  }

  start(code: number, headers: AnswerHeaders): void {
    if (this.#stream.destroyed) return;
    headers[':status'] = code;
    this.#stream.respond(headers);
  }

  write(piece: string | Uint8Array): void {
    if (!this.#stream.destroyed) this.#stream.write(piece);
  }

  onDrain(listener: () => void): void {
    this.#stream.on('drain', listener);
  }

  end(): void {
    this.#stream.end();
  }

  abort(): void {
    // The stream is destroyed, not closed: Node would end the answer first, and an aborted answer would look complete.
    this.#stream.destroy(new Error('broken off'));
  }

  onClose(listener: () => void): void {
    this.#stream.once('close', listener);
  }
}

function ignore(): void {}
