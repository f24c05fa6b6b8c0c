/**
 * Runs the Bucket controller of ../../buckets/correct against the server that KUBECONFIG names, until a signal ends it.
 *
 * It and its informers are written for client-node 2 and run on 1.4 as well: ./client-node-1 pins that version, and the driver
 * (scripts/languages.ts) copies the sources beside its node_modules.
 */
import { KubeConfig } from '@kubernetes/client-node';
import start from '../../buckets/correct/controller.ts';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const ended = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    ended.abort();
    // The sockets of stopped watches may still be open.
    process.exit(0);
  });
}
await start({ kubeConfig, namespace: 'default', signal: ended.signal });
