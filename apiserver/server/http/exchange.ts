/**
 * One request and its answer, whichever HTTP they travel by.
 *
 * Owns: the shape that `http1.ts` and `http2.ts` make and `handle.ts` works with. Nothing here knows Kubernetes.
 */
import type { UserInfo } from '../../wire/http.ts';
import type { CommandSession, PortSession } from '../../wire/session.ts';

/** Whom a client certificate names, if there is one. */
export type Credential = UserInfo | undefined;

/** Header values as Node gives them. */
export type HeaderMap = { readonly [name: string]: string | readonly string[] | undefined };

export type AnswerHeaders = { [name: string]: string | number };

export interface Exchange {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** Lower-case names; those of HTTP/2 that begin with a colon are among them. */
  readonly headers: HeaderMap;
  /** The user of the connection's client certificate. */
  readonly certified: Credential;
  /** Whether what was written has not left yet: whoever has more should wait. */
  readonly full: boolean;
  /** Whether an answer has begun. */
  readonly started: boolean;
  /** Calls `done` once with the whole body, or with undefined when it is longer than `bytesMax`. Never, when the client goes away. */
  readBody(bytesMax: number, done: (body: Buffer | undefined) => void): void;
  /** Answers, within this turn of the event loop. `close` ends the connection afterwards. */
  respond(code: number, headers: AnswerHeaders, body: string | Uint8Array, close?: boolean): void;
  /** Sends the head of an answer whose body follows piece by piece. */
  start(code: number, headers: AnswerHeaders): void;
  write(piece: string | Uint8Array): void;
  /** Calls `listener` whenever it is no longer full. */
  onDrain(listener: () => void): void;
  end(): void;
  /** Breaks the exchange off: the connection in HTTP/1.1, the stream in HTTP/2. */
  abort(): void;
  /** Calls `listener` once when the exchange is over, however it ended. */
  onClose(listener: () => void): void;
  /** Becomes the connection that the client has asked for; false where it has asked for none. */
  become?(session: Connected): boolean;
}

/** What a connection can be about. */
export type Connected = CommandSession | PortSession;

/** An empty body, for the many requests without one. */
export const NO_BODY: Buffer = Buffer.alloc(0);

/** Reads a body from a stream of pieces; goes on reading past the limit, for a client that still sends would miss the answer. */
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
    // Not twice in memory while it is answered.
    first = more = undefined;
    done(size > bytesMax ? undefined : body);
  });
}
