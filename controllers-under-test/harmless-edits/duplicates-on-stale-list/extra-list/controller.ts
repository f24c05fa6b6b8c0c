/** `duplicates-on-stale-list` with the same bug: it also lists the pools before it counts the Pods. */
import type { ControllerContext, RunningController } from '../../../lib/controller.ts';
import { runWorkerPools } from '../../../worker-pools/common/run.ts';
import { POOLS } from '../../../worker-pools/common/types.ts';
import { report } from '../../../worker-pools/correct/controller.ts';
import { scale } from '../../../worker-pools/duplicates-on-stale-list/controller.ts';

export default function start(context: ControllerContext): Promise<RunningController> {
  return runWorkerPools(context, {
    scale: async (clients, pool) => {
      const { custom, namespace } = clients;
      await custom.listNamespacedCustomObject({ ...POOLS, namespace });
      return scale(clients, pool);
    },
    report,
  });
}
