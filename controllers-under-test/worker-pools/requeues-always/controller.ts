/**
 * Wrong: it requeues the pool after every reconcile, "to be on the safe side", and writes the time into the status.
 *
 * An unchanged pool causes requests and a new resourceVersion twice a second, forever.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { retryOnConflict } from '../../lib/retry.ts';
import { readLive, replaceStatus } from '../common/api.ts';
import { nameOf } from '../common/pods.ts';
import { type Clients, runWorkerPools } from '../common/run.ts';
import { statusFor } from '../common/status.ts';
import type { WorkerPool } from '../common/types.ts';
import { scale } from '../correct/controller.ts';

const AGAIN_MS = 500;

async function report({ custom, pods, namespace, queue }: Clients, pool: WorkerPool): Promise<void> {
  await retryOnConflict(async () => {
    const live = await readLive(custom, pool);
    if (live === undefined) return;
    const status = statusFor(live, pods.list(namespace));
    const lastChecked = `${new Date().toISOString().slice(0, 19)}Z`;
    await replaceStatus(custom, live, { ...status, lastChecked });
  });
  queue.addAfter(nameOf(pool), AGAIN_MS);
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runWorkerPools(context, { scale, report });
}
