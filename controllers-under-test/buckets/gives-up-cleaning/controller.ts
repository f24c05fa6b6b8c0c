/**
 * Wrong: it swallows the error of a failed clean-up, as if another event would trigger the clean-up again.
 *
 * No event does: nothing changes in a terminating bucket any more, so it keeps its finalizer forever.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { type Clients, runBuckets } from '../common/run.ts';
import type { Bucket } from '../common/types.ts';
import { cleanUp as cleanUpOnce, provide, report } from '../correct/controller.ts';

async function cleanUp(clients: Clients, bucket: Bucket): Promise<void> {
  try {
    await cleanUpOnce(clients, bucket);
  } catch (error) {
    console.warn(`clean-up of ${bucket.metadata?.name ?? ''} failed: ${String(error)}`);
  }
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runBuckets(context, { provide, cleanUp, report });
}
