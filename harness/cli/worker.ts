/** What a worker thread of a campaign starts: everything comes from the registry. */
import { runWorker } from '../execution/worker-main.ts';
import { registry } from './registry.ts';

await runWorker(registry);
