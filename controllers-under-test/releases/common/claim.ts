/**
 * Finds or creates the Deployment that a release may write to.
 *
 * Owns: creation and ownership of the Deployment. Does not own: its content once it exists.
 */
import type { V1Deployment } from '@kubernetes/client-node';
import { orUndefined } from '../../lib/errors.ts';
import { readLive } from './api.ts';
import { controllerOf, desiredDeployment, isOwnedBy, nameOf } from './deployment.ts';
import type { Clients } from './run.ts';
import type { Release } from './types.ts';

/**
 * The current Deployment, created if it is missing. It belongs to the release, or has no controller and may be adopted. Undefined if the
 * release no longer exists. Throws if the Deployment has another controller.
 */
export async function claim(clients: Clients, release: Release): Promise<V1Deployment | undefined> {
  const { apps, namespace } = clients;
  const name = nameOf(release);
  const live = await orUndefined(apps.readNamespacedDeployment({ name, namespace }));
  if (live !== undefined && isOwnedBy(live, release)) return live;
  // The cache may show a release that was deleted or recreated: create and adopt nothing for that one.
  if ((await readLive(clients.custom, release)) === undefined) return undefined;
  if (live === undefined) return apps.createNamespacedDeployment({ namespace, body: desiredDeployment(release) });
  if (controllerOf(live) === undefined) return live;
  await removeLeftover(clients, live);
  throw new Error(`deployment ${name} belonged to an earlier release of this name`);
}

/** Deletes the Deployment of an earlier release with the same name, unless it has changed since the read. */
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
