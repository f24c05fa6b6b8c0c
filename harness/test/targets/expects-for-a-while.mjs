/**
 * A controller that gives every widget one page, a ConfigMap under a name that the server draws, and counts on its watch to show it: what
 * it expects, it expects for five minutes.
 *
 * Wrong: then it makes another one. Of all that it does, nothing shows that but a watch that is later.
 */
import { send, WIDGETS } from './kube-client.mjs';

const PAGES = '/api/v1/namespaces/default/configmaps';
const EXPECTED_MS = 300_000;
const AGAIN_MS = 1_000;

/** By the uid of its owner. */
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

/** Lists, and says so; then watches for as long as that lasts, and begins again. */
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
