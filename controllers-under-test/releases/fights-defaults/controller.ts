/**
 * Wrong: it compares its own pod template with the stored one.
 *
 * The server adds default values (policies, paths, periods), so the two are never equal: the controller writes its template again, the
 * server adds the defaults again, and the counter of roll-outs in the status triggers the next reconcile.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { retryOnConflict } from '../../lib/retry.ts';
import { readLive, replaceStatus } from '../common/api.ts';
import { claim } from '../common/claim.ts';
import { desiredDeployment, nameOf } from '../common/deployment.ts';
import { type Clients, runReleases } from '../common/run.ts';
import { releasedStatus } from '../common/status.ts';
import type { Release } from '../common/types.ts';
import { rollOut } from '../correct/controller.ts';

async function report(clients: Clients, release: Release): Promise<void> {
  const { apps, custom, namespace } = clients;
  const wanted = desiredDeployment(release).spec?.template;
  await retryOnConflict(async () => {
    const deployment = await claim(clients, release);
    if (deployment?.spec === undefined || wanted === undefined) return;
    const differs = !isDeepStrictEqual(structuredClone(deployment.spec.template), wanted);
    if (differs) {
      deployment.spec.template = wanted;
      await apps.replaceNamespacedDeployment({ name: nameOf(release), namespace, body: deployment });
    }
    const live = await readLive(custom, release);
    if (live?.metadata?.generation !== release.metadata?.generation || live === undefined) return;
    const status = releasedStatus(live);
    const counted = differs ? { ...status, reconciles: (status.reconciles ?? 0) + 1 } : status;
    if (counted !== live.status) await replaceStatus(custom, live, counted);
  });
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report });
}
