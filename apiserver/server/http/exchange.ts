/**
 * One request and its answer, over HTTP/1.1 or HTTP/2.
 *
 * Owns: the interface that `http1.ts` and `http2.ts` implement and `handle.ts` uses. Nothing here knows Kubernetes.
 */
import type { UserInfo } from '../../wire/http.ts';
import type { CommandSession, PortSession } from '../../wire/session.ts';

/** The subject of a client certificate, if there is one. */
export type Credential = UserInfo | undefined;

/** Header values as in Node. */
export type HeaderMap = { readonly [name: string]: string | readonly string[] | undefined };

export type AnswerHeaders = { [name: string]: string | number };

export interface Exchange {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Lower-case names, including the pseudo-headers of HTTP/2. */
  readonly headers: HeaderMap;
  /** The user of the connection's client certificate. */
  readonly certified: Credential;
  /** True while written bytes are still buffered: further writes should wait. */
  readonly full: boolean;
  /** True if an answer has begun. */
  readonly started: boolean;
  /**
   * Calls `done` once, with the whole body, or with undefined when it is longer than `bytesMax`. Does not call it if the client
   * disconnects.
   */
  readBody(bytesMax: number, done: (body: Buffer | undefined) => void): void;
  /** Sends the answer within this turn of the event loop. `close` closes the connection afterwards. */
  respond(code: number, headers: AnswerHeaders, body: string | Uint8Array, close?: boolean): void;
  /** Sends the head of an answer whose body is streamed. */
  start(code: number, headers: AnswerHeaders): void;
  write(piece: string | Uint8Array): void;
  /** Calls `listener` when the buffer has drained. */
  onDrain(listener: () => void): void;
  end(): void;
  /** Aborts the exchange: the connection in HTTP/1.1, the stream in HTTP/2. */
  abort(): void;
  /** Calls `listener` once when the exchange is over, for whatever reason. */
  onClose(listener: () => void): void;
  /** Upgrades the connection as the client requested; returns false if it requested no upgrade. */
  become?(session: Connected): boolean;
}

/** The protocol families of upgrades. */
export type Connected = CommandSession | PortSession;

/** An empty body, for the many requests without one. */
export const NO_BODY: Buffer = Buffer.alloc(0);

/** Reads a body from a stream; continues past the limit, because a client that is still sending would miss the answer. */
export function collectBody(
  stream: NodeJS.ReadableStream,
  bytesMax: number,
  done: (body: Buffer | undefined) => void,
): void {
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let size = 0;
  stream.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size > bytesMax) {
      first = more = undefined;
      return;
    }
    if (first === undefined) first = piece;
    else (more ??= [first]).push(piece);
  });
  stream.on('end', () => {
    const body = more === undefined ? (first ?? NO_BODY) : Buffer.concat(more, size);
    // Frees one of two copies of the body in memory while the request is answered.
    first = more = undefined;
    done(size > bytesMax ? undefined : body);
  });
}
