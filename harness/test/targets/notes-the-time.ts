/** Notes in the status, every five minutes, that it has looked: nobody else writes there, and each note is another. */
import { CustomObjectsApi, setHeaderOptions } from '@kubernetes/client-node';
import type { Context, Widget } from './widget.ts';
import { followWidgets, WIDGETS } from './widget.ts';

const EVERY_MS = 300_000;

export default function start(context: Context): void {
  const { kubeConfig, namespace } = context;
  const api = kubeConfig.makeApiClient(CustomObjectsApi);
  const known = new Map<string, Widget>();
  followWidgets(context, (widget) => known.set(widget.metadata?.name ?? '', widget));
  setInterval(() => {
    for (const name of known.keys()) {
      const body = { status: { seen: Date.now() } };
      const asMergePatch = setHeaderOptions('Content-Type', 'application/merge-patch+json');
      // One that is gone is not looked at any more.
      api
        .patchNamespacedCustomObjectStatus({ ...WIDGETS, namespace, name, body }, asMergePatch)
        .catch(() => known.delete(name));
    }
  }, EVERY_MS);
}
