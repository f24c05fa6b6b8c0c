/** `duplicates-on-stale-list` with the same bug: it lists the Pods before the pools, not after them. */
import type { KubernetesObject } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../../lib/controller.ts';
import { type Cache, type CacheOptions, follow } from '../../../lib/informer.ts';
import { runWorkerPools } from '../../../worker-pools/common/run.ts';
import { report } from '../../../worker-pools/correct/controller.ts';
import { scale } from '../../../worker-pools/duplicates-on-stale-list/controller.ts';

export default function start(context: ControllerContext): Promise<RunningController> {
  const podsListed = Promise.withResolvers<void>();

  function followPodsFirst<T extends KubernetesObject>(options: CacheOptions<T>): Cache<T> {
    const isPods = options.path.endsWith('/pods');
    const list: typeof options.list = async () => {
      if (!isPods) await podsListed.promise;
      const answer = await options.list();
      if (isPods) podsListed.resolve();
      return answer;
    };
    return follow({ ...options, list });
  }

  return runWorkerPools(context, { scale, report, follow: followPodsFirst });
}
