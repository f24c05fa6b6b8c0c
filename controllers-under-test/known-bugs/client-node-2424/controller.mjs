/** Reports the color of each Widget and its observed generation in the status, from the cache of an informer. */
import { CustomObjectsApi, KubeConfig, makeInformer } from '@kubernetes/client-node';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const custom = kubeConfig.makeApiClient(CustomObjectsApi);
const WIDGETS = { group: 'example.com', version: 'v1', namespace: 'default', plural: 'widgets' };

const informer = makeInformer(kubeConfig, '/apis/example.com/v1/namespaces/default/widgets', () =>
  custom.listNamespacedCustomObject(WIDGETS),
);
for (const event of ['add', 'update']) informer.on(event, () => void wake());
informer.on('error', again);

function start() {
  informer.start().catch(again);
}

/** Restarts the informer; the client library leaves that to its user. */
function again(error) {
  console.error(`informer failed: ${error.message}`);
  setTimeout(start, 1000);
}

let isRunning = false;
let isDue = false;

async function reconcile() {
  for (const { metadata, spec, status } of informer.list()) {
    const { name, uid, generation, deletionTimestamp } = metadata;
    if (deletionTimestamp !== undefined || status?.observedGeneration === generation) continue;
    const latest = await custom.getNamespacedCustomObject({ ...WIDGETS, name });
    // Another Widget has this name now.
    if (latest.metadata.uid !== uid) continue;
    const body = { ...latest, status: { ...latest.status, observedGeneration: generation, color: spec.color } };
    await custom.replaceNamespacedCustomObjectStatus({ ...WIDGETS, name, body });
  }
}

/** Runs one reconcile at a time, so that generations are reported in order, and repeats it until it succeeds. */
async function wake() {
  isDue = true;
  if (isRunning) return;
  isRunning = true;
  while (isDue) {
    isDue = false;
    try {
      await reconcile();
    } catch (error) {
      // The Widget was deleted or changed since it was read: the informer will receive that.
      if (error.code === 404 || error.code === 409) continue;
      console.error(`reconcile failed: ${error.code ?? error.message}`);
      setTimeout(() => void wake(), 1000);
    }
  }
  isRunning = false;
}

start();
