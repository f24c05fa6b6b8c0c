/**
 * Runs the Bucket controller of ../../buckets/correct against the API server in KUBECONFIG, until it gets a signal.
 *
 * The controller and its informers are written for client-node 2 and also run on 1.4: ./client-node-1 pins that version, and
 * scripts/languages.ts copies the sources next to its node_modules.
 */
import { KubeConfig } from '@kubernetes/client-node';
import start from '../../buckets/correct/controller.ts';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const ended = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    ended.abort();
    // Sockets of stopped watches may still be open.
    process.exit(0);
  });
}
await start({ kubeConfig, namespace: 'default', signal: ended.signal });
