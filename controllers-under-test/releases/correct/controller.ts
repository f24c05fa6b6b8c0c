/**
 * The Release controller as it should be.
 *
 * Others scale, annotate and label the Deployment and keep conditions of their own in the Release's status. So each write is made
 * from what was read last, carries that version, and is made anew from a fresh read when the version has moved on.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { isConflict, isNotFound } from '../../lib/errors.ts';
import { claim } from '../common/claim.ts';
import { bringUpToDate, isUpToDate, nameOf } from '../common/deployment.ts';
import { type Clients, runReleases } from '../common/run.ts';
import { releasedStatus } from '../common/status.ts';
import { type Release, RELEASES } from '../common/types.ts';

/** After that many refusals in a row the pauses of the work queue serve better than another try at once. */
const ATTEMPTS = 3;

export async function rollOut(clients: Clients, release: Release): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      const deployment = await claim(clients, release);
      if (deployment === undefined) return false;
      if (!isUpToDate(deployment, release)) {
        bringUpToDate(deployment, release);
        const { apps, namespace } = clients;
        await apps.replaceNamespacedDeployment({ name: nameOf(release), namespace, body: deployment });
      }
      return true;
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** A refusal goes to the work queue: the newer release is on its way to the cache. */
export async function report({ custom, namespace }: Clients, release: Release): Promise<void> {
  const status = releasedStatus(release);
  if (status === release.status) return;
  try {
    const body = { ...release, status };
    await custom.replaceNamespacedCustomObjectStatus({ ...RELEASES, namespace, name: nameOf(release), body });
  } catch (error) {
    // Deleted in the meantime: nothing is left to report on.
    if (!isNotFound(error)) throw error;
  }
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report });
}
