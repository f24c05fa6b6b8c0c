/**
 * A controller that creates one page for each widget: a ConfigMap with a generated name. After a create, it expects the page to appear in
 * its watch, for up to five minutes.
 *
 * Wrong: when the expectation expires, it creates another page. Only a watch that lags by more than five minutes reveals this.
 */
import { send, WIDGETS } from './kube-client.mjs';

const PAGES = '/api/v1/namespaces/default/configmaps';
const EXPECTED_MS = 300_000;
const AGAIN_MS = 1_000;

/** Names of pages, by the uid of the widget that owns them. */
const pages = new Map();
const widgets = new Map();
const expected = new Map();

async function settle(uid) {
  const widget = widgets.get(uid);
  if (widget === undefined || pages.has(uid) || expected.has(uid)) return;
  const ended = (afterMs) =>
    setTimeout(() => {
      expected.delete(uid);
      void settle(uid);
    }, afterMs);
  expected.set(uid, ended(EXPECTED_MS));
  const { apiVersion = 'example.com/v1', kind = 'Widget', metadata } = widget;
  const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid, controller: true }];
  const page = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { generateName: `${metadata.name}-`, ownerReferences },
  };
  const { code } = await send('POST', PAGES, page).catch(() => ({ code: 0 }));
  if (code === 201 || !expected.has(uid)) return;
  clearTimeout(expected.get(uid));
  expected.set(uid, ended(AGAIN_MS));
}

function met(uid) {
  clearTimeout(expected.get(uid));
  expected.delete(uid);
}

function onPage({ type, object: { metadata } }) {
  const uid = metadata.ownerReferences?.[0]?.uid;
  if (uid === undefined) return;
  if (type === 'DELETED' && pages.get(uid) === metadata.name) pages.delete(uid);
  else if (type !== 'DELETED') {
    pages.set(uid, metadata.name);
    met(uid);
  }
  void settle(uid);
}

function onWidget({ type, object }) {
  const { uid, deletionTimestamp } = object.metadata;
  if (type === 'DELETED' || deletionTimestamp !== undefined) widgets.delete(uid);
  else widgets.set(uid, object);
  void settle(uid);
}

/** Lists and watches, for ever. Calls `listed` after each list, and lists again whenever the watch ends. */
async function follow(path, known, on, listed) {
  for (;;) {
    try {
      const { body } = await send('GET', path);
      known.clear();
      for (const object of body.items) on({ type: 'ADDED', object });
      listed();
      const query = `watch=1&resourceVersion=${body.metadata.resourceVersion}`;
      await send('GET', `${path}?${query}`, undefined, (event) => {
        if (event.type !== 'ERROR') on(event);
      });
    } catch {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

await new Promise((listed) => void follow(PAGES, pages, onPage, listed));
void follow(WIDGETS, widgets, onWidget, () => {});
