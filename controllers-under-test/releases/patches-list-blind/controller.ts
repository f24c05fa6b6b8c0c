/**
 * Wrong: it patches the list of conditions without a resourceVersion.
 *
 * A merge patch replaces a list as a whole. Without a resourceVersion it never conflicts, so a condition that another writer has added
 * since the read is lost.
 */
import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { orUndefined } from '../../lib/errors.ts';
import { pathOf } from '../common/api.ts';
import { type Clients, runReleases } from '../common/run.ts';
import { releasedStatus } from '../common/status.ts';
import type { Release } from '../common/types.ts';
import { rollOut } from '../correct/controller.ts';

async function report({ custom }: Clients, release: Release): Promise<void> {
  const status = releasedStatus(release);
  if (status === release.status) return;
  const asMerge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
  await orUndefined(custom.patchNamespacedCustomObjectStatus({ ...pathOf(release), body: { status } }, asMerge));
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report });
}
