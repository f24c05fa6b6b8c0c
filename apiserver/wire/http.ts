/**
 * Requests and answers between an actor, the gate and an API server, independent of how they travel.
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
  /** All values of the query keys that are repeated. */
  readonly repeated?: { readonly [key: string]: readonly string[] };
  /** The headers by lower-case name. */
  readonly headers: { readonly [name: string]: string };
  /** Absent in process, where there is no authentication: such a request may do everything. */
  readonly user?: UserInfo;
  /** The body decoded to JSON; absent without a body. */
  readonly body?: JsonValue;
  /** The body as text, when it could not be decoded: the server words the refusal. */
  readonly undecodable?: string;
  /** The error of Go's decoders. */
  readonly decodeError?: string;
  /** The decoder's type information of the undecodable body, when it got that far. */
  readonly decodedAs?: { readonly apiVersion: string; readonly kind: string };
  /** Strict errors for duplicate fields: `duplicate field "spec.x"`. */
  readonly duplicates?: readonly string[];
}

export interface ApiResponse {
  readonly code: number;
  readonly headers?: { readonly [name: string]: string };
  /** The body: JSON, or text for the few plain answers. */
  readonly body: JsonValue | string;
  readonly plainText?: boolean;
  /** The session, when the request becomes an upgraded connection or its answer is streamed. */
  readonly session?: Session;
}

/** Receives the answer to one request. `answer` comes once; a watch starts with `open` instead, events follow, then `end`. */
export interface ResponseSink {
  answer(response: ApiResponse): void;
  /** Called when a watch has opened: the code is 200, and events follow. */
  open(headers?: { readonly [name: string]: string }): void;
  event(event: WatchEvent): void;
  /** Called when the stream has ended. `error` stands for a broken connection; absent for a clean end. */
  end(error?: ConnectionError): void;
}

/** A network failure, named as in Node. */
export interface ConnectionError {
  readonly code: 'ECONNRESET' | 'ECONNREFUSED' | 'ETIMEDOUT';
  readonly message: string;
}

/** Answers API requests: the embedded server in process, or a proxy to a real one. */
export interface Upstream {
  /** Sends a request; the returned function cancels it. */
  send(request: ApiRequest, sink: ResponseSink): () => void;
}
