/**
 * Requests and answers between an actor, the gate and an API server, independent of the transport.
 *
 * Owns: the types that `apiserver` and `gate` share. In process they are passed directly; over HTTP a shell translates.
 */
import type { JsonValue } from '../objects/object.ts';
import type { WatchEvent } from '../objects/watch-event.ts';
import type { Session } from './session.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';

/** The authenticated user. */
export interface UserInfo {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: { readonly [key: string]: readonly string[] };
}

export interface ApiRequest {
  readonly method: Method;
  /** The path without query; readers decode it per segment. */
  readonly path: string;
  readonly query: { readonly [key: string]: string };
  /** All values of each query key that is repeated. */
  readonly repeated?: { readonly [key: string]: readonly string[] };
  /** The headers by lower-case name. */
  readonly headers: { readonly [name: string]: string };
  /** Absent in process, where there is no authentication: a request without a user is always allowed. */
  readonly user?: UserInfo;
  /** The body decoded to JSON; absent without a body. */
  readonly body?: JsonValue;
  /** The body as text, if it could not be decoded. The server writes the error response. */
  readonly undecodable?: string;
  /** The error of Go's decoder. */
  readonly decodeError?: string;
  /** The type of an undecodable body, if the decoder has read that much. */
  readonly decodedAs?: { readonly apiVersion: string; readonly kind: string };
  /** Strict errors for duplicate fields: `duplicate field "spec.x"`. */
  readonly duplicates?: readonly string[];
}

export interface ApiResponse {
  readonly code: number;
  readonly headers?: { readonly [name: string]: string };
  /** The body: JSON, or text for the few answers in plain text. */
  readonly body: JsonValue | string;
  readonly plainText?: boolean;
  /** The session, if the request becomes an upgraded connection or its answer is streamed. */
  readonly session?: Session;
}

/**
 * Receives the answer to one request. `answer` is called once. For a watch, `open` is called instead, then `event` for each event, then
 * `end`.
 */
export interface ResponseSink {
  answer(response: ApiResponse): void;
  /** Called when a watch has opened: the code is 200, and events follow. */
  open(headers?: { readonly [name: string]: string }): void;
  event(event: WatchEvent): void;
  /** Called when the stream has ended. `error` is set if the connection broke, and absent for a clean end. */
  end(error?: ConnectionError): void;
}

/** A network failure, with the code and message that Node uses. */
export interface ConnectionError {
  readonly code: 'ECONNRESET' | 'ECONNREFUSED' | 'ETIMEDOUT';
  readonly message: string;
}

/** Answers API requests: the embedded server in process, or a proxy to a real one. */
export interface Upstream {
  /** Sends a request; the returned function cancels it. */
  send(request: ApiRequest, sink: ResponseSink): () => void;
}
