/**
 * Wrong: it runs two control loops with separate caches, and both patch the same list of conditions without a resourceVersion.
 *
 * Each builds the list from its own cache, so the second patch reverts the condition that the first one has just written.
 */
import { isDeepStrictEqual } from 'node:util';
import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { orUndefined } from '../../lib/errors.ts';
import { pathOf } from '../common/api.ts';
import { nameOf } from '../common/deployment.ts';
import { type Clients, runReleases } from '../common/run.ts';
import { releasedStatus, withCondition } from '../common/status.ts';
import type { Release, ReleaseStatus } from '../common/types.ts';
import { rollOut } from '../correct/controller.ts';

async function reportRelease(clients: Clients, release: Release): Promise<void> {
  await patchStatus(clients, release, releasedStatus(release));
}

async function reportSize(clients: Clients, release: Release): Promise<void> {
  const deployment = clients.deployments.get(nameOf(release), clients.namespace);
  const replicas = deployment?.spec?.replicas ?? 0;
  const condition = { type: 'Sized', status: 'True', reason: 'Counted', message: `${replicas} replicas are asked for` };
  const { status = {} } = release;
  await patchStatus(clients, release, { conditions: withCondition(status.conditions ?? [], condition) });
}

async function patchStatus({ custom }: Clients, release: Release, status: ReleaseStatus): Promise<void> {
  if (isDeepStrictEqual({ ...release.status, ...status }, release.status)) return;
  const asMerge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
  await orUndefined(custom.patchNamespacedCustomObjectStatus({ ...pathOf(release), body: { status } }, asMerge));
}

export default async function start(context: ControllerContext): Promise<RunningController> {
  const loops = await Promise.all([
    runReleases(context, { rollOut, report: reportRelease }),
    runReleases(context, { rollOut: () => Promise.resolve(true), report: reportSize }),
  ]);
  return {
    stop: () => {
      for (const loop of loops) loop.stop();
    },
  };
}
