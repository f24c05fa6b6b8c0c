/**
 * Wrong: it edits the object in the informer's cache.
 *
 * If the write fails, the cache already shows what should have been written: the retry finds nothing to do, and the stored status stays as
 * it was.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { replaceStatus } from '../common/api.ts';
import { type Clients, runReleases } from '../common/run.ts';
import { releasedStatus } from '../common/status.ts';
import type { Release } from '../common/types.ts';
import { rollOut } from '../correct/controller.ts';

async function report({ custom }: Clients, release: Release): Promise<void> {
  const status = releasedStatus(release);
  if (status === release.status) return;
  Object.assign(release, { status });
  await replaceStatus(custom, release, status);
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report });
}
