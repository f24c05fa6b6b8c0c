/** What to do with a Pod that has a name of ours but is not as it should be. */
import { PatchStrategy, setHeaderOptions, type V1Pod } from '@kubernetes/client-node';
import { controllerOf, isOwnedBy, isTerminating, nameOf, ownerReference, POOL_LABEL } from './pods.ts';
import type { Clients } from './run.ts';
import type { WorkerPool } from './types.ts';

/**
 * Takes the Pod over if it belongs to nobody, and makes room for a new one if it is unsound or was an earlier pool's of this name.
 * Both are bound to the version that was looked at. `pool` must come from a fresh read: it proves that the earlier one is gone.
 */
export async function takeOver(clients: Clients, pool: WorkerPool, pod: V1Pod): Promise<void> {
  // Its end will be an event, and the next one can be made then.
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

/** Makes owner and label ours. The list of owners is replaced as a whole, so the patch carries the version it was made from. */
async function adopt({ core, namespace }: Clients, pool: WorkerPool, pod: V1Pod): Promise<void> {
  const { resourceVersion, ownerReferences = [] } = pod.metadata ?? {};
  const owners = isOwnedBy(pod, pool) ? ownerReferences : [...ownerReferences, ownerReference(pool)];
  const labels = { [POOL_LABEL]: nameOf(pool) };
  await core.patchNamespacedPod(
    { name: nameOf(pod), namespace, body: { metadata: { resourceVersion, labels, ownerReferences: owners } } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  );
}
