/** Writes the time of its last check to the status every five minutes: no other client writes that field, and each value is new. */
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
      // A widget that no longer exists is not checked again.
      api
        .patchNamespacedCustomObjectStatus({ ...WIDGETS, namespace, name, body }, asMergePatch)
        .catch(() => known.delete(name));
    }
  }, EVERY_MS);
}
