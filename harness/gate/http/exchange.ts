/**
 * One request and its answer as bytes, for either HTTP version and for both sides.
 *
 * Owns: the interfaces between the front (`front-http1.ts`, `front-http2.ts`), the remote server (`remote-http1.ts`, `remote-http2.ts`) and
 * the code between them (`pass.ts`, `gated.ts`). Nothing here depends on Kubernetes. Headers are alternating names and values as received:
 * repeated names, order and spelling stay as sent.
 */

/** Alternating names and values. */
export type RawHeaders = readonly string[];

export interface RequestHead {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Without the pseudo-headers of HTTP/2. */
  readonly headers: RawHeaders;
}

export interface AnswerHead {
  readonly code: number;
  /** The reason phrase; HTTP/1.1 only. */
  readonly message: string;
  readonly headers: RawHeaders;
}

/** The receiver of a body. `data` is called only between `resume` and `pause`. */
export interface BodyReader {
  data(piece: Buffer): void;
  end(trailers: RawHeaders): void;
}

/** A request that an actor has sent, and the means to answer it. */
export interface FrontExchange {
  readonly head: RequestHead;
  /** True if a body follows. */
  readonly hasBody: boolean;
  /** Starts reading the body. */
  read(reader: BodyReader): void;
  pause(): void;
  resume(): void;
  start(head: AnswerHead): void;
  /** Reports whether more may be written before `onDrain` calls back. */
  write(piece: Uint8Array): boolean;
  onDrain(listener: () => void): void;
  end(trailers: RawHeaders): void;
  /** Breaks off the answer: closes the connection in HTTP/1.1, resets the stream in HTTP/2. */
  abort(): void;
  /** Breaks off the request as if its answer had already begun: with an error after which Go's transport does not retry by itself. */
  lose(): void;
  /** Calls `listener` once when the exchange ends, for whatever reason; `whole` if the answer was sent completely. */
  onClose(listener: (whole: boolean) => void): void;
}

/** The receiver of an answer from the server. */
export interface AnswerReader extends BodyReader {
  head(head: AnswerHead): void;
  /** Called if the connection broke, before or after the head. */
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

/** The destination of the requests of one client connection. */
export interface RemoteConnection {
  /** Opens a request; if `hasBody` is false, it is sent at once. */
  open(head: RequestHead, hasBody: boolean, reader: AnswerReader): RemoteExchange;
  close(): void;
}

export const NO_TRAILERS: RawHeaders = [];

/** Returns the first value of a header. `name` is in lower case. */
export function headerOf(headers: RawHeaders, name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) {
    const key = headers[at] ?? '';
    if (key.length === name.length && key.toLowerCase() === name) return headers[at + 1];
  }
  return undefined;
}
