/**
 * The thin controller on @kubernetes/client-node, written as its author would write it. Measures what the client library costs per trial.
 *
 * For benchmarks only; for controllers to copy, see `controllers-under-test/`.
 */
import { CoreV1Api, CustomObjectsApi, makeInformer } from '@kubernetes/client-node';
import type { KubeConfig, KubernetesListObject, KubernetesObject, V1ConfigMap } from '@kubernetes/client-node';

interface Widget extends KubernetesObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly ready?: number };
}

const WIDGETS = { group: 'example.com', version: 'v1', plural: 'widgets' };

export default function start({ kubeConfig, namespace }: { kubeConfig: KubeConfig; namespace: string }): {
  stop(): void;
} {
  const core = kubeConfig.makeApiClient(CoreV1Api);
  const custom = kubeConfig.makeApiClient(CustomObjectsApi);
  const dirty = new Set<string>();
  let working = false;

  const widgets = makeInformer<Widget>(kubeConfig, `/apis/example.com/v1/namespaces/${namespace}/widgets`, async () => {
    return (await custom.listNamespacedCustomObject({ ...WIDGETS, namespace })) as KubernetesListObject<Widget>;
  });
  const children = makeInformer<V1ConfigMap>(kubeConfig, `/api/v1/namespaces/${namespace}/configmaps`, () =>
    core.listNamespacedConfigMap({ namespace }),
  );

  async function reconcile(name: string): Promise<void> {
    const widget = widgets.get(name, namespace);
    if (widget === undefined) return;
    let ready = 0;
    for (let index = 0; index < (widget.spec?.replicas ?? 0); index++) {
      const child = `${name}-${index}`;
      if (children.get(child, namespace) === undefined) {
        const owner = {
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          name,
          uid: widget.metadata?.uid ?? '',
          controller: true,
        };
        const body = { metadata: { name: child, ownerReferences: [owner] }, data: { of: name } };
        await core.createNamespacedConfigMap({ namespace, body });
      }
      ready++;
    }
    if (widget.status?.ready === ready) return;
    const body = { ...widget, status: { ready } };
    await custom.replaceNamespacedCustomObjectStatus({ ...WIDGETS, namespace, name, body });
  }

  async function work(): Promise<void> {
    if (working) return;
    working = true;
    for (const name of dirty) {
      dirty.delete(name);
      // A failed write is retried on the next event.
      await reconcile(name).catch(() => {});
    }
    working = false;
  }

  const changed = (name: string): void => {
    dirty.add(name);
    void work();
  };
  for (const event of ['add', 'update', 'delete'] as const) {
    widgets.on(event, (widget) => changed(widget.metadata?.name ?? ''));
    children.on(event, (child) => changed((child.metadata?.name ?? '').replace(/-\d+$/, '')));
  }
  void widgets.start();
  void children.start();
  return {
    stop: () => {
      void widgets.stop();
      void children.stop();
    },
  };
}
