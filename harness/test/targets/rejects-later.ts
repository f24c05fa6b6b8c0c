/** Writes without waiting for the answer: a conflict becomes an unhandled rejection. */
import { CustomObjectsApi } from '@kubernetes/client-node';
import type { Context } from './widget.ts';
import { followWidgets, WIDGETS } from './widget.ts';

export default function start(context: Context): void {
  const api = context.kubeConfig.makeApiClient(CustomObjectsApi);
  followWidgets(context, (widget) => {
    const seen = widget.spec?.replicas ?? 0;
    if (widget.status?.seen === seen) return;
    const body = { ...widget, status: { seen } };
    void api.replaceNamespacedCustomObjectStatus({
      ...WIDGETS,
      namespace: context.namespace,
      name: widget.metadata?.name ?? '',
      body,
    });
  });
}
