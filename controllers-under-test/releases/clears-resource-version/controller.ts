/**
 * Wrong: it clears the resourceVersion before it writes, "to get rid of the conflicts".
 *
 * A Deployment update without a resourceVersion is unconditional, so changes of other writers since the read are silently lost.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { claim } from '../common/claim.ts';
import { bringUpToDate, isUpToDate, nameOf } from '../common/deployment.ts';
import { type Clients, runReleases } from '../common/run.ts';
import type { Release } from '../common/types.ts';
import { report } from '../correct/controller.ts';

async function rollOut(clients: Clients, release: Release): Promise<boolean> {
  const { apps, namespace } = clients;
  const deployment = await claim(clients, release);
  if (deployment === undefined) return false;
  if (isUpToDate(deployment, release)) return true;
  bringUpToDate(deployment, release);
  (deployment.metadata ??= {}).resourceVersion = '';
  await apps.replaceNamespacedDeployment({ name: nameOf(release), namespace, body: deployment });
  return true;
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report });
}
