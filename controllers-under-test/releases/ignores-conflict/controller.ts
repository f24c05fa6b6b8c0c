/**
 * Wrong: it drops the conflict and continues as if the Deployment had been written.
 *
 * Then the status reports this generation as observed, and no later reconcile checks the Deployment: the old image stays.
 */
import type { V1Deployment } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { isConflict } from '../../lib/errors.ts';
import { claim } from '../common/claim.ts';
import { bringUpToDate, isOwnedBy, isUpToDate, nameOf } from '../common/deployment.ts';
import { type Clients, runReleases } from '../common/run.ts';
import type { Release } from '../common/types.ts';
import { report } from '../correct/controller.ts';

async function rollOut(clients: Clients, release: Release, cached: V1Deployment | undefined): Promise<boolean> {
  const { apps, namespace } = clients;
  if (release.status?.observedGeneration === release.metadata?.generation) return true;
  const isOurs = cached !== undefined && isOwnedBy(cached, release);
  const deployment = isOurs ? structuredClone(cached) : await claim(clients, release);
  if (deployment === undefined) return false;
  if (isUpToDate(deployment, release)) return true;
  bringUpToDate(deployment, release);
  try {
    await apps.replaceNamespacedDeployment({ name: nameOf(release), namespace, body: deployment });
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
  return true;
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report });
}
