/** The correct WorkerPool controller with leader election: it starts once it is the leader, and not before. */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { becomeLeader } from '../../lib/leader.ts';
import { runWorkerPools } from '../../worker-pools/common/run.ts';
import { report, scale } from '../../worker-pools/correct/controller.ts';

export default function start(context: ControllerContext): RunningController {
  let running: RunningController | undefined;
  const lead = async (): Promise<void> => {
    await becomeLeader({ ...context, name: 'worker-pools' });
    if (!context.signal.aborted) running = await runWorkerPools(context, { scale, report });
  };
  void lead();
  return { stop: () => running?.stop() };
}
