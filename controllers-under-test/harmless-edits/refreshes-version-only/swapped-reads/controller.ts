/** `refreshes-version-only` with the same bug: it reads the Release before the Deployment, not after it. */
import type { ControllerContext, RunningController } from '../../../lib/controller.ts';
import { readLive } from '../../../releases/common/api.ts';
import { runReleases } from '../../../releases/common/run.ts';
import { report } from '../../../releases/correct/controller.ts';
import { rollOut } from '../../../releases/refreshes-version-only/controller.ts';

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, {
    rollOut: async (clients, release) => {
      if ((await readLive(clients.custom, release)) === undefined) return false;
      return rollOut(clients, release);
    },
    report,
  });
}
