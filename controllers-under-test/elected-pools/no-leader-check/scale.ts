/** Scales a pool with Pods that have generated names: correct only for a single process that works on one pool at a time. */
import { readLive, removePod } from '../../worker-pools/common/api.ts';
import { isOwnedBy, isTerminating, newPod } from '../../worker-pools/common/pods.ts';
import type { Clients } from '../../worker-pools/common/run.ts';
import type { WorkerPool } from '../../worker-pools/common/types.ts';

export async function scale(clients: Clients, cached: WorkerPool): Promise<boolean> {
  const { core, custom, pods, namespace } = clients;
  const shown = pods.list(namespace).filter((pod) => isOwnedBy(pod, cached));
  if (shown.length === cached.spec.replicas && !shown.some(isTerminating)) return true;
  const pool = await readLive(custom, cached);
  if (pool === undefined) return false;
  const { items } = await core.listNamespacedPod({ namespace });
  const owned = items.filter((pod) => isOwnedBy(pod, pool));
  // Terminating Pods still count: their deletion will trigger a reconcile.
  for (let count = owned.length; count < pool.spec.replicas; count++) {
    if ((await readLive(custom, pool)) === undefined) return false;
    await core.createNamespacedPod({
      namespace,
      body: newPod(pool, { generateName: `${pool.metadata?.name ?? ''}-` }),
    });
  }
  for (const pod of owned.filter((candidate) => !isTerminating(candidate)).slice(pool.spec.replicas)) {
    await removePod(clients, pod);
  }
  return true;
}
