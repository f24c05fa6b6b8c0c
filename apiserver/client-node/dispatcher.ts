/**
 * An undici dispatcher without sockets: requests that unmodified client-node sends through `fetch` go to an `Upstream`.
 *
 * Owns: undici's handler protocol (`onRequestStart` … `onResponseEnd`, undici 7 and 8). The handler receives an answer when the upstream
 * calls the sink, never earlier, and in the async context of the sender.
 */
import { AsyncResource } from 'node:async_hooks';
import { STATUS_CODES } from 'node:http';
import type { WatchEvent } from '../objects/watch-event.ts';
import type { ApiResponse, ConnectionError, ResponseSink, Upstream } from '../wire/http.ts';
import { contentTypeOf, decodeRequest, frameText, lowerCaseHeaders, nodeError, responseText } from './wire-text.ts';

/** The options of undici's `dispatch` that this dispatcher reads. */
export interface DispatchOptions {
  readonly path: string;
  readonly method: string;
  readonly headers?: Iterable<readonly [string, string]> | readonly string[] | { readonly [name: string]: unknown };
  readonly body?: unknown;
}

/** The controller that undici hands to its handlers. */
interface DispatchController {
  readonly aborted: boolean;
  readonly reason: unknown;
  readonly paused: boolean;
  /** Header names and values, alternating; `fetch` reads these instead of a record of headers. */
  readonly rawHeaders: readonly Buffer[];
  abort(reason: unknown): void;
  pause(): void;
  resume(): void;
}

export interface DispatchHandler {
  onRequestStart?(controller: DispatchController, context: object): void;
  onResponseStarted?(): void;
  onResponseStart?(
    controller: DispatchController,
    status: number,
    headers: { readonly [name: string]: string },
    statusText: string,
  ): void;
  onResponseData?(controller: DispatchController, chunk: Buffer): void;
  onResponseEnd?(controller: DispatchController, trailers: object): void;
  onResponseError?(controller: DispatchController, error: unknown): void;
}

/** The handlers of undici 6, which `fetch` of Node 24 and earlier passes. */
interface OlderHandler {
  onConnect?(abort: (reason?: unknown) => void): void;
  onResponseStarted?(): void;
  onHeaders(status: number, headers: readonly Buffer[], resume: () => void, statusText: string): unknown;
  onData(chunk: Buffer): unknown;
  onComplete(trailers: readonly Buffer[]): void;
  onError(error: unknown): void;
}

/** undici's abort reason when it cancels a response body that was garbage-collected. When that happens does not depend on the target. */
const COLLECTED = 'garbage collected';

const JSON_HEADERS: { readonly [name: string]: string } = { 'content-type': 'application/json' };
const JSON_RAW = rawHeaders(JSON_HEADERS);

/** The parts of undici's `Dispatcher` that `fetch` and client-node use. */
export interface InProcessDispatcher {
  /** Makes `fetch` pass the body as given instead of as a stream. */
  readonly isMockActive: true;
  dispatch(options: DispatchOptions, handler: DispatchHandler | OlderHandler): boolean;
  close(): Promise<void>;
  destroy(): Promise<void>;
}

export function createDispatcher(upstream: Upstream, userAgent: string | undefined): InProcessDispatcher {
  return {
    isMockActive: true,
    dispatch(options, handler) {
      const exchange = new Exchange('onHeaders' in handler ? asToday(handler) : handler);
      const headers = lowerCaseHeaders(headerRecord(options.headers));
      if (userAgent !== undefined) headers['user-agent'] = userAgent;
      const { body } = options;
      if (body === null || body === undefined || typeof body === 'string' || ArrayBuffer.isView(body)) {
        exchange.send(upstream, options, headers, textOf(body));
      } else {
        void collect(body as AsyncIterable<Uint8Array>).then(
          (text) => exchange.send(upstream, options, headers, text),
          (error: unknown) => exchange.abort(error),
        );
      }
      return true;
    },
    close: () => Promise.resolve(),
    destroy: () => Promise.resolve(),
  };
}

function asToday(handler: OlderHandler): DispatchHandler {
  return {
    onRequestStart: (controller) => handler.onConnect?.((reason) => controller.abort(reason)),
    onResponseStarted: () => handler.onResponseStarted?.(),
    onResponseStart: ({ rawHeaders }, status, _, statusText) =>
      void handler.onHeaders(status, rawHeaders, () => {}, statusText),
    onResponseData: (_, chunk) => void handler.onData(chunk),
    onResponseEnd: () => handler.onComplete([]),
    onResponseError: (_, error) => handler.onError(error),
  };
}

/** One request and its answer; also the controller that is passed to the handler. */
class Exchange extends AsyncResource implements DispatchController, ResponseSink {
  aborted = false;
  reason: unknown = null;
  /** Always false: chunks are few and small, so they are buffered while a reader is paused. */
  readonly paused = false;
  rawHeaders: readonly Buffer[] = JSON_RAW;
  readonly handler: DispatchHandler;
  #cancel: (() => void) | undefined;
  #over = false;

  constructor(handler: DispatchHandler) {
    super('InProcessExchange');
    this.handler = handler;
    handler.onRequestStart?.(this, {});
  }

  send(
    upstream: Upstream,
    { method, path }: DispatchOptions,
    headers: { readonly [name: string]: string },
    text: string | undefined,
  ): void {
    if (this.#over) return;
    this.#cancel = upstream.send(decodeRequest(method, path, headers, text), this);
  }

  answer(response: ApiResponse): void {
    if (this.#over) return;
    this.#over = true;
    this.runInAsyncScope(giveAnswer, undefined, this, response);
  }

  open(): void {
    if (!this.#over) this.runInAsyncScope(giveHead, undefined, this, 200, JSON_HEADERS);
  }

  event(event: WatchEvent): void {
    if (!this.#over) this.runInAsyncScope(giveText, undefined, this, frameText(event));
  }

  end(error?: ConnectionError): void {
    if (this.#over) return;
    this.#over = true;
    if (error === undefined) this.runInAsyncScope(giveEnd, undefined, this);
    else this.runInAsyncScope(giveError, undefined, this, nodeError(error));
  }

  abort(reason: unknown): void {
    if (this.#over || String(reason).includes(COLLECTED)) return;
    this.#over = true;
    this.aborted = true;
    this.reason = reason;
    this.#cancel?.();
    giveError(this, reason);
  }

  pause(): void {}

  resume(): void {}
}

// Handler calls, each run in the async scope of its exchange.

function giveAnswer(exchange: Exchange, response: ApiResponse): void {
  let headers = JSON_HEADERS;
  if (response.headers !== undefined || response.plainText === true) {
    headers = { 'content-type': contentTypeOf(response), ...response.headers };
    exchange.rawHeaders = rawHeaders(headers);
  }
  giveHead(exchange, response.code, headers);
  giveText(exchange, responseText(response));
  giveEnd(exchange);
}

function giveHead(exchange: Exchange, code: number, headers: { readonly [name: string]: string }): void {
  exchange.handler.onResponseStarted?.();
  exchange.handler.onResponseStart?.(exchange, code, headers, STATUS_CODES[code] ?? '');
}

function giveText(exchange: Exchange, text: string): void {
  exchange.handler.onResponseData?.(exchange, Buffer.from(text));
}

function giveEnd(exchange: Exchange): void {
  exchange.handler.onResponseEnd?.(exchange, {});
}

function giveError(exchange: Exchange, error: unknown): void {
  exchange.handler.onResponseError?.(exchange, error);
}

function rawHeaders(headers: { readonly [name: string]: string }): readonly Buffer[] {
  return Object.entries(headers).flatMap(([name, value]) => [Buffer.from(name), Buffer.from(value)]);
}

function headerRecord(headers: DispatchOptions['headers']): { readonly [name: string]: unknown } {
  if (headers === undefined || headers === null) return {};
  if (Array.isArray(headers)) {
    const flat = headers as readonly string[];
    return Object.fromEntries(flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1]]] : [])));
  }
  if (Symbol.iterator in headers) return Object.fromEntries(headers as Iterable<readonly [string, string]>);
  return headers;
}

function textOf(body: string | ArrayBufferView | null | undefined): string | undefined {
  if (body === null || body === undefined || typeof body === 'string') return body ?? undefined;
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

async function collect(body: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
