/**
 * Wrong: it treats "already exists" as a Pod of another owner, and gives up on the pool.
 *
 * If the answer to a create is lost, the retry conflicts with the Pod that the first attempt created.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { isConflict } from '../../lib/errors.ts';
import { nameOf, newPod } from '../common/pods.ts';
import { type Clients, runWorkerPools } from '../common/run.ts';
import type { WorkerPool } from '../common/types.ts';
import { report, scale } from '../correct/controller.ts';

const ATTEMPTS = 3;

export default function start(context: ControllerContext): Promise<RunningController> {
  /** Pools with a name conflict. They are not reconciled until a person resolves it. */
  const givenUp = new Set<string>();

  async function create({ core, namespace }: Clients, pool: WorkerPool, name: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await core.createNamespacedPod({ namespace, body: newPod(pool, { name }) });
        return;
      } catch (error) {
        if (isConflict(error)) {
          givenUp.add(nameOf(pool));
          throw new Error(`pod ${name} exists and is not ours`, { cause: error });
        }
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  return runWorkerPools(context, {
    scale: async (clients, pool) => givenUp.has(nameOf(pool)) || scale(clients, pool, create),
    report,
  });
}
