/**
 * Finds, or makes, the Deployment that a release may write to.
 *
 * Owns: creation, and whose Deployment it is. Does not own: its content once it exists.
 */
import type { V1Deployment } from '@kubernetes/client-node';
import { orUndefined } from '../../lib/errors.ts';
import { readLive } from './api.ts';
import { controllerOf, desiredDeployment, isOwnedBy, nameOf } from './deployment.ts';
import type { Clients } from './run.ts';
import type { Release } from './types.ts';

/**
 * The Deployment as it is now, created when it is missing: ours, or nobody's and free to take. Undefined when the release is
 * gone. Throws while the Deployment is somebody else's.
 */
export async function claim(clients: Clients, release: Release): Promise<V1Deployment | undefined> {
  const { apps, namespace } = clients;
  const name = nameOf(release);
  const live = await orUndefined(apps.readNamespacedDeployment({ name, namespace }));
  if (live !== undefined && isOwnedBy(live, release)) return live;
  // The cache may show a release that is deleted or was made anew: nothing may be created or taken for that one.
  if ((await readLive(clients.custom, release)) === undefined) return undefined;
  if (live === undefined) return apps.createNamespacedDeployment({ namespace, body: desiredDeployment(release) });
  if (controllerOf(live) === undefined) return live;
  await removeLeftover(clients, live);
  throw new Error(`deployment ${name} belonged to an earlier release of this name`);
}

/** Deletes what an earlier release of the same name left, provided that it is still exactly that. */
async function removeLeftover({ apps, namespace }: Clients, leftover: V1Deployment): Promise<void> {
  const { uid, resourceVersion } = leftover.metadata ?? {};
  const owner = controllerOf(leftover);
  const isLeftover = owner?.kind === 'Release' && owner.name === nameOf(leftover);
  if (!isLeftover || uid === undefined || resourceVersion === undefined) {
    throw new Error(`deployment ${nameOf(leftover)} belongs to ${owner?.kind ?? 'somebody'} ${owner?.name ?? 'else'}`);
  }
  await apps.deleteNamespacedDeployment({
    name: nameOf(leftover),
    namespace,
    body: { preconditions: { uid, resourceVersion } },
  });
}
