/** A request of an actor in one HTTP/2 stream, and the answer to it. */
import type { ServerHttp2Stream, ServerStreamResponseOptions } from 'node:http2';
import type { AnswerHead, BodyReader, FrontExchange, RawHeaders, RequestHead } from './exchange.ts';
import { headerOf, NO_TRAILERS } from './exchange.ts';
import { withoutPseudo } from './remote-http2.ts';

const { constants } = process.getBuiltinModule('node:http2');

export class Http2Front implements FrontExchange {
  readonly head: RequestHead;
  readonly hasBody: boolean;
  readonly #stream: ServerHttp2Stream;
  #ended = false;

  constructor(stream: ServerHttp2Stream, raw: RawHeaders, flags: number) {
    this.#stream = stream;
    this.hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0;
    let method = 'GET';
    let target = '/';
    for (let at = 0; at < raw.length && (raw[at] ?? '').startsWith(':'); at += 2) {
      if (raw[at] === ':method') method = raw[at + 1] ?? '';
      else if (raw[at] === ':path') target = raw[at + 1] ?? '';
    }
    this.head = { method, target, headers: withoutPseudo(raw) };
    // A stream reset by the client must not crash the process.
    stream.on('error', () => {});
  }

  read(reader: BodyReader): void {
    const stream = this.#stream;
    let trailers = NO_TRAILERS;
    stream.on('data', (piece: Buffer) => reader.data(piece));
    stream.on('trailers', (_headers, _flags, raw?: RawHeaders) => {
      if (raw !== undefined) trailers = raw;
    });
    stream.on('end', () => reader.end(trailers));
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  start({ code, headers }: AnswerHead): void {
    const stream = this.#stream;
    if (stream.destroyed || stream.headersSent) return;
    const waitForTrailers = headerOf(headers, 'trailer') !== undefined;
    stream.respond([':status', String(code), ...headers], {
      sendDate: false,
      waitForTrailers,
    } as ServerStreamResponseOptions);
  }

  write(piece: Uint8Array): boolean {
    return this.#stream.destroyed || this.#stream.write(piece);
  }

  onDrain(listener: () => void): void {
    this.#stream.on('drain', listener);
  }

  end(trailers: RawHeaders): void {
    const stream = this.#stream;
    this.#ended = true;
    // Trailers are sent after the body, by a stream that was set to wait for them.
    stream.once('wantTrailers', () => {
      const named: { [name: string]: string } = {};
      for (let at = 0; at < trailers.length; at += 2) named[trailers[at] ?? ''] = trailers[at + 1] ?? '';
      stream.sendTrailers(named);
    });
    stream.end();
  }

  /**
   * Resets the stream with INTERNAL_ERROR: Go's transport retries by itself only after REFUSED_STREAM. The stream is destroyed rather than
   * closed: Node would end the answer first, and a truncated answer would look complete.
   */
  abort(): void {
    this.#stream.destroy(new Error('broken off'));
  }

  lose(): void {
    // Abort only after everything that was written has been sent. If no answer has begun, abort at once, because a write would send its
    // head.
    if (this.#stream.headersSent) this.#stream.write('', () => this.abort());
    else this.abort();
  }

  onClose(listener: (whole: boolean) => void): void {
    const stream = this.#stream;
    stream.once('close', () => listener(this.#ended && stream.rstCode === constants.NGHTTP2_NO_ERROR));
  }
}
