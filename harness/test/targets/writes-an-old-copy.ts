/** Every five minutes, writes the copy that it read at the last change of the spec, with the newest version. */
import { CustomObjectsApi } from '@kubernetes/client-node';
import type { Context, Widget } from './widget.ts';
import { followWidgets, WIDGETS } from './widget.ts';

const EVERY_MS = 300_000;

export default function start(context: Context): void {
  const { kubeConfig, namespace } = context;
  const api = kubeConfig.makeApiClient(CustomObjectsApi);
  const copies = new Map<string, Widget>();
  followWidgets(context, (widget) => {
    const name = widget.metadata?.name ?? '';
    if (copies.get(name)?.metadata?.generation !== widget.metadata?.generation) copies.set(name, widget);
  });
  const write = async (name: string, copy: Widget): Promise<void> => {
    const { metadata } = (await api.getNamespacedCustomObject({ ...WIDGETS, namespace, name })) as Widget;
    const body = { ...copy, metadata: { ...copy.metadata, resourceVersion: metadata?.resourceVersion ?? '' } };
    await api.replaceNamespacedCustomObject({ ...WIDGETS, namespace, name, body });
  };
  // If the write is rejected, the next one tries again.
  setInterval(() => copies.forEach((copy, name) => void write(name, copy).catch(() => {})), EVERY_MS);
}
