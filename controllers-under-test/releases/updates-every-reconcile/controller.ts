/**
 * Wrong: it writes its status in every reconcile, also when there is nothing new to say.
 *
 * The count makes each write a change, each change wakes the controller, and so it never comes to rest.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { isNotFound } from '../../lib/errors.ts';
import { nameOf } from '../common/deployment.ts';
import { type Clients, runReleases } from '../common/run.ts';
import { releasedStatus } from '../common/status.ts';
import { type Release, RELEASES } from '../common/types.ts';
import { rollOut } from '../correct/controller.ts';

async function report({ custom, namespace }: Clients, release: Release): Promise<void> {
  const status = { ...releasedStatus(release), reconciles: (release.status?.reconciles ?? 0) + 1 };
  try {
    const body = { ...release, status };
    await custom.replaceNamespacedCustomObjectStatus({ ...RELEASES, namespace, name: nameOf(release), body });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report });
}
