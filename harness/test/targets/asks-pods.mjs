/**
 * A controller that labels each running pod with the output of a command, which it executes in the pod over a WebSocket. At the start, it
 * calls a server outside of the cluster once.
 */
import { get } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Exec, KubeConfig } from '@kubernetes/client-node';
import { send } from './kube-client.mjs';

const PODS = '/api/v1/namespaces/default/pods';
const config = new KubeConfig();
config.loadFromFile(process.env.KUBECONFIG);

await new Promise((resolve) => {
  get('http://vault.example.com:8200/v1/sys/health', (answer) => {
    console.log(`vault answers ${answer.statusCode}`);
    answer.resume().on('end', resolve);
  }).on('error', ({ message }) => {
    console.log(`http://vault.example.com:8200/v1/sys/health: ${message}`);
    resolve();
  });
});

async function roleOf(pod) {
  const stdout = new PassThrough();
  await new Promise((resolve, reject) => {
    const heard = (status) => (status.status === 'Success' ? resolve() : reject(new Error(status.message)));
    new Exec(config).exec('default', pod, 'main', ['role', '--short'], stdout, null, null, false, heard).catch(reject);
  });
  stdout.end();
  return (await text(stdout)).trim();
}

async function reconcile({ metadata, status }) {
  if (status?.phase !== 'Running' || metadata.labels?.role !== undefined || metadata.deletionTimestamp) return;
  const role = await roleOf(metadata.name);
  await send('PATCH', `${PODS}/${metadata.name}`, { metadata: { labels: { role } } });
}

for (;;) {
  try {
    const { body } = await send('GET', PODS);
    for (const pod of body.items) await reconcile(pod);
  } catch (error) {
    console.log(String(error?.message ?? error));
  }
  await new Promise((resolve) => setTimeout(resolve, 2_000));
}
