/**
 * Runs a controller of this folder as a program of its own, against the server that KUBECONFIG names, until a signal ends it:
 * `node controllers-under-test/lib/as-process.ts buckets/correct/controller.ts`, with the address of the services outside the cluster
 * behind it for those that need one. For whoever tests processes.
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
