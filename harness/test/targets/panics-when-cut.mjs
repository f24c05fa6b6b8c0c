/** A controller that copies each widget's replica count into a label, and crashes when a watch fails. */
import { send, WIDGETS } from './kube-client.mjs';

let work = Promise.resolve();

function reconcile({ metadata, spec }) {
  const replicas = String(spec?.replicas ?? 0);
  if (metadata.labels?.replicas === replicas || metadata.deletionTimestamp !== undefined) return;
  const labels = { replicas };
  work = work.then(() => send('PATCH', `${WIDGETS}/${metadata.name}`, { metadata: { labels } })).catch(() => {});
}

async function listAndWatch() {
  const { body } = await send('GET', WIDGETS);
  for (const item of body.items) reconcile(item);
  const from = body.metadata.resourceVersion;
  await send('GET', `${WIDGETS}?watch=1&resourceVersion=${from}`, undefined, ({ type, object }) => {
    if (type === 'ADDED' || type === 'MODIFIED') reconcile(object);
  }).catch(({ message }) => {
    console.error(`panic: the watch ended with "${message}"`);
    process.exit(2);
  });
}

for (;;) await listAndWatch().catch(() => new Promise((resolve) => setTimeout(resolve, 100)));
