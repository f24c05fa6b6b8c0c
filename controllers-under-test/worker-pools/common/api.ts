/** Reads and writes WorkerPools and their Pods. client-node has no types for custom resources, so results are cast here. */
import type { CustomObjectsApi, V1Pod } from '@kubernetes/client-node';
import { isConflict, orUndefined } from '../../lib/errors.ts';
import { nameOf } from './pods.ts';
import type { Clients } from './run.ts';
import { POOLS, type WorkerPool, type WorkerPoolStatus } from './types.ts';

/** The current pool; undefined if it was deleted or recreated, or is terminating. */
export async function readLive(custom: CustomObjectsApi, pool: WorkerPool): Promise<WorkerPool | undefined> {
  const live = (await orUndefined(custom.getNamespacedCustomObject(pathOf(pool)))) as WorkerPool | undefined;
  const isThere = live?.metadata?.uid === pool.metadata?.uid && live?.metadata?.deletionTimestamp === undefined;
  return isThere ? live : undefined;
}

/** Replaces the status of exactly this version; fails with a conflict if there is a newer one. */
export async function replaceStatus(
  custom: CustomObjectsApi,
  pool: WorkerPool,
  status: WorkerPoolStatus,
): Promise<void> {
  const body = { ...pool, status };
  await orUndefined(custom.replaceNamespacedCustomObjectStatus({ ...pathOf(pool), body }));
}

/** Deletes a Pod. The UID precondition protects a new Pod with the same name. */
export async function removePod({ core, namespace }: Clients, pod: V1Pod): Promise<void> {
  const uid = pod.metadata?.uid ?? '';
  try {
    await orUndefined(core.deleteNamespacedPod({ name: nameOf(pod), namespace, body: { preconditions: { uid } } }));
  } catch (error) {
    // Another Pod has the name now, so this one is already gone.
    if (!isConflict(error)) throw error;
  }
}

export function pathOf(pool: WorkerPool): typeof POOLS & { readonly namespace: string; readonly name: string } {
  return { ...POOLS, namespace: pool.metadata?.namespace ?? '', name: nameOf(pool) };
}
