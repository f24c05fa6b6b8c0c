/**
 * A controller as a program of its own that never watches: it lists all widgets twice a second, and keeps one finalizer on each. With
 * "careless" as its argument it sets the whole list, and says nothing of the version that it has seen.
 */
import { send, WIDGETS } from './kube-client.mjs';

const MINE = 'example.com/cleanup';
const careless = process.argv[2] === 'careless';

async function reconcile({ metadata: { name, resourceVersion, deletionTimestamp, finalizers = [] } }) {
  const wanted = deletionTimestamp === undefined;
  if (finalizers.includes(MINE) === wanted) return;
  const others = careless ? [] : finalizers.filter((finalizer) => finalizer !== MINE);
  const metadata = { finalizers: wanted ? [...others, MINE] : others, ...(careless ? {} : { resourceVersion }) };
  await send('PATCH', `${WIDGETS}/${name}`, { metadata });
}

for (;;) {
  try {
    const { body } = await send('GET', WIDGETS);
    for (const item of body.items) await reconcile(item);
  } catch {
    // The next round looks again.
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
}
