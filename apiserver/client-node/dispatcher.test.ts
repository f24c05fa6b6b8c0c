import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiRequest, ApiResponse, ResponseSink, Upstream } from '../wire/http.ts';
import { createDispatcher, type DispatchHandler, type DispatchOptions } from './dispatcher.ts';

interface Sent {
  readonly request: ApiRequest;
  readonly sink: ResponseSink;
  aborted: boolean;
}

let sent: Sent[] = [];
beforeEach(() => (sent = []));

const upstream: Upstream = {
  send: (request, sink) => {
    const entry: Sent = { request, sink, aborted: false };
    sent.push(entry);
    return () => void (entry.aborted = true);
  },
};

/** Dispatches one request and records the handler calls. */
function dispatch(options: Partial<DispatchOptions> = {}): {
  readonly calls: string[];
  readonly abort: (reason: unknown) => void;
  readonly headers: () => { readonly [name: string]: string };
} {
  const calls: string[] = [];
  let abort: (reason: unknown) => void = () => {};
  let headers: { readonly [name: string]: string } = {};
  const handler: DispatchHandler = {
    onRequestStart: (controller) => {
      abort = (reason) => controller.abort(reason);
    },
    onResponseStart: (_controller, status, given, statusText) => {
      headers = given;
      calls.push(`${status} ${statusText}`);
    },
    onResponseData: (_controller, chunk) => calls.push(chunk.toString()),
    onResponseEnd: () => calls.push('end'),
    onResponseError: (_controller, error) => calls.push(`error ${String(error)}`),
  };
  createDispatcher(upstream, 'agent/1').dispatch({ path: '/api/v1/pods?limit=5', method: 'GET', ...options }, handler);
  return { calls, abort, headers: () => headers };
}

function sinkOf(index: number): ResponseSink {
  const entry = sent[index];
  if (entry === undefined) throw new RangeError(`request ${index} was not sent`);
  return entry.sink;
}

describe('a dispatcher', () => {
  it('delivers head, body and end at once when the answer arrives, and nothing earlier', () => {
    const { calls, headers } = dispatch();
    expect(calls).toEqual([]);

    const response: ApiResponse = { code: 429, headers: { 'retry-after': '7' }, body: { kind: 'Status' } };
    sinkOf(0).answer(response);

    expect(calls).toEqual(['429 Too Many Requests', '{"kind":"Status"}', 'end']);
    expect(headers()).toEqual({ 'content-type': 'application/json', 'retry-after': '7' });
  });

  it('passes plain text through unchanged', () => {
    const { calls, headers } = dispatch();

    sinkOf(0).answer({ code: 200, body: 'ok', plainText: true });

    expect(calls).toEqual(['200 OK', 'ok', 'end']);
    expect(headers()['content-type']).toMatch(/^text\/plain/);
  });

  it('delivers a watch line by line', () => {
    const { calls } = dispatch();
    const sink = sinkOf(0);
    sink.open();
    sink.event({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '7' } } });
    sink.end();
    sink.event({ type: 'ADDED', object: {} });

    expect(calls).toEqual(['200 OK', '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7"}}}\n', 'end']);
  });

  it.each([
    ['text', '{"a":1}'],
    ['bytes', Buffer.from('{"a":1}')],
    ['a stream', Readable.from([Buffer.from('{"a"'), ':1}'])],
  ])('decodes a body given as %s', async (_form, body) => {
    dispatch({ method: 'POST', body, headers: ['Content-Type', 'application/json'] });
    await new Promise(setImmediate);

    expect(sent[0]?.request).toEqual({
      method: 'POST',
      path: '/api/v1/pods',
      query: { limit: '5' },
      headers: { 'content-type': 'application/json', 'user-agent': 'agent/1' },
      body: { a: 1 },
    });
  });

  it('reports an abort to the upstream once, and to the handler', () => {
    const { calls, abort } = dispatch();

    abort(new Error('no longer wanted'));
    abort(new Error('again'));
    sinkOf(0).answer({ code: 200, body: {} });

    expect(sent[0]?.aborted).toBe(true);
    expect(calls).toEqual(['error Error: no longer wanted']);
  });

  it('ignores aborts after the answer, and aborts from the garbage collector', () => {
    const answered = dispatch();
    sinkOf(0).answer({ code: 200, body: {} });
    answered.abort(new Error('late'));
    const collected = dispatch();
    sinkOf(1).open();
    collected.abort('Response object has been garbage collected');

    expect(sent.map(({ aborted }) => aborted)).toEqual([false, false]);
    expect(collected.calls).toEqual(['200 OK']);
  });
});
