/**
 * Shared by tests of the in-process transport: an upstream between client-node and the embedded server that can hold and break requests.
 *
 * Used by tests only.
 */
import { testServer, widget, WIDGETS_PATH, type TestServer } from 'stalemate-apiserver/testing';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiRequest, ResponseSink, Upstream } from 'stalemate-apiserver/wire/http';

/** The arguments of `CustomObjectsApi` for widgets. */
export const WIDGETS = {
  group: 'example.com',
  version: 'v1',
  namespace: 'default',
  plural: 'widgets',
} as const;

export class BreakableUpstream implements Upstream {
  readonly requests: ApiRequest[] = [];
  /** Sinks of requests that have not ended, oldest first. */
  readonly open: ResponseSink[] = [];
  readonly held: { readonly sink: ResponseSink; readonly happen: () => void }[] = [];
  aborts = 0;
  holding = false;
  readonly #behind: Upstream;

  constructor(behind: Upstream) {
    this.#behind = behind;
  }

  get activity(): number {
    return this.requests.length + this.aborts;
  }

  send(request: ApiRequest, sink: ResponseSink): () => void {
    this.requests.push(request);
    this.open.push(sink);
    const abort = this.#behind.send(request, {
      answer: (response) => {
        this.#ended(sink);
        this.#pass(sink, () => sink.answer(response));
      },
      open: () => this.#pass(sink, () => sink.open()),
      event: (event) => this.#pass(sink, () => sink.event(event)),
      end: (error) => {
        this.#ended(sink);
        this.#pass(sink, () => sink.end(error));
      },
    });
    return () => {
      this.aborts++;
      this.#ended(sink);
      abort();
    };
  }

  /** Releases everything that was held. */
  release(): void {
    this.holding = false;
    for (const { happen } of this.held.splice(0)) happen();
  }

  /** Finds the request of the held item at `index`, and releases the oldest held item of that request. */
  releaseOne(index: number): void {
    const chosen = this.held[index];
    if (chosen === undefined) return;
    const oldest = this.held.findIndex(({ sink }) => sink === chosen.sink);
    this.held.splice(oldest, 1)[0]?.happen();
  }

  #pass(sink: ResponseSink, happen: () => void): void {
    if (this.holding) this.held.push({ sink, happen });
    else happen();
  }

  #ended(sink: ResponseSink): void {
    const index = this.open.indexOf(sink);
    if (index >= 0) this.open.splice(index, 1);
  }
}

export interface WidgetServer extends TestServer {
  readonly upstream: BreakableUpstream;
  create(name: string, size: number): KubeObject;
  resize(name: string, size: number): KubeObject;
}

/** Starts the embedded server with a widget CRD, behind a breakable upstream. */
export function widgetServer(): WidgetServer {
  const test = testServer();
  return {
    ...test,
    upstream: new BreakableUpstream(test.server),
    create: (name, size) => test.request('POST', WIDGETS_PATH, widget(name, { size })).object,
    resize: (name, size) => {
      const { object } = test.request('GET', `${WIDGETS_PATH}/${name}`);
      return test.request('PUT', `${WIDGETS_PATH}/${name}`, { ...object, spec: { size } }).object;
    },
  };
}
