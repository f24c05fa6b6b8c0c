/**
 * One request of an actor on its way through the gate, and its answer on the way back.
 *
 * Owns: what the gate sees of a request, and how the gate's results become bytes: the server's own, or those of an answer that the gate
 * made. Start at {@link gated}.
 */
import type {
  ApiRequest,
  ApiResponse,
  ConnectionError,
  Method,
  ResponseSink,
  Upstream,
} from 'stalemate-apiserver/wire/http';
import { madeAnswer, madeEvent } from './answers.ts';
import { carriedBy, type Carrier, type CarriedRequest } from './carrier.ts';
import { decoded, mediaType, PROTOBUF } from './decode.ts';
import type { FrontExchange, RemoteConnection, RequestHead } from './exchange.ts';
import { headerOf, NO_TRAILERS } from './exchange.ts';
import type { RawEvent } from './frames.ts';
import { questionOf } from './remote-upstream.ts';

/**
 * Sends the request of `front`, with `head`, through `port`. Bodies are buffered: a request's body before the gate sees the request, an
 * answer's body before the answer is passed on. Watch events are passed on one by one.
 */
export function gated(front: FrontExchange, head: RequestHead, connection: RemoteConnection, port: Upstream): void {
  const pieces: Buffer[] = [];
  if (!front.hasBody) {
    send(front, head, pieces, connection, port);
    return;
  }
  front.read({
    data: (piece) => pieces.push(piece),
    end: () => send(front, head, pieces, connection, port),
  });
}

function send(
  front: FrontExchange,
  head: RequestHead,
  pieces: readonly Buffer[],
  connection: RemoteConnection,
  port: Upstream,
): void {
  const { path, query } = questionOf(front.head);
  const carrier: Carrier = { head: readable(head), body: pieces, path, query, connection, waitingBytes: 0 };
  const body = decoded(pieces, head.headers);
  const request: CarriedRequest = {
    method: head.method as Method,
    path,
    query,
    headers: byName(head),
    carrier,
    ...(body === undefined ? {} : { body }),
  };
  const cancel = port.send(request, new Sink(front, carrier, headerOf(head.headers, 'accept')));
  front.onClose((whole) => {
    if (!whole) cancel();
  });
}

class Sink implements ResponseSink {
  readonly #front: FrontExchange;
  readonly #carrier: Carrier;
  readonly #accept: string | undefined;
  #protobuf = false;
  /** Bytes given to the connection but not yet sent. */
  #leavingBytes = 0;

  constructor(front: FrontExchange, carrier: Carrier, accept: string | undefined) {
    this.#front = front;
    this.#carrier = carrier;
    this.#accept = accept;
  }

  answer(response: ApiResponse): void {
    const front = this.#front;
    const carried = carriedBy(response);
    if (carried === undefined) {
      const { head, body } = madeAnswer(response, this.#accept);
      front.start(head);
      front.write(body);
      front.end(NO_TRAILERS);
      return;
    }
    front.start(carried.head);
    for (const piece of carried.pieces) front.write(piece);
    front.end(carried.trailers);
  }

  open(): void {
    const head = this.#carrier.opened ?? { code: 200, message: 'OK', headers: ['content-type', 'application/json'] };
    this.#protobuf = mediaType(head.headers) === PROTOBUF;
    this.#front.start(head);
    this.#front.onDrain(() => {
      this.#carrier.waitingBytes -= this.#leavingBytes;
      this.#leavingBytes = 0;
    });
  }

  event(event: RawEvent | Parameters<ResponseSink['event']>[0]): void {
    if (!('bytes' in event)) {
      this.#front.write(madeEvent(event, this.#protobuf));
      return;
    }
    const { bytes } = event;
    if (this.#front.write(bytes)) this.#carrier.waitingBytes -= bytes.length;
    else this.#leavingBytes += bytes.length;
  }

  end(error?: ConnectionError): void {
    if (error === undefined) this.#front.end(NO_TRAILERS);
    else if (error.code === 'ECONNREFUSED') this.#front.abort();
    else this.#front.lose();
  }
}

function byName({ headers }: RequestHead): ApiRequest['headers'] {
  const named: { [name: string]: string } = {};
  for (let at = 0; at < headers.length; at += 2) {
    const name = (headers[at] ?? '').toLowerCase();
    const value = headers[at + 1] ?? '';
    named[name] = named[name] === undefined ? value : `${named[name]}, ${value}`;
  }
  return named;
}

/** Restricts the request's Accept header to formats that the gate can read. */
function readable(head: RequestHead): RequestHead {
  const accept = headerOf(head.headers, 'accept');
  if (accept === undefined || !accept.includes('cbor')) return head;
  const without = accept
    .split(',')
    .filter((one) => !one.includes('cbor'))
    .join(',');
  const headers = head.headers.flatMap((text, at, all) =>
    at % 2 === 1 && all[at - 1]?.toLowerCase() === 'accept' ? [without === '' ? 'application/json' : without] : [text],
  );
  return { ...head, headers };
}
