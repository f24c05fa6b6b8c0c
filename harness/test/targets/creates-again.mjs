/**
 * A controller that creates one page for each widget: a ConfigMap with a generated name.
 *
 * Wrong: treats a request without an answer as if it had no effect. If a list is not answered in time, it assumes that there are no pages;
 * if a create is not answered, it sends the create again.
 */
import { send, WIDGETS } from './kube-client.mjs';

const PAGES = '/api/v1/namespaces/default/configmaps';
const LABEL = 'example.com/widget';
const ANSWER_MS = 500;
/** Large enough that a list with one page does not fit into a single packet. */
const TEXT = 'page '.repeat(4_000);

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function ask(method, path, body) {
  const late = sleep(ANSWER_MS).then(() => Promise.reject(new Error('no answer in time')));
  return Promise.race([send(method, path, body), late]);
}

async function reconcile(widget) {
  const pages = await ask('GET', PAGES).then(
    ({ body }) => body.items.filter(({ metadata }) => metadata.labels?.[LABEL] === widget),
    () => [],
  );
  if (pages.length > 0) return;
  const metadata = { generateName: `${widget}-`, labels: { [LABEL]: widget } };
  const page = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: TEXT } };
  while ((await ask('POST', PAGES, page).catch(() => ({ code: 0 }))).code !== 201) await sleep(100);
}

let work = Promise.resolve();

async function follow(path, widgetOf) {
  const look = (object) => {
    const widget = widgetOf(object.metadata);
    if (widget !== undefined) work = work.then(() => reconcile(widget));
  };
  const { body } = await send('GET', path);
  for (const item of body.items) look(item);
  const from = body.metadata.resourceVersion;
  await send('GET', `${path}?watch=1&resourceVersion=${from}`, undefined, ({ type, object }) => {
    if (type === 'ADDED' || type === 'MODIFIED') look(object);
  });
}

async function always(...followed) {
  for (;;) await follow(...followed).catch(() => sleep(100));
}

void always(WIDGETS, ({ name }) => name);
void always(PAGES, ({ labels }) => labels?.[LABEL]);
