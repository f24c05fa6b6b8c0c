/**
 * Wrong: after a conflict it takes only the resourceVersion from a fresh read, and sends the old content with it.
 *
 * Changes that other writers made in between are reverted, without a conflict.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { isConflict } from '../../lib/errors.ts';
import { claim } from '../common/claim.ts';
import { bringUpToDate, isUpToDate, nameOf } from '../common/deployment.ts';
import { type Clients, runReleases } from '../common/run.ts';
import type { Release } from '../common/types.ts';
import { report } from '../correct/controller.ts';

export async function rollOut(clients: Clients, release: Release): Promise<boolean> {
  const { apps, namespace } = clients;
  const name = nameOf(release);
  const deployment = await claim(clients, release);
  if (deployment === undefined) return false;
  if (isUpToDate(deployment, release)) return true;
  bringUpToDate(deployment, release);
  try {
    await apps.replaceNamespacedDeployment({ name, namespace, body: deployment });
  } catch (error) {
    if (!isConflict(error)) throw error;
    const live = await apps.readNamespacedDeployment({ name, namespace });
    (deployment.metadata ??= {}).resourceVersion = live.metadata?.resourceVersion ?? '';
    await apps.replaceNamespacedDeployment({ name, namespace, body: deployment });
  }
  return true;
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report });
}
