/**
 * A controller that creates a page for each widget, a ConfigMap, and has a timer every 20 ms that does nothing, as runtimes do.
 *
 * Wrong: it does not watch its pages, so that a deleted one stays away.
 */
import { send, WIDGETS } from './kube-client.mjs';

const PAGES = '/api/v1/namespaces/default/configmaps';

setInterval(() => {}, 20);

async function reconcile({
  apiVersion = 'example.com/v1',
  kind = 'Widget',
  metadata: { name, uid, deletionTimestamp },
}) {
  if (deletionTimestamp !== undefined) return;
  const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
  await send('POST', PAGES, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ownerReferences } });
}

for (;;) {
  try {
    const { body } = await send('GET', WIDGETS);
    for (const item of body.items) await reconcile(item);
    const from = body.metadata.resourceVersion;
    await send('GET', `${WIDGETS}?watch=1&resourceVersion=${from}`, undefined, ({ type, object }) => {
      if (type === 'ADDED') void reconcile(object).catch(() => {});
    });
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
