/**
 * The remote server as an upstream of the gate: requests in, answers and events out, with their bytes attached.
 *
 * Owns: the request that is sent, reading answers and watch frames, the bound on pending bytes of a watch. Does not own: connections
 * (`remote.ts`), what happens in between (the gate). Start at {@link remoteUpstream}.
 */
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import type { ApiRequest, ApiResponse, ConnectionError, ResponseSink, Upstream } from 'stalemate-apiserver/wire/http';
import { isRedirect } from 'stalemate-apiserver/wire/redirect';
import { asksToWatch, requestInfo } from 'stalemate-apiserver/wire/request-info';
import { carrierOf, type Carrier, type CarriedAnswer } from './carrier.ts';
import { decoded, mediaType, PROTOBUF } from './decode.ts';
import type { AnswerHead, AnswerReader, RawHeaders, RemoteConnection, RequestHead } from './exchange.ts';
import { FrameReader } from './frames.ts';
import type { RemoteServer } from './remote.ts';

/**
 * The most bytes that may wait per watch while it is held. Beyond this limit the watch is closed, as real servers close watches of slow
 * clients; its client resumes with a new watch.
 */
const WATCH_BYTES_MAX: number = 16 * 1024 * 1024;

export interface RemoteUpstreamOptions {
  /** Default {@link WATCH_BYTES_MAX}. */
  readonly watchBytesMax?: number;
  /** Called with each answer that redirects its client, before the client gets it. */
  readonly onRedirect?: (code: number, request: Pick<ApiRequest, 'method' | 'path'>) => void;
}

/**
 * Returns an upstream that forwards to `remote`. Requests without attached bytes, which come from actors in this process, are sent as JSON
 * over a separate connection.
 */
export function remoteUpstream(remote: RemoteServer, options: RemoteUpstreamOptions = {}): RemoteUpstream {
  return new RemoteUpstream(remote, options);
}

export class RemoteUpstream implements Upstream {
  readonly #remote: RemoteServer;
  readonly #watchBytesMax: number;
  readonly #onRedirect: NonNullable<RemoteUpstreamOptions['onRedirect']>;
  #own: RemoteConnection | undefined;

  constructor(remote: RemoteServer, { watchBytesMax = WATCH_BYTES_MAX, onRedirect }: RemoteUpstreamOptions) {
    this.#onRedirect = onRedirect ?? (() => {});
    this.#remote = remote;
    this.#watchBytesMax = watchBytesMax;
  }

  send(request: ApiRequest, sink: ResponseSink): () => void {
    const carrier = carrierOf(request) ?? this.#loaded(request);
    const head = headOf(carrier, request);
    const watching =
      request.method === 'GET' &&
      asksToWatch(request.query) &&
      requestInfo('GET', request.path, request.query)?.verb === 'watch';
    const answer = new Answer(carrier, sink, watching, this.#watchBytesMax);
    const exchange = carrier.connection.open(head, carrier.body.length > 0, answer);
    answer.redirected = (code) => this.#onRedirect(code, request);
    answer.abort = () => exchange.abort();
    for (const piece of carrier.body) exchange.write(piece);
    if (carrier.body.length > 0) exchange.end([]);
    return () => exchange.abort();
  }

  /** Closes the connection for actors in this process. */
  close(): void {
    this.#own?.close();
  }

  #loaded({ method, path, query, headers, body }: ApiRequest): Carrier {
    this.#own ??= this.#remote.http1('configured');
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const list = ['Accept', 'application/json'];
    if (bytes !== undefined)
      list.push('Content-Type', headers['content-type'] ?? 'application/json', 'Content-Length', String(bytes.length));
    if (headers['user-agent'] !== undefined) list.push('User-Agent', headers['user-agent']);
    const head = this.#remote.addressed({ method, target: withQuery(path, query), headers: list }, 'configured', true);
    return {
      head,
      body: bytes === undefined ? [] : [bytes],
      path,
      query,
      connection: this.#own,
      waitingBytes: 0,
    };
  }
}

class Answer implements AnswerReader {
  readonly #carrier: Carrier;
  readonly #sink: ResponseSink;
  readonly #watching: boolean;
  readonly #watchBytesMax: number;
  readonly #pieces: Buffer[] = [];
  #head: AnswerHead | undefined;
  #frames: FrameReader | undefined;
  #over = false;
  abort: () => void = () => {};
  redirected: (code: number) => void = () => {};

  constructor(carrier: Carrier, sink: ResponseSink, watching: boolean, watchBytesMax: number) {
    this.#carrier = carrier;
    this.#sink = sink;
    this.#watching = watching;
    this.#watchBytesMax = watchBytesMax;
  }

  head(head: AnswerHead): void {
    this.#head = head;
    if (isRedirect(head.code)) this.redirected(head.code);
    if (!this.#watching || head.code !== 200) return;
    this.#carrier.opened = head;
    this.#frames = new FrameReader(mediaType(head.headers) === PROTOBUF, (event) => {
      if (this.#over) return;
      this.#carrier.waitingBytes += event.bytes.length;
      this.#sink.event(event);
      if (this.#carrier.waitingBytes > this.#watchBytesMax) this.#overflow();
    });
    this.#sink.open();
  }

  data(piece: Buffer): void {
    if (this.#over) return;
    if (this.#frames === undefined) {
      this.#pieces.push(piece);
      return;
    }
    try {
      this.#frames.read(piece);
    } catch {
      // End the watch: its stream cannot be split into events.
      this.#overflow();
    }
  }

  end(trailers: RawHeaders): void {
    if (this.#over) return;
    this.#over = true;
    const head = this.#head;
    if (this.#frames !== undefined || head === undefined) this.#sink.end();
    else this.#sink.answer(answerOf(head, this.#pieces, trailers));
  }

  fail(error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#sink.end(connectionError(error));
  }

  #overflow(): void {
    this.#over = true;
    this.abort();
    this.#sink.end();
  }
}

function answerOf(head: AnswerHead, pieces: readonly Buffer[], trailers: RawHeaders): ApiResponse {
  const body: JsonValue = decoded(pieces, head.headers) ?? '';
  const answer: CarriedAnswer = { code: head.code, body, carried: { head, pieces, trailers } };
  return answer;
}

function connectionError(error: NodeJS.ErrnoException): ConnectionError {
  const code = error.code === 'ECONNREFUSED' || error.code === 'ETIMEDOUT' ? error.code : 'ECONNRESET';
  return { code, message: error.message };
}

/** Returns the original head, or a copy with the changed path and query. */
function headOf({ head, path, query }: Carrier, request: ApiRequest): RequestHead {
  if (request.query === query && request.path === path) return head;
  const mark = head.target.indexOf('?');
  const asked = mark < 0 ? head.target : head.target.slice(0, mark);
  // The server's path prefix is kept.
  const target = asked.slice(0, asked.length - path.length) + request.path;
  return { ...head, target: withQuery(target, request.query) };
}

function withQuery(target: string, query: ApiRequest['query']): string {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Returns the path and query of a {@link RequestHead}; the query may be empty. */
export function questionOf({ target }: RequestHead): Pick<ApiRequest, 'path' | 'query'> {
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: {} };
  const query: { [key: string]: string } = {};
  for (const [key, value] of new URLSearchParams(target.slice(mark + 1)))
    if (!Object.hasOwn(query, key)) query[key] = value;
  return { path: target.slice(0, mark), query };
}
