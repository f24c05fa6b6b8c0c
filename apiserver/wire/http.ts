/**
 * Requests and answers between an actor, the gate and an API server, independent of how they travel.
 *
 * Owns: the shapes that `apiserver` and `gate` share. In process they are passed as they are; over HTTP a shell translates.
 */
import type { JsonValue } from '../objects/object.ts';
import type { WatchEvent } from '../objects/watch-event.ts';
import type { Session } from './session.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';

/** Who asks, as authentication found it. */
export interface UserInfo {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: { readonly [key: string]: readonly string[] };
}

export interface ApiRequest {
  readonly method: Method;
  /** Path without query, percent-decoded per segment by whoever reads it. */
  readonly path: string;
  readonly query: { readonly [key: string]: string };
  /** All values of the keys of the query that come several times. */
  readonly repeated?: { readonly [key: string]: readonly string[] };
  /** Lower-case names. */
  readonly headers: { readonly [name: string]: string };
  /** Absent in process, where nobody authenticates: such a request may do everything. */
  readonly user?: UserInfo;
  /** The body already decoded to JSON; absent when there was none. */
  readonly body?: JsonValue;
  /** The body as text, when it could not be decoded: the server words the refusal. */
  readonly undecodable?: string;
  /** Why it could not be decoded, in the words of Go's decoders. */
  readonly decodeError?: string;
  /** What the decoder took the undecodable body for, when it got that far. */
  readonly decodedAs?: { readonly apiVersion: string; readonly kind: string };
  /** What strict decoding says of fields that the body names twice: `duplicate field "spec.x"`. */
  readonly duplicates?: readonly string[];
}

export interface ApiResponse {
  readonly code: number;
  readonly headers?: { readonly [name: string]: string };
  /** JSON, or text for the few plain answers. */
  readonly body: JsonValue | string;
  readonly plainText?: boolean;
  /** The request becomes a connection of its own, or its answer goes on. */
  readonly session?: Session;
}

/** Where the answer to one request goes. `answer` comes once; a watch begins with `open` instead, events follow, then `end`. */
export interface ResponseSink {
  answer(response: ApiResponse): void;
  /** A watch opened: 200, events follow. */
  open(headers?: { readonly [name: string]: string }): void;
  event(event: WatchEvent): void;
  /** The stream ended. `error` stands for a broken connection; absent for a clean end. */
  end(error?: ConnectionError): void;
}

/** A failure below HTTP, named as Node names it. */
export interface ConnectionError {
  readonly code: 'ECONNRESET' | 'ECONNREFUSED' | 'ETIMEDOUT';
  readonly message: string;
}

/** Something that answers API requests: the embedded server in process, or a proxy to a real one. */
export interface Upstream {
  /** Hands a request over; the returned function says that nobody waits for the answer any more. */
  send(request: ApiRequest, sink: ResponseSink): () => void;
}
