/**
 * The correct Bucket controller.
 *
 * The finalizer is added before objects are created, and removed after they are deleted. Nothing is created unless a fresh read shows the
 * bucket alive. Other controllers share the lists of finalizers and conditions, so those writes send a resourceVersion.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { retryOnConflict } from '../../lib/retry.ts';
import { readLive, replaceFinalizers, replaceStatus } from '../common/api.ts';
import { type Clients, runBuckets } from '../common/run.ts';
import { readyStatus } from '../common/status.ts';
import { credentialsOf, isOf, isRight, settingsOf, type Thing } from '../common/things.ts';
import { type Bucket, FINALIZER, hasFinalizer, isTerminating, nameOf } from '../common/types.ts';

export function provide(clients: Clients, cached: Bucket): Promise<boolean> {
  const { custom, core } = clients;
  return retryOnConflict(async () => {
    if (isProvided(clients, cached)) return true;
    let bucket = await readLive(custom, cached);
    if (bucket === undefined || isTerminating(bucket)) return false;
    if (!hasFinalizer(bucket)) {
      bucket = await replaceFinalizers(custom, bucket, [...(bucket.metadata?.finalizers ?? []), FINALIZER]);
      if (bucket === undefined) return false;
    }
    for (const thing of [settingsOf(core, bucket), credentialsOf(core, bucket)]) {
      if (!isCurrent(clients, bucket)) return false;
      const object = await thing.read();
      if (object === undefined) await thing.create();
      else if (!isRight(object, thing, bucket)) await thing.fix();
    }
    return true;
  });
}

/** Whether the caches show all objects that should exist. */
function isProvided({ core, settings, credentials, namespace }: Clients, bucket: Bucket): boolean {
  const [first, second] = [settingsOf(core, bucket), credentialsOf(core, bucket)];
  const firstObject = settings.get(first.name, namespace);
  const secondObject = credentials.get(second.name, namespace);
  return (
    hasFinalizer(bucket) &&
    firstObject !== undefined &&
    isRight(firstObject, first, bucket) &&
    secondObject !== undefined &&
    isRight(secondObject, second, bucket)
  );
}

/** Whether this bucket is still alive in the cache, which may be newer than the last read. */
function isCurrent({ buckets, namespace }: Clients, bucket: Bucket): boolean {
  const cached = buckets.get(nameOf(bucket), namespace);
  return cached !== undefined && cached.metadata?.uid === bucket.metadata?.uid && !isTerminating(cached);
}

export async function cleanUp({ core, custom }: Clients, bucket: Bucket): Promise<void> {
  for (const thing of [credentialsOf(core, bucket), settingsOf(core, bucket)]) {
    // A finalizer of another controller keeps the object; its deletion will trigger a reconcile.
    if (!(await isRemoved(thing, bucket))) return;
  }
  await retryOnConflict(async () => {
    const live = await readLive(custom, bucket);
    if (live === undefined || !hasFinalizer(live)) return;
    const others = (live.metadata?.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
    await replaceFinalizers(custom, live, others);
  });
}

/** Deletes the object if it is this bucket's; returns whether it is gone. The UID precondition protects a new object of that name. */
async function isRemoved(thing: Thing, bucket: Bucket): Promise<boolean> {
  const object = await thing.read();
  if (object === undefined || !isOf(object, bucket)) return true;
  const uid = object.metadata?.uid ?? '';
  if (!isTerminating(object)) await thing.remove({ preconditions: { uid } });
  return (await thing.read())?.metadata?.uid !== uid;
}

export async function report({ custom }: Clients, bucket: Bucket): Promise<void> {
  if (readyStatus(bucket) === bucket.status) return;
  await retryOnConflict(async () => {
    const live = await readLive(custom, bucket);
    // The spec is newer than the cached one and not applied yet: the next reconcile will report it.
    if (live === undefined || isTerminating(live) || live.metadata?.generation !== bucket.metadata?.generation) return;
    const status = readyStatus(live);
    if (status !== live.status) await replaceStatus(custom, live, status);
  });
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runBuckets(context, { provide, cleanUp, report });
}
