/**
 * Wrong: when it deletes an object, it treats "not found" like any other error.
 *
 * If one of the two objects is already gone (an earlier clean-up was interrupted, or another client deleted it), the delete is repeated
 * every second forever, and the bucket is never removed.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { retryOnConflict, sleep } from '../../lib/retry.ts';
import { readLive, replaceFinalizers } from '../common/api.ts';
import { type Clients, runBuckets } from '../common/run.ts';
import { CREDENTIALS, SETTINGS } from '../common/things.ts';
import { type Bucket, FINALIZER, nameOf } from '../common/types.ts';
import { provide, report } from '../correct/controller.ts';

const PAUSE_MS = 1_000;

async function cleanUp({ core, custom, namespace }: Clients, bucket: Bucket): Promise<void> {
  await untilDone(() => core.deleteNamespacedSecret({ name: nameOf(bucket) + CREDENTIALS, namespace }));
  await untilDone(() => core.deleteNamespacedConfigMap({ name: nameOf(bucket) + SETTINGS, namespace }));
  await retryOnConflict(async () => {
    const live = await readLive(custom, bucket);
    if (live === undefined) return;
    const others = (live.metadata?.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
    await replaceFinalizers(custom, live, others);
  });
}

async function untilDone(request: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await request();
      return;
    } catch {
      await sleep(PAUSE_MS);
    }
  }
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runBuckets(context, { provide, cleanUp, report });
}
