/**
 * Wrong: it reports the generation of a newer read than the one that it acted on.
 *
 * It rolls out and reports the image of the cached Release, but writes the status from a fresh read, to avoid conflicts, and takes the
 * generation from there. A client that waits for this generation then sees it as observed although it is not rolled out.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { retryOnConflict } from '../../lib/retry.ts';
import { readLive, replaceStatus } from '../common/api.ts';
import { type Clients, runReleases } from '../common/run.ts';
import { releasedStatus } from '../common/status.ts';
import type { Release } from '../common/types.ts';
import { rollOut } from '../correct/controller.ts';

async function report({ custom }: Clients, release: Release): Promise<void> {
  if (releasedStatus(release) === release.status) return;
  await retryOnConflict(async () => {
    const live = await readLive(custom, release);
    if (live === undefined) return;
    const status = releasedStatus({ ...live, spec: release.spec });
    if (status !== live.status) await replaceStatus(custom, live, status);
  });
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report });
}
