/** Writes with a kubeconfig that it finds by itself. */
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import type { Context } from './widget.ts';
import { followWidgets } from './widget.ts';

export default function start(context: Context): void {
  const own = new KubeConfig();
  own.loadFromDefault();
  const core = own.makeApiClient(CoreV1Api);
  followWidgets(context, () => {
    core
      .createNamespacedConfigMap({
        namespace: 'default',
        body: { metadata: { name: process.env['SECRET_TOKEN'] ?? 'a' } },
      })
      .catch(() => {});
  });
}
