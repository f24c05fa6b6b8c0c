/**
 * Wrong: it patches the list of conditions without a version.
 *
 * A merge patch replaces a list as a whole. Without a version it never conflicts, so a condition that somebody else added since
 * this release was read is gone.
 */
import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { isNotFound } from '../../lib/errors.ts';
import { nameOf } from '../common/deployment.ts';
import { type Clients, runReleases } from '../common/run.ts';
import { releasedStatus } from '../common/status.ts';
import { type Release, RELEASES } from '../common/types.ts';
import { rollOut } from '../correct/controller.ts';

async function report({ custom, namespace }: Clients, release: Release): Promise<void> {
  const status = releasedStatus(release);
  if (status === release.status) return;
  try {
    await custom.patchNamespacedCustomObjectStatus(
      { ...RELEASES, namespace, name: nameOf(release), body: { status } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report });
}
