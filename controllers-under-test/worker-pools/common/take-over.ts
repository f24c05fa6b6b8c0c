/** What to do with a Pod that has the right name but the wrong owner or content. */
import { PatchStrategy, setHeaderOptions, type V1Pod } from '@kubernetes/client-node';
import { controllerOf, isOwnedBy, isTerminating, nameOf, ownerReference, POOL_LABEL } from './pods.ts';
import type { Clients } from './run.ts';
import type { WorkerPool } from './types.ts';

/**
 * Adopts a Pod that has no controller or has lost its label; deletes one with the wrong image, or of an earlier pool with this name. Both
 * requests send the version that was read. `pool` must come from a fresh read, which proves that the earlier pool is gone.
 */
export async function takeOver(clients: Clients, pool: WorkerPool, pod: V1Pod): Promise<void> {
  // Its deletion will trigger a reconcile, which creates the next Pod.
  if (isTerminating(pod)) return;
  const owner = controllerOf(pod);
  if (owner === undefined) return adopt(clients, pool, pod);
  if (isOwnedBy(pod, pool) && pod.metadata?.labels?.[POOL_LABEL] !== nameOf(pool)) return adopt(clients, pool, pod);
  if (owner.kind !== 'WorkerPool' || owner.name !== nameOf(pool)) {
    throw new Error(`pod ${nameOf(pod)} belongs to ${owner.kind} ${owner.name}`);
  }
  const { uid = '', resourceVersion = '' } = pod.metadata ?? {};
  await clients.core.deleteNamespacedPod({
    name: nameOf(pod),
    namespace: clients.namespace,
    body: { preconditions: { uid, resourceVersion } },
  });
}

/** Sets the owner and the label. The patch replaces the whole list of owner references, so it sends the resourceVersion it is based on. */
async function adopt({ core, namespace }: Clients, pool: WorkerPool, pod: V1Pod): Promise<void> {
  const { resourceVersion, ownerReferences = [] } = pod.metadata ?? {};
  const owners = isOwnedBy(pod, pool) ? ownerReferences : [...ownerReferences, ownerReference(pool)];
  const labels = { [POOL_LABEL]: nameOf(pool) };
  await core.patchNamespacedPod(
    { name: nameOf(pod), namespace, body: { metadata: { resourceVersion, labels, ownerReferences: owners } } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  );
}
