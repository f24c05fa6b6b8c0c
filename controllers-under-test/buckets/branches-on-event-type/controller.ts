/**
 * Wrong: it creates objects if the last event was an "add", and updates them if it was an "update".
 *
 * The event is what the informer saw, not what exists. A failed create is not retried after an update event, and after a restart every
 * event is an "add", so objects with outdated content are not updated.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { isConflict, orUndefined } from '../../lib/errors.ts';
import type { Change } from '../../lib/informer.ts';
import { replaceFinalizers } from '../common/api.ts';
import { type Clients, runBuckets } from '../common/run.ts';
import { credentialsOf, isRight, settingsOf } from '../common/things.ts';
import { type Bucket, FINALIZER, hasFinalizer, nameOf } from '../common/types.ts';
import { cleanUp, report } from '../correct/controller.ts';

async function create({ core, custom }: Clients, bucket: Bucket): Promise<boolean> {
  if (!hasFinalizer(bucket)) {
    await replaceFinalizers(custom, bucket, [...(bucket.metadata?.finalizers ?? []), FINALIZER]);
  }
  for (const thing of [settingsOf(core, bucket), credentialsOf(core, bucket)]) {
    try {
      await thing.create();
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
  return true;
}

async function update({ core, settings, namespace }: Clients, bucket: Bucket): Promise<boolean> {
  const thing = settingsOf(core, bucket);
  const cached = settings.get(thing.name, namespace);
  if (cached !== undefined && !isRight(cached, thing, bucket)) await orUndefined(thing.fix());
  return true;
}

export default function start(context: ControllerContext): Promise<RunningController> {
  const lastChange = new Map<string, Change>();
  return runBuckets(context, {
    heard: (bucket, how) => lastChange.set(nameOf(bucket), how),
    provide: (clients, bucket) =>
      lastChange.get(nameOf(bucket)) === 'add' ? create(clients, bucket) : update(clients, bucket),
    cleanUp,
    report,
  });
}
