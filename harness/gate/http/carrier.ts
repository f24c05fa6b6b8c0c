/**
 * What travels along with a request through the gate: the bytes, which the gate itself never looks at.
 *
 * The gate hands requests, answers and events on as the objects that it was given; whatever it makes itself carries nothing. So the two
 * ends (`gated.ts` towards the actor, `remote-upstream.ts` towards the server) find the bytes again. Owns: these shapes.
 */
import type { ApiRequest, ApiResponse } from 'stalemate-apiserver/wire/http';
import type { AnswerHead, RawHeaders, RemoteConnection, RequestHead } from './exchange.ts';

export interface Carrier {
  /** As it goes to the server. */
  readonly head: RequestHead;
  readonly body: readonly Buffer[];
  /** The path that `head` holds, after the server's own; another one in the request means that it was changed on the way. */
  readonly path: string;
  /** The same of the query. */
  readonly query: ApiRequest['query'];
  readonly connection: RemoteConnection;
  /** How a watch was opened. */
  opened?: AnswerHead;
  /** Bytes of events that the server has sent and the actor has not been given. */
  waitingBytes: number;
}

export interface CarriedRequest extends ApiRequest {
  readonly carrier: Carrier;
}

export interface CarriedAnswer extends ApiResponse {
  readonly carried: {
    readonly head: AnswerHead;
    readonly pieces: readonly Buffer[];
    readonly trailers: RawHeaders;
  };
}

export function carrierOf(request: ApiRequest): Carrier | undefined {
  return (request as Partial<CarriedRequest>).carrier;
}

export function carriedBy(answer: ApiResponse): CarriedAnswer['carried'] | undefined {
  return (answer as Partial<CarriedAnswer>).carried;
}
