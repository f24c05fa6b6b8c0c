/**
 * Wrong: it creates two objects, and concludes from the first that both exist.
 *
 * If it stops, or a create fails, between the two, the second object is never created.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { readLive, replaceFinalizers } from '../common/api.ts';
import { type Clients, runBuckets } from '../common/run.ts';
import { credentialsOf, isRight, settingsOf } from '../common/things.ts';
import { type Bucket, FINALIZER, hasFinalizer, isTerminating } from '../common/types.ts';
import { cleanUp, report } from '../correct/controller.ts';

async function provide({ custom, core }: Clients, cached: Bucket): Promise<boolean> {
  let bucket = await readLive(custom, cached);
  if (bucket === undefined || isTerminating(bucket)) return false;
  if (!hasFinalizer(bucket)) {
    bucket = await replaceFinalizers(custom, bucket, [...(bucket.metadata?.finalizers ?? []), FINALIZER]);
    if (bucket === undefined) return false;
  }
  const settings = settingsOf(core, bucket);
  const object = await settings.read();
  if (object !== undefined) {
    if (!isRight(object, settings, bucket)) await settings.fix();
    return true;
  }
  await settings.create();
  await credentialsOf(core, bucket).create();
  return true;
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runBuckets(context, { provide, cleanUp, report });
}
