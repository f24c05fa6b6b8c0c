/**
 * Wrong: it edits the Deployment of its cache and applies it, by force.
 *
 * The cached Deployment may be stale and has fields of other managers. With `force` they cause no conflict, so a scale, a label or an
 * annotation that has changed since is set back to its old value.
 */
import { PatchStrategy, setHeaderOptions, type V1Deployment } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { claim } from '../common/claim.ts';
import { bringUpToDate, isUpToDate, nameOf } from '../common/deployment.ts';
import { type Clients, runReleases } from '../common/run.ts';
import type { Release } from '../common/types.ts';
import { report } from '../correct/controller.ts';

async function rollOut(clients: Clients, release: Release, cached: V1Deployment | undefined): Promise<boolean> {
  const { apps, namespace } = clients;
  const deployment = cached === undefined ? await claim(clients, release) : structuredClone(cached);
  if (deployment === undefined) return false;
  if (isUpToDate(deployment, release)) return true;
  bringUpToDate(deployment, release);
  const { resourceVersion: _, managedFields: __, ...metadata } = deployment.metadata ?? {};
  const { status: ___, ...content } = deployment;
  await apps.patchNamespacedDeployment(
    {
      name: nameOf(release),
      namespace,
      fieldManager: 'releases',
      force: true,
      body: { ...content, apiVersion: 'apps/v1', kind: 'Deployment', metadata },
    },
    setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
  );
  return true;
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report });
}
