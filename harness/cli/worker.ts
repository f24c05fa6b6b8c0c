/**
 * What a worker thread of a campaign starts: everything comes from the registry.
 *
 * Threads have a compile cache of their own to switch on, and what is imported before that is not in it.
 */
import module from 'node:module';

module.enableCompileCache();
const [{ runWorker }, { registry }] = await Promise.all([
  import('../execution/worker/worker-main.ts'),
  import('./registry.ts'),
]);
await runWorker(registry);
