/**
 * The bytes that accompany a request through the gate, which never looks at them.
 *
 * The gate passes on the request, answer and event objects that it received; those that it makes itself carry no bytes. So both ends
 * (`gated.ts` towards the actor, `remote-upstream.ts` towards the server) find the bytes again. Owns: these types.
 */
import type { ApiRequest, ApiResponse } from 'stalemate-apiserver/wire/http';
import type { AnswerHead, RawHeaders, RemoteConnection, RequestHead } from './exchange.ts';

export interface Carrier {
  /** The head as it is sent to the server. */
  readonly head: RequestHead;
  readonly body: readonly Buffer[];
  /** The path in `head`, without the server's prefix; if the request's own path differs, it was changed on the way. */
  readonly path: string;
  /** The query in `head`; if the request's own query differs, it was changed on the way. */
  readonly query: ApiRequest['query'];
  readonly connection: RemoteConnection;
  /** The head of the answer that opened a watch. */
  opened?: AnswerHead;
  /** Bytes of events that the server has sent and the actor has not received. */
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
