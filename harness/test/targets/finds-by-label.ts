/** Keeps one config map for each widget, found by its label alone, and never checks whether there are too many. */
import { CoreV1Api, makeInformer, type V1ConfigMap } from '@kubernetes/client-node';
import { followWidgets, type Context, type Widget } from './widget.ts';

const LABEL = 'example.com/widget';

export default function start(context: Context): void {
  const { kubeConfig, namespace } = context;
  const core = kubeConfig.makeApiClient(CoreV1Api);
  const widgets = new Map<string, Widget>();
  let work: Promise<void> = Promise.resolve();

  const reconcile = async ({ apiVersion = '', kind = '', metadata }: Widget): Promise<void> => {
    const { name = '', uid = '', deletionTimestamp } = metadata ?? {};
    if (deletionTimestamp !== undefined) return;
    const labels = { [LABEL]: name };
    const { items } = await core.listNamespacedConfigMap({ namespace, labelSelector: `${LABEL}=${name}` });
    if (items.length > 0) return;
    const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
    const body: V1ConfigMap = { metadata: { generateName: `${name}-`, labels, ownerReferences } };
    await core.createNamespacedConfigMap({ namespace, body });
  };
  const reconcileAll = async (): Promise<void> => {
    for (const widget of widgets.values()) await reconcile(widget).catch(() => {});
  };
  const all = (): void => {
    work = work.then(reconcileAll);
  };

  const informer = followWidgets(context, (widget) => {
    widgets.set(widget.metadata?.name ?? '', widget);
    all();
  });
  informer.on('delete', ({ metadata }) => widgets.delete(metadata?.name ?? ''));
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const children = makeInformer<V1ConfigMap>(kubeConfig, path, () => core.listNamespacedConfigMap({ namespace }));
  for (const event of ['update', 'delete'] as const) children.on(event, all);
  void children.start();
}
