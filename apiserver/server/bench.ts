/**
 * Benchmarks the kernel in process. Run `node apiserver/server/bench.ts`; prints operations per second.
 *
 * The harness's deterministic mode needs at least 150,000 simple operations and 300,000 gets per second on one core.
 */
import { realNow } from '../clock.ts';
import type { ApiRequest, ResponseSink } from '../wire/http.ts';
import type { KubeObject } from '../objects/object.ts';
import { ApiServer } from './server.ts';
import { CONFIGMAPS_PATH, configMap, EPOCH_MS, widget, WIDGETS, WIDGETS_PATH } from './testing.ts';

let last: unknown;
let uids = 0;
const sink: ResponseSink = {
  answer: (answer) => {
    last = answer.body;
  },
  open: () => {},
  event: () => {},
  end: () => {},
};

function newServer(): ApiServer {
  const server = new ApiServer({ now: () => EPOCH_MS, newUid: () => `uid-${++uids}`, nameSuffix: () => 'abcde' });
  server.installCrd(WIDGETS);
  return server;
}

function send(server: ApiServer, request: ApiRequest): KubeObject {
  server.send(request, sink);
  return last as KubeObject;
}

function get(path: string): ApiRequest {
  return { method: 'GET', path, query: {}, headers: {} };
}

/** Repeats `step` often enough to measure it, and prints its rate. */
function measure(title: string, step: (turn: number) => void, turns = 200_000): void {
  for (let turn = 0; turn < 20_000; turn++) step(turn);
  const start = realNow();
  for (let turn = 0; turn < turns; turn++) step(turn);
  const seconds = (realNow() - start) / 1000;
  console.log(
    `${title.padEnd(44)} ${Math.round(turns / seconds)
      .toLocaleString('en')
      .padStart(12)} /s`,
  );
}

function main(): void {
  const server = newServer();
  send(server, { method: 'POST', path: WIDGETS_PATH, query: {}, headers: {}, body: widget('a') });
  for (let index = 0; index < 10; index++)
    send(server, {
      method: 'POST',
      path: CONFIGMAPS_PATH,
      query: {},
      headers: {},
      body: configMap(`c${index}`, { a: 'b' }),
    });
  const path = `${WIDGETS_PATH}/a`;
  const read = get(path);
  measure('get', () => send(server, read));
  const listing = get(CONFIGMAPS_PATH);
  measure('list of 10', () => send(server, listing));
  measure('update of a custom resource', (turn) => {
    const object = send(server, read);
    send(server, {
      method: 'PUT',
      path,
      query: {},
      headers: {},
      body: { ...object, spec: { size: turn % 100, colour: 'red' } },
    });
  });
  const merge = { 'content-type': 'application/merge-patch+json' };
  measure('merge patch of a status', (turn) => {
    send(server, {
      method: 'PATCH',
      path: `${path}/status`,
      query: {},
      headers: merge,
      body: { status: { replicas: turn % 9 } },
    });
  });
  measure('no-op update', () => {
    const object = send(server, read);
    send(server, { method: 'PUT', path, query: {}, headers: {}, body: object });
  });
  measure('create and delete of a config map', () => {
    send(server, { method: 'POST', path: CONFIGMAPS_PATH, query: {}, headers: {}, body: configMap('x', { a: 'b' }) });
    send(server, { method: 'DELETE', path: `${CONFIGMAPS_PATH}/x`, query: {}, headers: {} });
  });
  server.send({ ...get(WIDGETS_PATH), query: { watch: 'true', resourceVersion: String(server.revision) } }, sink);
  measure('update seen by one watch', (turn) => {
    const object = send(server, read);
    send(server, {
      method: 'PUT',
      path,
      query: {},
      headers: {},
      body: { ...object, spec: { size: turn % 100, colour: 'red' } },
    });
  });
  const snapshot = server.snapshot();
  measure('restore, then one create', () => {
    server.restore(snapshot);
    send(server, { method: 'POST', path: CONFIGMAPS_PATH, query: {}, headers: {}, body: configMap('x') });
  });
}

main();
