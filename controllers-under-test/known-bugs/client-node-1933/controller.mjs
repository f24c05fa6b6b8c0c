/** Keeps a ConfigMap for each Widget, by the caches of two informers. */
import { CoreV1Api, CustomObjectsApi, KubeConfig, makeInformer } from '@kubernetes/client-node';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const core = kubeConfig.makeApiClient(CoreV1Api);
const custom = kubeConfig.makeApiClient(CustomObjectsApi);

const widgets = makeInformer(kubeConfig, '/apis/example.com/v1/namespaces/default/widgets', () =>
  custom.listNamespacedCustomObject({ group: 'example.com', version: 'v1', namespace: 'default', plural: 'widgets' }),
);
const configMaps = makeInformer(kubeConfig, '/api/v1/namespaces/default/configmaps', () =>
  core.listNamespacedConfigMap({ namespace: 'default' }),
);

async function reconcile() {
  for (const widget of widgets.list()) {
    const { name, uid, deletionTimestamp } = widget.metadata;
    if (deletionTimestamp !== undefined) continue;
    const isOurs = ({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid);
    if (configMaps.list().some(isOurs)) continue;
    const owner = { apiVersion: 'example.com/v1', kind: 'Widget', name, uid, controller: true };
    await core.createNamespacedConfigMap({
      namespace: 'default',
      body: {
        metadata: { name: `${name}-${uid.slice(0, 8)}`, ownerReferences: [owner] },
      },
    });
  }
}

let isRunning = false;
let isDue = false;

/** One at a time, and again until it succeeds. */
async function wake() {
  isDue = true;
  if (isRunning) return;
  isRunning = true;
  while (isDue) {
    isDue = false;
    try {
      await reconcile();
    } catch (error) {
      const status = error.code;
      if (status === 409) continue;
      console.error(`reconcile failed: ${status ?? error.message}`);
      setTimeout(() => void wake(), 1000);
    }
  }
  isRunning = false;
}

for (const informer of [widgets, configMaps]) {
  for (const event of ['add', 'update', 'delete']) informer.on(event, () => void wake());
  const start = () => informer.start().catch(again);
  const again = (error) => {
    console.error(`informer failed: ${error.message}`);
    setTimeout(() => void start(), 1000);
  };
  informer.on('error', again);
  void start();
}
