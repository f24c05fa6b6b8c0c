/** `duplicates-on-stale-list` with the same bug: it also patches the pool with its own name. */
import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../../lib/controller.ts';
import { orUndefined } from '../../../lib/errors.ts';
import { pathOf } from '../../../worker-pools/common/api.ts';
import { runWorkerPools } from '../../../worker-pools/common/run.ts';
import { report } from '../../../worker-pools/correct/controller.ts';
import { scale } from '../../../worker-pools/duplicates-on-stale-list/controller.ts';

export default function start(context: ControllerContext): Promise<RunningController> {
  return runWorkerPools(context, {
    scale: async (clients, pool) => {
      const body = { metadata: { name: pool.metadata?.name } };
      const asMerge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
      await orUndefined(clients.custom.patchNamespacedCustomObject({ ...pathOf(pool), body }, asMerge));
      return scale(clients, pool);
    },
    report,
  });
}
