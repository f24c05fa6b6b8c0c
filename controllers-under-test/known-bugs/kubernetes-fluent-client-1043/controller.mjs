/** Reports the size of each Widget in its status. The watch of the library lists, reconnects and keeps a cache by itself. */
import { GenericKind, K8s, RegisterKind, WatchEvent } from 'kubernetes-fluent-client';

class Widget extends GenericKind {}
RegisterKind(Widget, { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets' });

async function report(name) {
  const { metadata, spec, status } = await K8s(Widget).InNamespace('default').Get(name);
  if (metadata.deletionTimestamp !== undefined || status?.size === spec.size) return;
  const { namespace, uid, resourceVersion } = metadata;
  await K8s(Widget).PatchStatus({
    metadata: { name, namespace, uid, resourceVersion },
    status: { size: spec.size },
  });
}

/** Repeats it until it succeeds or the Widget is gone. */
async function reportFor(name) {
  for (let pause = 250; ; pause = Math.min(2 * pause, 30_000)) {
    try {
      return await report(name);
    } catch (error) {
      if (error.status === 404) return;
      console.error(`report failed: ${error.status} ${error.statusText}`);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** One report at a time. */
let last = Promise.resolve();

const watcher = K8s(Widget)
  .InNamespace('default')
  .Watch(({ metadata }) => {
    last = last.then(() => reportFor(metadata.name));
  });
for (const event of [WatchEvent.LIST_ERROR, WatchEvent.WATCH_ERROR, WatchEvent.NETWORK_ERROR])
  watcher.events.on(event, (error) => console.error(`${event}: ${error.message ?? error}`));
await watcher.start();
