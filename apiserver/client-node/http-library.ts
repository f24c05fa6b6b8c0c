/**
 * A replacement for client-node's HTTP library: API calls go straight to an `Upstream`, without `fetch`.
 *
 * About five times faster than the dispatcher. The target's code, the API classes and their (de)serialisation are unchanged; watches do not
 * pass through here (`makeInformer` and `Watch` call `fetch` themselves).
 */
import type { HttpLibrary, Observable, RequestContext, ResponseContext } from '@kubernetes/client-node';
import type { WatchEvent } from '../objects/watch-event.ts';
import type { ApiResponse, ConnectionError, ResponseSink, Upstream } from '../wire/http.ts';
import type { ClientNode } from './client-node.ts';
import { contentTypeOf, decodeRequest, fetchFailure, frameText, lowerCaseHeaders, responseText } from './wire-text.ts';

export function createHttpLibrary(
  clientNode: ClientNode,
  upstream: Upstream,
  userAgent: string | undefined,
): HttpLibrary {
  return {
    send(request: RequestContext): Observable<ResponseContext> {
      return new clientNode.Observable(
        new Promise((resolve, reject) => {
          new Call(clientNode, resolve, reject).send(upstream, request, userAgent);
        }),
      );
    },
  };
}

class Call implements ResponseSink {
  readonly #clientNode: ClientNode;
  readonly #resolve: (response: ResponseContext) => void;
  readonly #reject: (error: unknown) => void;
  #frames = '';

  constructor(clientNode: ClientNode, resolve: (response: ResponseContext) => void, reject: (error: unknown) => void) {
    this.#clientNode = clientNode;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  send(upstream: Upstream, request: RequestContext, userAgent: string | undefined): void {
    const signal = request.getSignal();
    if (signal?.aborted === true) {
      this.#reject(signal.reason);
      return;
    }
    const url = request.getUrl();
    const pathAndQuery = url.slice(url.indexOf('/', url.indexOf('://') + 3));
    const headers = lowerCaseHeaders(request.getHeaders());
    if (userAgent !== undefined) headers['user-agent'] = userAgent;
    const body = request.getBody() as string | undefined;
    const cancel = upstream.send(decodeRequest(request.getHttpMethod(), pathAndQuery, headers, body), this);
    signal?.addEventListener(
      'abort',
      () => {
        cancel();
        this.#reject(signal.reason);
      },
      { once: true },
    );
  }

  answer(response: ApiResponse): void {
    this.#respond(
      response.code,
      { 'content-type': contentTypeOf(response), ...response.headers },
      responseText(response),
    );
  }

  /**
   * Does nothing when a watch starts: if a watch is opened through an API method, client-node reads all of it as one text, once it has
   * ended.
   */
  open(): void {}

  event(event: WatchEvent): void {
    this.#frames += frameText(event);
  }

  end(error?: ConnectionError): void {
    if (error === undefined) this.#respond(200, { 'content-type': 'application/json' }, this.#frames);
    else this.#reject(fetchFailure(error));
  }

  #respond(code: number, headers: { [name: string]: string }, text: string): void {
    const body = {
      text: () => Promise.resolve(text),
      binary: () => Promise.resolve(Buffer.from(text)),
      stream: () => new Blob([text]).stream(),
    };
    this.#resolve(new this.#clientNode.ResponseContext(code, headers, body));
  }
}
