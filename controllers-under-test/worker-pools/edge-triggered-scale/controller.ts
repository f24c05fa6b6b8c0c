/**
 * Wrong: it acts on the difference between two specs, not on the difference between the spec and the Pods.
 *
 * If a create fails, or a Pod to delete has not reached the cache yet, the difference is lost: no later reconcile makes up for
 * it.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { removePod } from '../common/api.ts';
import { isOwnedBy, isTerminating, nameOf, newPod } from '../common/pods.ts';
import { type Clients, runWorkerPools } from '../common/run.ts';
import type { WorkerPool } from '../common/types.ts';
import { report } from '../correct/controller.ts';

export default function start(context: ControllerContext): Promise<RunningController> {
  /** The replicas of the last reconcile, by UID of the pool. */
  const lastReplicas = new Map<string, number>();

  async function scale(clients: Clients, pool: WorkerPool): Promise<boolean> {
    const { core, pods, namespace } = clients;
    const uid = pool.metadata?.uid ?? '';
    const owned = pods.list(namespace).filter((pod) => isOwnedBy(pod, pool) && !isTerminating(pod));
    const before = lastReplicas.get(uid) ?? owned.length;
    lastReplicas.set(uid, pool.spec.replicas);
    for (let more = pool.spec.replicas - before; more > 0; more--) {
      await core.createNamespacedPod({ namespace, body: newPod(pool, { generateName: `${nameOf(pool)}-worker-` }) });
    }
    const tooMany = Math.max(before - pool.spec.replicas, 0);
    for (const pod of owned.slice(0, tooMany)) await removePod(clients, pod);
    return true;
  }

  return runWorkerPools(context, { scale, report });
}
