/**
 * Requests to the server over HTTP/2: one session per client connection, so that both have the same number of streams.
 *
 * Owns: the session. After the server closes it (GOAWAY), the next request opens another. Does not own: heads and bodies.
 */
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { AnswerReader, RawHeaders, RemoteConnection, RemoteExchange, RequestHead } from './exchange.ts';
import type { Dial } from './remote-http1.ts';

const http2 = process.getBuiltinModule('node:http2');
const { NGHTTP2_NO_ERROR } = http2.constants;

/** The receive window of the whole connection. It is larger than that of a stream, so that one slow stream does not stall the others. */
const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;
const STREAM_WINDOW_BYTES = 1024 * 1024;

export class Http2Remote implements RemoteConnection {
  readonly #dial: Dial;
  readonly #authority: string;
  #session: ClientHttp2Session | undefined;

  constructor(dial: Dial, authority: string) {
    this.#dial = dial;
    this.#authority = authority;
  }

  open(head: RequestHead, hasBody: boolean, reader: AnswerReader): RemoteExchange {
    const session = this.#live();
    const headers = [':method', head.method, ':scheme', 'https', ':authority', this.#authority, ':path', head.target];
    const stream = session.request([...headers, ...head.headers], { endStream: !hasBody });
    return new Http2Exchange(stream, reader);
  }

  close(): void {
    this.#session?.destroy();
  }

  #live(): ClientHttp2Session {
    const old = this.#session;
    if (old !== undefined && !old.closed && !old.destroyed) return old;
    const socket: Socket = this.#dial();
    const session = http2.connect(`https://${this.#authority}`, {
      createConnection: () => socket,
      settings: { initialWindowSize: STREAM_WINDOW_BYTES, enablePush: false },
      maxSessionMemory: 1000,
      maxHeaderListPairs: 100_000,
    });
    session.once('connect', () => session.setLocalWindowSize(CONNECTION_WINDOW_BYTES));
    // The session's streams report their own errors.
    session.on('error', () => session.destroy());
    this.#session = session;
    return session;
  }
}

class Http2Exchange implements RemoteExchange {
  readonly #stream: ClientHttp2Stream;
  #aborted = false;

  constructor(stream: ClientHttp2Stream, reader: AnswerReader) {
    this.#stream = stream;
    let trailers: RawHeaders = [];
    let answered = false;
    let ended = false;
    let failure: Error | undefined;
    stream.on('response', (headers, _flags, raw: RawHeaders) => {
      answered = true;
      reader.head({ code: headers[':status'] ?? 0, message: '', headers: withoutPseudo(raw) });
    });
    stream.on('data', (piece: Buffer) => reader.data(piece));
    stream.on('trailers', (_headers, _flags, raw?: RawHeaders) => {
      if (raw !== undefined) trailers = raw;
    });
    stream.on('end', () => {
      ended = answered && stream.rstCode === NGHTTP2_NO_ERROR;
      if (ended) reader.end(trailers);
    });
    stream.on('error', (error) => {
      failure = error;
    });
    stream.on('close', () => {
      if (!ended && !this.#aborted) reader.fail(failure ?? new Error('the stream was reset'));
    });
  }

  write(piece: Uint8Array): boolean {
    return this.#stream.write(piece);
  }

  onDrain(listener: () => void): void {
    this.#stream.on('drain', listener);
  }

  end(_trailers: RawHeaders): void {
    this.#stream.end();
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  /** Destroys the stream rather than closing it: Node would end the request first, and a truncated body would look complete. */
  abort(): void {
    this.#aborted = true;
    this.#stream.destroy(new Error('broken off'));
  }
}

export function withoutPseudo(raw: RawHeaders): RawHeaders {
  let at = 0;
  while (at < raw.length && (raw[at] ?? '').startsWith(':')) at += 2;
  return at === 0 ? raw : raw.slice(at);
}
