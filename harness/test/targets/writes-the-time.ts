/** Writes the time of day to the status on every event of its object: each write causes the next event. */
import { CustomObjectsApi } from '@kubernetes/client-node';
import type { Context } from './widget.ts';
import { followWidgets, WIDGETS } from './widget.ts';

export default function start(context: Context): void {
  const { kubeConfig, namespace } = context;
  const api = kubeConfig.makeApiClient(CustomObjectsApi);
  followWidgets(context, (widget) => {
    const name = widget.metadata?.name ?? '';
    const body = { ...widget, status: { seen: Date.now() } };
    // After a conflict, the event of the newer version triggers the next write.
    api.replaceNamespacedCustomObjectStatus({ ...WIDGETS, namespace, name, body }).catch(() => {});
  });
}
