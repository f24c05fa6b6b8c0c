/** Reading and writing WorkerPools and their Pods. client-node has no types for custom resources, so they are given here, once. */
import type { CustomObjectsApi, V1Pod } from '@kubernetes/client-node';
import { isConflict, orUndefined } from '../../lib/errors.ts';
import { nameOf } from './pods.ts';
import type { Clients } from './run.ts';
import { POOLS, type WorkerPool, type WorkerPoolStatus } from './types.ts';

/** The pool as it is now, unless it is gone, made anew, or on its way out: then there is nothing to do for this one. */
export async function readLive(custom: CustomObjectsApi, pool: WorkerPool): Promise<WorkerPool | undefined> {
  const live = (await orUndefined(custom.getNamespacedCustomObject(pathOf(pool)))) as WorkerPool | undefined;
  const isThere = live?.metadata?.uid === pool.metadata?.uid && live?.metadata?.deletionTimestamp === undefined;
  return isThere ? live : undefined;
}

/** Replaces the status of that very version; a conflict says that there is a newer one. */
export async function replaceStatus(
  custom: CustomObjectsApi,
  pool: WorkerPool,
  status: WorkerPoolStatus,
): Promise<void> {
  const body = { ...pool, status };
  await orUndefined(custom.replaceNamespacedCustomObjectStatus({ ...pathOf(pool), body }));
}

/** Deletes this very Pod, not one that has its name by now. */
export async function removePod({ core, namespace }: Clients, pod: V1Pod): Promise<void> {
  const uid = pod.metadata?.uid ?? '';
  try {
    await orUndefined(core.deleteNamespacedPod({ name: nameOf(pod), namespace, body: { preconditions: { uid } } }));
  } catch (error) {
    // The name has gone to another Pod: this one is gone, as wanted.
    if (!isConflict(error)) throw error;
  }
}

export function pathOf(pool: WorkerPool): typeof POOLS & { readonly namespace: string; readonly name: string } {
  return { ...POOLS, namespace: pool.metadata?.namespace ?? '', name: nameOf(pool) };
}
