/**
 * Wrong: it writes its status in every reconcile, even if nothing has changed.
 *
 * The counter makes each write a change, and each change triggers the next reconcile, in an endless loop.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { retryOnConflict } from '../../lib/retry.ts';
import { readLive, replaceStatus } from '../common/api.ts';
import { type Clients, runReleases } from '../common/run.ts';
import { releasedStatus } from '../common/status.ts';
import type { Release } from '../common/types.ts';
import { rollOut } from '../correct/controller.ts';

function report({ custom }: Clients, release: Release): Promise<void> {
  return retryOnConflict(async () => {
    const live = await readLive(custom, release);
    if (live === undefined) return;
    const reconciles = (live.status?.reconciles ?? 0) + 1;
    await replaceStatus(custom, live, { ...releasedStatus(live), reconciles });
  });
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report });
}
