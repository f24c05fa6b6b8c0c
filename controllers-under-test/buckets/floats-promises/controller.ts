/**
 * Wrong: it does not await its status write.
 *
 * If the write fails, nothing catches the error, and Node exits because of an unhandled rejection.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { type Clients, runBuckets } from '../common/run.ts';
import type { Bucket } from '../common/types.ts';
import { cleanUp, provide, report as writeStatus } from '../correct/controller.ts';

async function report(clients: Clients, bucket: Bucket): Promise<void> {
  void writeStatus(clients, bucket);
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runBuckets(context, { provide, cleanUp, report });
}
