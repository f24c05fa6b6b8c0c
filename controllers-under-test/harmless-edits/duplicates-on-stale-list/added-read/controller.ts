/** `duplicates-on-stale-list` with the same bug: it also reads the pool before it counts the Pods. */
import type { ControllerContext, RunningController } from '../../../lib/controller.ts';
import { readLive } from '../../../worker-pools/common/api.ts';
import { runWorkerPools } from '../../../worker-pools/common/run.ts';
import { report } from '../../../worker-pools/correct/controller.ts';
import { scale } from '../../../worker-pools/duplicates-on-stale-list/controller.ts';

export default function start(context: ControllerContext): Promise<RunningController> {
  return runWorkerPools(context, {
    scale: async (clients, pool) => {
      if ((await readLive(clients.custom, pool)) === undefined) return false;
      return scale(clients, pool);
    },
    report,
  });
}
