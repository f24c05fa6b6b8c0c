/** A minimal controller as a separate program: it keeps one finalizer on every widget, and replaces the whole list of finalizers. */
import { send, WIDGETS } from './kube-client.mjs';

let work = Promise.resolve();

function reconcile({ metadata }) {
  const finalizers = metadata.deletionTimestamp === undefined ? ['example.com/cleanup'] : [];
  const has = (metadata.finalizers ?? []).includes('example.com/cleanup');
  if (has === finalizers.length > 0) return;
  work = work.then(() => send('PATCH', `${WIDGETS}/${metadata.name}`, { metadata: { finalizers } })).catch(() => {});
}

for (;;) {
  try {
    const { body } = await send('GET', WIDGETS);
    for (const item of body.items) reconcile(item);
    const from = body.metadata.resourceVersion;
    await send('GET', `${WIDGETS}?watch=1&resourceVersion=${from}`, undefined, ({ type, object }) => {
      if (type === 'ADDED' || type === 'MODIFIED') reconcile(object);
    });
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
