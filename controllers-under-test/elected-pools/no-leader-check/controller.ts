/**
 * Wrong: both replicas reconcile.
 *
 * Each replica alone is correct: it works on one pool at a time, and lists the Pods before it creates one.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { runWorkerPools } from '../../worker-pools/common/run.ts';
import { report } from '../../worker-pools/correct/controller.ts';
import { scale } from './scale.ts';

export default function start(context: ControllerContext): Promise<RunningController> {
  return runWorkerPools(context, { scale, report });
}
