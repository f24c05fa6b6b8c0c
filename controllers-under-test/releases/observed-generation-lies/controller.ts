/**
 * Wrong: it reports the generation of a newer read than the one it acted on.
 *
 * The image that is rolled out and reported is that of the cache; the status is written from a fresh read, so that it is not refused,
 * and takes its generation from there. Whoever waits for that generation to be observed is told so before anybody has acted on it.
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
