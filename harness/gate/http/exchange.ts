/**
 * One request and its answer as bytes, whichever HTTP they travel by and whichever side they are seen from.
 *
 * Owns: the shapes between the front (`front-http1.ts`, `front-http2.ts`), the remote server (`remote-http1.ts`, `remote-http2.ts`) and
 * what is between them (`pass.ts`, `gated.ts`). Nothing here knows Kubernetes. Headers are lists of names and values in turn, as
 * they came: repeated names, order and spelling are the sender's.
 */

/** Names and values in turn. */
export type RawHeaders = readonly string[];

export interface RequestHead {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** Without the pseudo-headers of HTTP/2. */
  readonly headers: RawHeaders;
}

export interface AnswerHead {
  readonly code: number;
  /** HTTP/1.1 only. */
  readonly message: string;
  readonly headers: RawHeaders;
}

/** A stream of bytes that comes in, and who hears of it. `data` is called only between `resume` and `pause`. */
export interface BodyReader {
  data(piece: Buffer): void;
  end(trailers: RawHeaders): void;
}

/** A request that an actor has sent, and how it is answered. */
export interface FrontExchange {
  readonly head: RequestHead;
  /** Whether a body follows. */
  readonly hasBody: boolean;
  /** Reads the body from now on. */
  read(reader: BodyReader): void;
  pause(): void;
  resume(): void;
  start(head: AnswerHead): void;
  /** Whether more may be written before `onDrain`. */
  write(piece: Uint8Array): boolean;
  onDrain(listener: () => void): void;
  end(trailers: RawHeaders): void;
  /** Breaks it off: the connection in HTTP/1.1, the stream in HTTP/2. */
  abort(): void;
  /** Breaks it off as if the answer had been under way: with an error after which Go's transport does not ask again by itself. */
  lose(): void;
  /** Calls `listener` once when it is over, however it ended; `whole` when the answer left completely. */
  onClose(listener: (whole: boolean) => void): void;
}

/** What comes back from the server. */
export interface AnswerReader extends BodyReader {
  head(head: AnswerHead): void;
  /** Broke off, before or after the head. */
  fail(error: Error): void;
}

/** A request on its way to the server. */
export interface RemoteExchange {
  write(piece: Uint8Array): boolean;
  onDrain(listener: () => void): void;
  end(trailers: RawHeaders): void;
  pause(): void;
  resume(): void;
  abort(): void;
}

/** Where the requests of one connection of an actor go. */
export interface RemoteConnection {
  /** `hasBody` false sends the request off at once. */
  open(head: RequestHead, hasBody: boolean, reader: AnswerReader): RemoteExchange;
  close(): void;
}

export const NO_TRAILERS: RawHeaders = [];

/** The first value of a header. `name` in lower case. */
export function headerOf(headers: RawHeaders, name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) {
    const key = headers[at] ?? '';
    if (key.length === name.length && key.toLowerCase() === name) return headers[at + 1];
  }
  return undefined;
}
