import { describe, expect, it } from 'vitest';
import { CONFIGMAPS_PATH, configMap, MERGE, testServer, widget, WIDGETS_PATH } from '../testing.ts';

const label = (value: string): { readonly metadata: { readonly labels: { readonly on: string } } } => ({
  metadata: { labels: { on: value } },
});

it('sends initial events in key order, then a bookmark that ends them, then new events (91, 92, 98)', () => {
  const { request, watch } = testServer();
  for (const name of ['b', 'a']) request('POST', WIDGETS_PATH, widget(name));

  const open = watch(WIDGETS_PATH, {
    sendInitialEvents: 'true',
    resourceVersionMatch: 'NotOlderThan',
    allowWatchBookmarks: 'true',
  });
  request('POST', WIDGETS_PATH, widget('c'));

  expect(open.lines).toEqual(['ADDED a@8', 'ADDED b@7', 'BOOKMARK -@8', 'ADDED c@9']);
  expect(open.events[2]?.object).toEqual({
    kind: 'Widget',
    apiVersion: 'example.com/v1',
    metadata: { resourceVersion: '8', annotations: { 'k8s.io/initial-events-end': 'true' } },
  });
});

it('starts with the current objects without a version, without bookmark unless asked (91)', () => {
  const { request, watch } = testServer();
  request('POST', WIDGETS_PATH, widget('a'));

  expect(watch(WIDGETS_PATH).lines).toEqual(['ADDED a@7']);
  expect(watch(WIDGETS_PATH, { resourceVersion: '0' }).lines).toEqual(['ADDED a@7']);
});

it('starts from now when initial events are declined (99)', () => {
  const { request, watch } = testServer();
  request('POST', WIDGETS_PATH, widget('a'));

  const open = watch(WIDGETS_PATH, { sendInitialEvents: 'false', resourceVersionMatch: 'NotOlderThan' });
  request('POST', WIDGETS_PATH, widget('b'));

  expect(open.lines).toEqual(['ADDED b@8']);
});

it('refuses options that do not fit as 422 (98)', () => {
  const { watch } = testServer();

  const open = watch(WIDGETS_PATH, { sendInitialEvents: 'true' });

  expect(open.answers).toMatchObject([{ code: 422 }]);
});

it('waits silently for a future version (90)', () => {
  const { request, watch } = testServer();

  const open = watch(WIDGETS_PATH, { resourceVersion: '8' });
  for (const name of ['a', 'b', 'c']) request('POST', WIDGETS_PATH, widget(name));

  expect(open.lines).toEqual(['ADDED c@9']);
});

it('answers an expired version with 410 inside the stream and ends (90, 166)', () => {
  const { request, server, watch } = testServer();
  for (const name of ['a', 'b', 'c']) request('POST', WIDGETS_PATH, widget(name));
  server.expireBefore(8);

  const open = watch(WIDGETS_PATH, { resourceVersion: '7' });

  expect(open.events).toMatchObject([
    {
      type: 'ERROR',
      object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version: 7 (8)' },
    },
  ]);
  expect(open.ended).toBe(true);
  expect(watch(WIDGETS_PATH, { resourceVersion: '8' }).lines).toEqual(['ADDED c@9']);
});

it('expires versions beyond the history window (96)', () => {
  const { request, watch, server } = testServer({ historyMax: 5 });
  const from = server.revision;
  for (let index = 0; index < 20; index++) request('POST', WIDGETS_PATH, widget(`w${index}`));

  expect(watch(WIDGETS_PATH, { resourceVersion: String(from) }).lines).toEqual(['ERROR 410']);
  expect(watch(WIDGETS_PATH, { resourceVersion: String(server.revision - 5) }).lines).toHaveLength(5);
});

it('turns label changes into ADDED, MODIFIED and DELETED (89, 139)', () => {
  const { request, watch, server } = testServer();
  request('POST', WIDGETS_PATH, widget('a', { size: 1 }));
  const open = watch(WIDGETS_PATH, { resourceVersion: String(server.revision), labelSelector: 'on=yes' });

  request('PATCH', `${WIDGETS_PATH}/a`, label('yes'), MERGE);
  request('PATCH', `${WIDGETS_PATH}/a`, { spec: { size: 2 } }, MERGE);
  request('PATCH', `${WIDGETS_PATH}/a`, { spec: { size: 3 }, ...label('no') }, MERGE);
  request('DELETE', `${WIDGETS_PATH}/a`);

  expect(open.lines).toEqual(['ADDED a@8', 'MODIFIED a@9', 'DELETED a@10']);
  expect(open.events[2]?.object).toMatchObject({ spec: { size: 2 }, metadata: { labels: { on: 'yes' } } });
});

it('watches one name (99)', () => {
  const { request, watch, server } = testServer();

  const open = watch(WIDGETS_PATH, { resourceVersion: String(server.revision), fieldSelector: 'metadata.name=b' });
  for (const name of ['a', 'b']) request('POST', WIDGETS_PATH, widget(name));

  expect(open.lines).toEqual(['ADDED b@8']);
});

it('sends bookmarks at the current revision when enabled (94)', () => {
  const { request, watch, server } = testServer();
  const resourceVersion = String(server.revision);
  const asked = watch(WIDGETS_PATH, { resourceVersion, allowWatchBookmarks: 'true' });
  const silent = watch(WIDGETS_PATH, { resourceVersion });
  request('POST', CONFIGMAPS_PATH, configMap('a'));

  server.sendBookmarks();

  expect(asked.events).toEqual([
    {
      type: 'BOOKMARK',
      object: { kind: 'Widget', apiVersion: 'example.com/v1', metadata: { resourceVersion: String(server.revision) } },
    },
  ]);
  expect(silent.events).toEqual([]);
});

it('delivers revisions in order to every watch even when a listener writes (100)', () => {
  const { request, server } = testServer();
  const seen: string[] = [];
  const listen = (name: string, react: () => void): void => {
    server.send(
      {
        method: 'GET',
        path: WIDGETS_PATH,
        query: { watch: '1', resourceVersion: String(server.revision) },
        headers: {},
      },
      {
        answer: () => {},
        open: () => {},
        event: ({ object }) => {
          seen.push(`${name} ${String((object.metadata as { resourceVersion?: string }).resourceVersion)}`);
          react();
        },
        end: () => {},
      },
    );
  };
  let written = false;
  listen('first', () => {
    if (written) return;
    written = true;
    request('POST', WIDGETS_PATH, widget('b'));
  });
  listen('second', () => {});

  request('POST', WIDGETS_PATH, widget('a'));

  expect(seen).toEqual(['first 7', 'second 7', 'first 8', 'second 8']);
});

it('delivers nothing after it was closed', () => {
  const { request, watch, server } = testServer();
  const open = watch(WIDGETS_PATH, { resourceVersion: String(server.revision) });

  open.close();
  request('POST', WIDGETS_PATH, widget('a'));

  expect(open.events).toEqual([]);
});

it('is dropped without an event when the server is restored', () => {
  const { request, watch, server } = testServer();
  const snapshot = server.snapshot();
  const open = watch(WIDGETS_PATH, { resourceVersion: String(server.revision) });

  server.restore(snapshot);
  request('POST', WIDGETS_PATH, widget('a'));

  expect([open.events, open.ended]).toEqual([[], false]);
});

it('is a plain get when the path names an object, except on the legacy path (87)', () => {
  const { request, watch } = testServer();
  for (const name of ['a', 'b']) request('POST', WIDGETS_PATH, widget(name));

  expect(watch(`${WIDGETS_PATH}/a`).answers).toMatchObject([{ code: 200, body: { kind: 'Widget' } }]);
  expect(watch('/apis/example.com/v1/watch/namespaces/default/widgets/a').lines).toEqual(['ADDED a@7']);
});

describe('watches of built-in kinds', () => {
  it('send bookmarks with all fields of an empty Go object (120)', () => {
    const { server, watch } = testServer();
    const { events } = watch('/apis/apps/v1/namespaces/default/replicasets', { allowWatchBookmarks: 'true' });
    server.sendBookmarks();

    expect(events.at(-1)).toMatchObject({
      type: 'BOOKMARK',
      object: { spec: { selector: null, template: { spec: { containers: null } } }, status: { replicas: 0 } },
    });
  });

  it('warn of deprecated kinds when they open (120)', () => {
    const { server } = testServer();
    const opened: unknown[] = [];
    const close = server.send(
      { method: 'GET', path: '/api/v1/namespaces/default/endpoints', query: { watch: 'true' }, headers: {} },
      { answer: () => {}, open: (headers) => opened.push(headers), event: () => {}, end: () => {} },
    );
    close();

    expect(opened).toEqual([
      { warning: '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"' },
    ]);
  });
});
