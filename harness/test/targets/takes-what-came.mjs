/**
 * A controller that keeps a page for every widget: a ConfigMap of the same name.
 *
 * Wrong: treats partial data as complete. It parses a list as far as the list had arrived when the connection closed, and watch events as
 * far as they have arrived whenever it reads.
 */
import { begin, send, WIDGETS } from './kube-client.mjs';

const PAGES = '/api/v1/namespaces/default/configmaps';
const LABEL = 'example.com/widget';
/** More than the 16 KB of a TLS record: a single record arrives either completely or not at all. */
const TEXT = 'page '.repeat(4_000);

async function list(path) {
  const answer = await begin(path);
  let text = '';
  answer.setEncoding('utf8').on('data', (piece) => (text += piece));
  return new Promise((resolve) => answer.on('close', () => resolve(JSON.parse(text))));
}

async function watch(path, onEvent) {
  const answer = await begin(path);
  const look = () => {
    const lines = answer.read()?.trimEnd().split('\n') ?? [];
    for (const line of lines) onEvent(JSON.parse(line));
  };
  answer.setEncoding('utf8').on('readable', () => setImmediate(look));
  return new Promise((resolve) => answer.on('close', resolve));
}

async function reconcile(name) {
  const { items } = await list(PAGES);
  if (items.some(({ metadata }) => metadata.name === name)) return;
  const metadata = { name, labels: { [LABEL]: name } };
  await send('POST', PAGES, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: TEXT } });
}

let work = Promise.resolve();

async function follow(path, widgetOf) {
  const look = (object) => {
    const widget = widgetOf(object.metadata);
    if (widget !== undefined) work = work.then(() => reconcile(widget).catch(() => {}));
  };
  const { items, metadata } = await list(path);
  for (const item of items) look(item);
  await watch(`${path}?watch=1&resourceVersion=${metadata.resourceVersion}`, ({ type, object }) => {
    if (type === 'ADDED' || type === 'MODIFIED') look(object);
  });
}

async function always(...followed) {
  for (;;) await follow(...followed).catch(() => new Promise((resolve) => setTimeout(resolve, 100)));
}

void always(WIDGETS, ({ name }) => name);
void always(PAGES, ({ labels }) => labels?.[LABEL]);
