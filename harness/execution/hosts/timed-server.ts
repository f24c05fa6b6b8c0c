/** The embedded server for a thread that is profiled by sampling: the callback shows whether the server or the target is running. */
import { ApiServer, type ApiServerOptions } from 'stalemate-apiserver';
import type { ApiRequest, ResponseSink } from 'stalemate-apiserver/wire/http';

export class TimedServer extends ApiServer {
  readonly #served: () => void;

  /** @param served - Called when a request begins, and when it has been handled. */
  constructor(options: ApiServerOptions, served: () => void) {
    super(options);
    this.#served = served;
  }

  override send(request: ApiRequest, sink: ResponseSink): () => void {
    this.#served();
    try {
      return super.send(request, sink);
    } finally {
      this.#served();
    }
  }
}
