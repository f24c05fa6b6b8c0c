/**
 * The correct Release controller.
 *
 * Other writers scale, annotate and label the Deployment, and keep their own conditions in the status of the Release. So each write starts
 * from a fresh read, sends its resourceVersion, and starts again from another read after a conflict.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { retryOnConflict } from '../../lib/retry.ts';
import { readLive, replaceStatus } from '../common/api.ts';
import { claim } from '../common/claim.ts';
import { bringUpToDate, isUpToDate, nameOf } from '../common/deployment.ts';
import { type Clients, runReleases } from '../common/run.ts';
import { releasedStatus } from '../common/status.ts';
import type { Release } from '../common/types.ts';

export function rollOut(clients: Clients, release: Release): Promise<boolean> {
  const { apps, namespace } = clients;
  return retryOnConflict(async () => {
    const deployment = await claim(clients, release);
    if (deployment === undefined) return false;
    if (!isUpToDate(deployment, release)) {
      bringUpToDate(deployment, release);
      await apps.replaceNamespacedDeployment({ name: nameOf(release), namespace, body: deployment });
    }
    return true;
  });
}

export async function report({ custom }: Clients, release: Release): Promise<void> {
  if (releasedStatus(release) === release.status) return;
  await retryOnConflict(async () => {
    const live = await readLive(custom, release);
    // The spec is newer than the cached one and not rolled out yet: the next reconcile will report it.
    if (live?.metadata?.generation !== release.metadata?.generation || live === undefined) return;
    const status = releasedStatus(live);
    if (status !== live.status) await replaceStatus(custom, live, status);
  });
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report });
}
