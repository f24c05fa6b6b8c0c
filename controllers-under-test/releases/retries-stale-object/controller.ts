/**
 * Wrong: after a conflict it retries with the object that was refused.
 *
 * Without a fresh read the resourceVersion stays outdated, so no attempt can succeed, and this release is never reconciled again.
 */
import type { V1Deployment } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { isConflict } from '../../lib/errors.ts';
import { sleep } from '../../lib/retry.ts';
import { claim } from '../common/claim.ts';
import { bringUpToDate, isOwnedBy, isUpToDate, nameOf } from '../common/deployment.ts';
import { type Clients, runReleases } from '../common/run.ts';
import type { Release } from '../common/types.ts';
import { report } from '../correct/controller.ts';

const PAUSE_MS = 200;

async function rollOut(clients: Clients, release: Release, cached: V1Deployment | undefined): Promise<boolean> {
  const { apps, namespace } = clients;
  const isOurs = cached !== undefined && isOwnedBy(cached, release);
  const deployment = isOurs ? structuredClone(cached) : await claim(clients, release);
  if (deployment === undefined) return false;
  if (isUpToDate(deployment, release)) return true;
  bringUpToDate(deployment, release);
  for (;;) {
    try {
      await apps.replaceNamespacedDeployment({ name: nameOf(release), namespace, body: deployment });
      return true;
    } catch (error) {
      if (!isConflict(error)) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report });
}
