/**
 * Runs a controller of this folder as a process of its own, against the server in KUBECONFIG, until it gets a SIGTERM: `node
 * controllers-under-test/lib/as-process.ts buckets/correct/controller.ts`. A second argument is the address of the service outside of the
 * cluster, for controllers that need one. For tests of targets that are processes.
 */
import { KubeConfig } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from './controller.ts';

const [module = '', effects] = process.argv.slice(2);
const { default: start } = (await import(new URL(`../${module}`, import.meta.url).href)) as {
  readonly default: (context: ControllerContext) => Promise<RunningController>;
};
const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const ended = new AbortController();
process.once('SIGTERM', () => {
  ended.abort();
  process.exit(0);
});
await start({
  kubeConfig,
  namespace: 'default',
  signal: ended.signal,
  ...(effects === undefined ? {} : { effects: { url: effects, fetch } }),
});
