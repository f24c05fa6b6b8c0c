/** Keeps a ConfigMap for each Widget, with the caches of two informers. */
import { CoreV1Api, CustomObjectsApi, KubeConfig, makeInformer } from '@kubernetes/client-node';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const core = kubeConfig.makeApiClient(CoreV1Api);
const custom = kubeConfig.makeApiClient(CustomObjectsApi);

/** An informer that restarts a second after its list or watch has failed; this client library leaves both to its user. */
function follow(path, list) {
  const start = () => void informer.start().catch(() => undefined);
  const again = (error) => {
    console.error(`informer failed: ${error.message}`);
    setTimeout(start, 1000);
  };
  const informer = makeInformer(kubeConfig, path, async () => {
    try {
      return await list();
    } catch (error) {
      again(error);
      throw error;
    }
  });
  for (const event of ['add', 'update', 'delete']) informer.on(event, () => void wake());
  informer.on('error', again);
  setImmediate(start);
  return informer;
}

// The rejection of a list has been handled above.
process.on('unhandledRejection', () => undefined);

let isRunning = false;
let isDue = false;

const widgets = follow('/apis/example.com/v1/namespaces/default/widgets', () =>
  custom.listNamespacedCustomObject('example.com', 'v1', 'default', 'widgets'),
);
const configMaps = follow('/api/v1/namespaces/default/configmaps', () => core.listNamespacedConfigMap('default'));

async function reconcile() {
  for (const widget of widgets.list()) {
    const { name, uid, deletionTimestamp } = widget.metadata;
    if (deletionTimestamp !== undefined) continue;
    const isOurs = ({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid);
    if (configMaps.list().some(isOurs)) continue;
    const owner = { apiVersion: 'example.com/v1', kind: 'Widget', name, uid, controller: true };
    await core.createNamespacedConfigMap('default', {
      metadata: { name: `${name}-${uid.slice(0, 8)}`, ownerReferences: [owner] },
    });
  }
}

/** Runs one reconcile at a time, and repeats it until it succeeds. */
async function wake() {
  isDue = true;
  if (isRunning) return;
  isRunning = true;
  while (isDue) {
    isDue = false;
    try {
      await reconcile();
    } catch (error) {
      const status = error.response?.statusCode;
      if (status === 409) continue;
      console.error(`reconcile failed: ${status ?? error.message}`);
      setTimeout(() => void wake(), 1000);
    }
  }
  isRunning = false;
}
