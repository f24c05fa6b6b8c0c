/** Writes the generation of its object to the status, and resets it five minutes after the last change of the generation. */
import { CustomObjectsApi } from '@kubernetes/client-node';
import type { Context, Widget } from './widget.ts';
import { followWidgets, WIDGETS } from './widget.ts';

const AFTER_MS = 300_000;
/** The pause after the first failure, doubled after each further one. */
const AGAIN_MS = 100;

export default function start(context: Context): void {
  const { kubeConfig, namespace } = context;
  const api = kubeConfig.makeApiClient(CustomObjectsApi);
  const due = new Map<string, { readonly generation: number; readonly timer: NodeJS.Timeout }>();

  const say = async (name: string, generation: number, seen: number, pauseMs = AGAIN_MS): Promise<void> => {
    try {
      const widget = (await api.getNamespacedCustomObject({ ...WIDGETS, namespace, name })) as Widget;
      if (widget.metadata?.generation !== generation || (widget.status?.seen ?? 0) === seen) return;
      const body = { ...widget, status: { seen } };
      await api.replaceNamespacedCustomObjectStatus({ ...WIDGETS, namespace, name, body });
    } catch (error) {
      if ((error as { readonly code?: number }).code === 404) return;
      setTimeout(() => void say(name, generation, seen, 2 * pauseMs), pauseMs);
    }
  };

  followWidgets(context, ({ metadata }) => {
    const { name = '', generation = 0 } = metadata ?? {};
    const known = due.get(name);
    if (known?.generation === generation) return;
    clearTimeout(known?.timer);
    due.set(name, { generation, timer: setTimeout(() => void say(name, generation, 0), AFTER_MS) });
    void say(name, generation, generation);
  });
}
