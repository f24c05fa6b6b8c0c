/** The custom resource of the misbehaving targets, and the client they share. Targets import nothing of the harness. */
import { CustomObjectsApi, makeInformer } from '@kubernetes/client-node';
import type { Informer, KubeConfig, KubernetesListObject, KubernetesObject } from '@kubernetes/client-node';

export interface Context {
  readonly kubeConfig: KubeConfig;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

export interface Widget extends KubernetesObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly seen?: number };
}

export const WIDGETS = { group: 'example.com', version: 'v1', plural: 'widgets' };

/** An informer over all widgets that calls `onChange` for every change. */
export function followWidgets(
  { kubeConfig, namespace }: Context,
  onChange: (widget: Widget) => void,
): Informer<Widget> {
  const api = kubeConfig.makeApiClient(CustomObjectsApi);
  const path = `/apis/${WIDGETS.group}/${WIDGETS.version}/namespaces/${namespace}/${WIDGETS.plural}`;
  const informer = makeInformer<Widget>(kubeConfig, path, async () => {
    return (await api.listNamespacedCustomObject({ ...WIDGETS, namespace })) as KubernetesListObject<Widget>;
  });
  informer.on('add', onChange);
  informer.on('update', onChange);
  void informer.start();
  return informer;
}
