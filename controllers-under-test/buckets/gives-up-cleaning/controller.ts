/**
 * Wrong: it takes a clean-up that failed for one that will be asked for again.
 *
 * Nobody asks again: the bucket is on its way out, nothing about it changes any more, and it waits for its finalizer for ever.
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
