/**
 * Wrong: it replaces the list of owner references in a strategic merge patch, without a resourceVersion.
 *
 * Merging by UID would have kept the entries of other writers. `$patch: replace` replaces the list by the one in its cache, so an owner
 * reference that another writer has added since is lost, without a conflict.
 */
import { PatchStrategy, setHeaderOptions, type V1Deployment } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { claim } from '../common/claim.ts';
import { bringUpToDate, isUpToDate, nameOf } from '../common/deployment.ts';
import { type Clients, runReleases } from '../common/run.ts';
import { CONTAINER, type Release } from '../common/types.ts';
import { report } from '../correct/controller.ts';

async function rollOut(clients: Clients, release: Release, cached: V1Deployment | undefined): Promise<boolean> {
  const { apps, namespace } = clients;
  const deployment = cached === undefined ? await claim(clients, release) : structuredClone(cached);
  if (deployment === undefined) return false;
  if (isUpToDate(deployment, release)) return true;
  bringUpToDate(deployment, release);
  const { labels, ownerReferences = [] } = deployment.metadata ?? {};
  const containers = [{ name: CONTAINER, image: release.spec.image }];
  await apps.patchNamespacedDeployment(
    {
      name: nameOf(release),
      namespace,
      body: {
        metadata: { labels, ownerReferences: [{ $patch: 'replace' }, ...ownerReferences] },
        spec: { template: { spec: { containers } } },
      },
    },
    setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
  );
  return true;
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report });
}
