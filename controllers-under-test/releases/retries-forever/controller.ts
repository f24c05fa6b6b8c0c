/**
 * Wrong: it retries until it succeeds, without a pause and without a limit.
 *
 * While the cache is stale, every attempt sends the same old resourceVersion and is refused at once: a hot loop.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { replaceStatus } from '../common/api.ts';
import { nameOf } from '../common/deployment.ts';
import { type Clients, runReleases } from '../common/run.ts';
import { releasedStatus } from '../common/status.ts';
import type { Release } from '../common/types.ts';
import { rollOut } from '../correct/controller.ts';

async function report({ custom, releases, namespace }: Clients, release: Release): Promise<void> {
  for (;;) {
    const current = releases.get(nameOf(release), namespace);
    if (current === undefined || current.metadata?.generation !== release.metadata?.generation) return;
    const status = releasedStatus(current);
    if (status === current.status) return;
    try {
      await replaceStatus(custom, current, status);
      return;
    } catch {
      // Another writer was faster: try again.
    }
  }
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report });
}
