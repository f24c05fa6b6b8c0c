/**
 * Wrong: its custom resource has no status subresource, so it updates the status together with the rest of the object.
 *
 * Each such update increments the generation, so the status reports an outdated generation and is written again.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { orUndefined } from '../../lib/errors.ts';
import { retryOnConflict } from '../../lib/retry.ts';
import { pathOf, readLive } from '../common/api.ts';
import { type Clients, runWorkerPools } from '../common/run.ts';
import { statusFor } from '../common/status.ts';
import type { WorkerPool } from '../common/types.ts';
import { scale } from '../correct/controller.ts';

async function report({ custom, pods, namespace }: Clients, pool: WorkerPool): Promise<void> {
  await retryOnConflict(async () => {
    const live = await readLive(custom, pool);
    if (live === undefined) return;
    const status = statusFor(live, pods.list(namespace));
    if (status === live.status) return;
    const body = { ...live, status };
    await orUndefined(custom.replaceNamespacedCustomObject({ ...pathOf(live), body }));
  });
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runWorkerPools(context, { scale, report });
}
