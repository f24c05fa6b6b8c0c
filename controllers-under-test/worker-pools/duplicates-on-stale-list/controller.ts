/**
 * Wrong: it counts the Pods in its cache and creates the missing ones with generated names.
 *
 * Pods that exist but have not reached the cache yet are created again. The extra Pods are deleted when the cache catches up, but for a
 * while there are more Pods than any spec asked for.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { removePod } from '../common/api.ts';
import { isOwnedBy, isTerminating, nameOf, newPod } from '../common/pods.ts';
import { type Clients, runWorkerPools } from '../common/run.ts';
import type { WorkerPool } from '../common/types.ts';
import { report } from '../correct/controller.ts';

export async function scale(clients: Clients, pool: WorkerPool): Promise<boolean> {
  const { core, pods, namespace } = clients;
  const { replicas } = pool.spec;
  const owned = pods.list(namespace).filter((pod) => isOwnedBy(pod, pool) && !isTerminating(pod));
  for (let count = owned.length; count < replicas; count++) {
    await core.createNamespacedPod({ namespace, body: newPod(pool, { generateName: `${nameOf(pool)}-worker-` }) });
  }
  for (const pod of owned.slice(replicas)) await removePod(clients, pod);
  return true;
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runWorkerPools(context, { scale, report });
}
