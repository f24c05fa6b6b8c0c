/**
 * The correct WorkerPool controller.
 *
 * The caches only show whether there is work to do. Fresh reads of the pool and its Pods decide what to do, and Pods have fixed names: a
 * stale cache, a lost answer or a second replica of this controller cannot create one Pod too many.
 */
import type { V1Pod } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { retryOnConflict } from '../../lib/retry.ts';
import { readLive, removePod, replaceStatus } from '../common/api.ts';
import { isOwnedBy, isSound, isTerminating, nameOf, newPod, podNames } from '../common/pods.ts';
import { type Clients, runWorkerPools } from '../common/run.ts';
import { statusFor } from '../common/status.ts';
import { takeOver } from '../common/take-over.ts';
import type { WorkerPool } from '../common/types.ts';

/** Creates one missing Pod. */
export type CreatePod = (clients: Clients, pool: WorkerPool, name: string) => Promise<void>;

export async function scale(clients: Clients, cached: WorkerPool, create: CreatePod = createPod): Promise<boolean> {
  const { core, custom, namespace } = clients;
  if (isScaled(cached, clients.pods.list(namespace))) return true;
  const pool = await readLive(custom, cached);
  if (pool === undefined) return false;
  const { items } = await core.listNamespacedPod({ namespace });
  const podByName = new Map(items.map((pod) => [nameOf(pod), pod]));
  const names = podNames(pool);
  for (const name of names) {
    // By now the cache may show that the pool is gone.
    if (!isCurrent(clients, pool)) return false;
    if (!podByName.has(name)) await create(clients, pool, name);
  }
  for (const pod of items) {
    if (isOwnedBy(pod, pool) && !isTerminating(pod) && !names.includes(nameOf(pod))) await removePod(clients, pod);
  }
  for (const name of names) {
    const pod = podByName.get(name);
    if (pod !== undefined && !isSound(pod, pool)) await takeOver(clients, pool, pod);
  }
  return true;
}

async function createPod({ core, namespace }: Clients, pool: WorkerPool, name: string): Promise<void> {
  await core.createNamespacedPod({ namespace, body: newPod(pool, { name }) });
}

function isCurrent({ pools, namespace }: Clients, pool: WorkerPool): boolean {
  const cached = pools.get(nameOf(pool), namespace);
  return cached?.metadata?.uid === pool.metadata?.uid && cached !== undefined && !isTerminating(cached);
}

/** Whether these Pods are the ones in the spec. A terminating Pod still counts: its deletion will trigger a reconcile. */
function isScaled(pool: WorkerPool, pods: readonly V1Pod[]): boolean {
  const names = podNames(pool);
  const owned = pods.filter((pod) => isOwnedBy(pod, pool));
  return owned.length === names.length && owned.every((pod) => isSound(pod, pool) && names.includes(nameOf(pod)));
}

export async function report({ custom, pods, namespace }: Clients, pool: WorkerPool): Promise<void> {
  if (statusFor(pool, pods.list(namespace)) === pool.status) return;
  await retryOnConflict(async () => {
    const live = await readLive(custom, pool);
    // The spec is newer than the cached one and not applied yet: the next reconcile will report it.
    if (live?.metadata?.generation !== pool.metadata?.generation || live === undefined) return;
    const status = statusFor(live, pods.list(namespace));
    if (status !== live.status) await replaceStatus(custom, live, status);
  });
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runWorkerPools(context, { scale, report });
}
