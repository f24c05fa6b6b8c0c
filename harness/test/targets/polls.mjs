/** A controller as a separate program that never watches: it lists all widgets every two seconds, and keeps one finalizer on each. */
import { send, WIDGETS } from './kube-client.mjs';

const MINE = 'example.com/cleanup';

async function reconcile({ metadata: { name, resourceVersion, deletionTimestamp, finalizers = [] } }) {
  const wanted = deletionTimestamp === undefined;
  if (finalizers.includes(MINE) === wanted) return;
  const others = finalizers.filter((finalizer) => finalizer !== MINE);
  const metadata = { resourceVersion, finalizers: wanted ? [...others, MINE] : others };
  await send('PATCH', `${WIDGETS}/${name}`, { metadata });
}

for (;;) {
  try {
    const { body } = await send('GET', WIDGETS);
    for (const item of body.items) await reconcile(item);
  } catch {
    // The next iteration tries again.
  }
  await new Promise((resolve) => setTimeout(resolve, 2_000));
}
