/**
 * The entry point of a campaign's worker threads, which get properties and writers from the registry.
 *
 * Each thread must enable its own compile cache before any import, because earlier imports are not cached.
 */
import module from 'node:module';

module.enableCompileCache();
const [{ runWorker }, { registry }] = await Promise.all([
  import('../execution/worker/worker-main.ts'),
  import('./registry.ts'),
]);
await runWorker(registry);
