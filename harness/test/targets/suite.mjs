// A minimal test suite of a user: a watch, a write, another write with an outdated version, and a deletion.
import { CoreV1Api, KubeConfig, Watch } from '@kubernetes/client-node';

const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);
const namespace = 'default';
const metadata = { name: 'suite' };

const told = [];
let wake = () => {};
const watch = await new Watch(config).watch(
  '/api/v1/namespaces/default/configmaps',
  { resourceVersion: (await core.listNamespacedConfigMap({ namespace })).metadata.resourceVersion },
  (type) => {
    told.push(type);
    wake();
  },
  () => {},
);
const body = await core.createNamespacedConfigMap({ namespace, body: { metadata } });
await core.replaceNamespacedConfigMap({ namespace, name: 'suite', body: { ...body, data: { n: '1' } } });
await core
  .replaceNamespacedConfigMap({ namespace, name: 'suite', body: { ...body, data: { n: '2' } } })
  .catch((error) => console.log(`refused with ${error.code}`));
await core.deleteNamespacedConfigMap({ namespace, name: 'suite' });
while (told.length < 3) await new Promise((resolve) => (wake = resolve));
console.log(told.join(' '));
watch.abort();
process.exit(process.argv[2] === 'fails' ? 7 : 0);
