/**
 * Wrong: it writes the resourceVersion of the pool that it read into the status, and reconciles on every change.
 *
 * Its own status write is a change. A generation predicate, or the generation in the status instead, would end the loop.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { retryOnConflict } from '../../lib/retry.ts';
import { readLive, replaceStatus } from '../common/api.ts';
import { type Clients, runWorkerPools } from '../common/run.ts';
import { statusFor } from '../common/status.ts';
import type { WorkerPool } from '../common/types.ts';
import { scale } from '../correct/controller.ts';

async function report({ custom, pods, namespace }: Clients, pool: WorkerPool): Promise<void> {
  await retryOnConflict(async () => {
    const live = await readLive(custom, pool);
    if (live === undefined) return;
    const status = statusFor(live, pods.list(namespace));
    const observedVersion = live.metadata?.resourceVersion ?? '';
    await replaceStatus(custom, live, { ...status, observedVersion });
  });
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runWorkerPools(context, { scale, report });
}
