/**
 * Wrong: it creates one Pod a second, to limit the load on the cluster, and does not read the pool again in between.
 *
 * A pool that is deleted meanwhile still gets its remaining Pods, long after the watch has delivered the deletion.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { sleep } from '../../lib/retry.ts';
import { readLive } from '../common/api.ts';
import { newPod, podNames } from '../common/pods.ts';
import { type Clients, runWorkerPools } from '../common/run.ts';
import type { WorkerPool } from '../common/types.ts';
import { report, scale as scaleAtOnce } from '../correct/controller.ts';

const PAUSE_MS = 1000;

async function scale(clients: Clients, cached: WorkerPool): Promise<boolean> {
  const { core, custom, namespace } = clients;
  const pool = await readLive(custom, cached);
  if (pool === undefined) return false;
  const { items } = await core.listNamespacedPod({ namespace });
  const there = new Set(items.map(({ metadata }) => metadata?.name));
  for (const name of podNames(pool)) {
    if (there.has(name)) continue;
    await core.createNamespacedPod({ namespace, body: newPod(pool, { name }) });
    await sleep(PAUSE_MS);
  }
  return scaleAtOnce(clients, cached);
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runWorkerPools(context, { scale, report });
}
