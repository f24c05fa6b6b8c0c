/** Writes the time of day into its status whenever it sees its object: each write is a change that wakes it again. */
import { CustomObjectsApi } from '@kubernetes/client-node';
import type { Context } from './widget.ts';
import { followWidgets, WIDGETS } from './widget.ts';

export default function start(context: Context): void {
  const { kubeConfig, namespace } = context;
  const api = kubeConfig.makeApiClient(CustomObjectsApi);
  followWidgets(context, (widget) => {
    const name = widget.metadata?.name ?? '';
    const body = { ...widget, status: { seen: Date.now() } };
    // A refusal is followed by an event that says why.
    api.replaceNamespacedCustomObjectStatus({ ...WIDGETS, namespace, name, body }).catch(() => {});
  });
}
