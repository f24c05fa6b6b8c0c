/** The Bucket controller as separate steps, and bugs that replace some of them. */
import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { pathOf, readLive, replaceFinalizers, replaceStatus } from '../buckets/common/api.ts';
import { type Clients, runBuckets } from '../buckets/common/run.ts';
import { readyStatus } from '../buckets/common/status.ts';
import {
  CREDENTIALS,
  credentialsOf,
  isOf,
  isRight,
  SETTINGS,
  settingsOf,
  type Thing,
  type ThingObject,
} from '../buckets/common/things.ts';
import { type Bucket, FINALIZER, hasFinalizer, isTerminating, nameOf } from '../buckets/common/types.ts';
import type { ControllerContext, RunningController } from '../lib/controller.ts';
import { orUndefined } from '../lib/errors.ts';
import { retryOnConflict, sleep } from '../lib/retry.ts';
import { type Bugs, type Start, startWith } from './bugs.ts';

interface Steps {
  /** The bucket to work on, with our finalizer; undefined if it was deleted or is terminating. */
  readonly keep: (clients: Clients, bucket: Bucket) => Promise<Bucket | undefined>;
  /** Creates or fixes both objects. Returns false if the bucket turns out to be deleted or terminating. */
  readonly make: (clients: Clients, bucket: Bucket, fix: Steps['fix']) => Promise<boolean>;
  readonly fix: (clients: Clients, thing: Thing, object: ThingObject) => Promise<unknown>;
  readonly report: (clients: Clients, bucket: Bucket) => Promise<void>;
  /** Deletes both objects. Returns false if a finalizer of another controller keeps one of them. */
  readonly remove: (clients: Clients, bucket: Bucket) => Promise<boolean>;
  /** Removes our finalizer. */
  readonly release: (clients: Clients, bucket: Bucket) => Promise<void>;
  readonly onFailedCleanUp: (error: unknown) => void;
}

const CORRECT: Steps = {
  keep: async ({ custom }, cached) => {
    const bucket = await readLive(custom, cached);
    if (bucket === undefined || isTerminating(bucket)) return undefined;
    if (hasFinalizer(bucket)) return bucket;
    return replaceFinalizers(custom, bucket, [...(bucket.metadata?.finalizers ?? []), FINALIZER]);
  },
  make: async (clients, bucket, fix) => {
    for (const thing of thingsOf(clients, bucket)) {
      if (!isCurrent(clients, bucket)) return false;
      const object = await thing.read();
      if (object === undefined) await thing.create();
      else if (!isRight(object, thing, bucket)) await fix(clients, thing, object);
    }
    return true;
  },
  fix: (_, thing) => thing.fix(),
  report: ({ custom }, bucket) => reportOn(custom, bucket, (live) => readLive(custom, live)),
  remove: async (clients, bucket) => {
    for (const thing of thingsOf(clients, bucket).toReversed()) {
      const object = await thing.read();
      if (object === undefined || !isOf(object, bucket)) continue;
      const uid = object.metadata?.uid ?? '';
      if (!isTerminating(object)) await thing.remove({ preconditions: { uid } });
      if ((await thing.read())?.metadata?.uid === uid) return false;
    }
    return true;
  },
  release: ({ custom }, bucket) =>
    retryOnConflict(async () => {
      const live = await readLive(custom, bucket);
      if (live === undefined || !hasFinalizer(live)) return;
      const others = (live.metadata?.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
      await replaceFinalizers(custom, live, others);
    }),
  onFailedCleanUp: (error) => {
    throw error;
  },
};

function runSteps(context: ControllerContext, steps: Steps): Promise<RunningController> {
  function provide(clients: Clients, cached: Bucket): Promise<boolean> {
    return retryOnConflict(async () => {
      if (isProvided(clients, cached)) return true;
      const bucket = await steps.keep(clients, cached);
      return bucket !== undefined && (await steps.make(clients, bucket, steps.fix));
    });
  }

  async function cleanUp(clients: Clients, bucket: Bucket): Promise<void> {
    try {
      // If another controller keeps an object, its deletion will trigger a reconcile.
      if (await steps.remove(clients, bucket)) await steps.release(clients, bucket);
    } catch (error) {
      steps.onFailedCleanUp(error);
    }
  }

  return runBuckets(context, { provide, cleanUp, report: steps.report });
}

function thingsOf({ core }: Pick<Clients, 'core'>, bucket: Bucket): readonly Thing[] {
  return [settingsOf(core, bucket), credentialsOf(core, bucket)];
}

/** Whether the caches show all objects that should exist. */
function isProvided(clients: Clients, bucket: Bucket): boolean {
  const caches = [clients.settings, clients.credentials];
  return (
    hasFinalizer(bucket) &&
    thingsOf(clients, bucket).every((thing, index) => {
      const object = caches[index]?.get(thing.name, clients.namespace);
      return object !== undefined && isRight(object, thing, bucket);
    })
  );
}

/** Whether this bucket is still alive in the cache, which may be newer than the last read. */
function isCurrent({ buckets, namespace }: Clients, bucket: Bucket): boolean {
  const cached = buckets.get(nameOf(bucket), namespace);
  return cached !== undefined && cached.metadata?.uid === bucket.metadata?.uid && !isTerminating(cached);
}

async function reportOn(
  custom: Clients['custom'],
  bucket: Bucket,
  read: (bucket: Bucket) => Promise<Bucket | undefined>,
): Promise<void> {
  if (readyStatus(bucket) === bucket.status) return;
  await retryOnConflict(async () => {
    const live = await read(bucket);
    // The spec is newer than the cached one and not applied yet: the next reconcile will report it.
    if (live === undefined || isTerminating(live) || live.metadata?.generation !== bucket.metadata?.generation) return;
    const status = readyStatus(live);
    if (status !== live.status) await replaceStatus(custom, live, status);
  });
}

const MERGE_PATCH = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
const PAUSE_MS = 1_000;

async function setFinalizersBlind(
  { custom }: Clients,
  bucket: Bucket,
  finalizers: readonly string[],
): Promise<Bucket | undefined> {
  const body = { metadata: { finalizers } };
  return (await orUndefined(custom.patchNamespacedCustomObject({ ...pathOf(bucket), body }, MERGE_PATCH))) as
    | Bucket
    | undefined;
}

const BUCKET_BUGS: Bugs<Steps> = {
  'sets-finalizers-alone': () => ({
    keep: async (clients, cached) => {
      const bucket = await readLive(clients.custom, cached);
      if (bucket === undefined || isTerminating(bucket)) return undefined;
      return hasFinalizer(bucket) ? bucket : setFinalizersBlind(clients, bucket, [FINALIZER]);
    },
    release: async (clients, bucket) => {
      await setFinalizersBlind(clients, bucket, []);
    },
  }),

  'first-means-both': () => ({
    make: async (clients, bucket, fix) => {
      const [first, second] = thingsOf(clients, bucket);
      const object = await first?.read();
      if (first === undefined || second === undefined || !isCurrent(clients, bucket)) return false;
      if (object !== undefined) {
        if (!isRight(object, first, bucket)) await fix(clients, first, object);
        return true;
      }
      await first.create();
      await second.create();
      return true;
    },
  }),

  'rebuilds-settings': ({ fix }) => ({
    fix: async (clients, thing, object) => {
      const { core, namespace } = clients;
      const { name, data } = thing;
      if (!name.endsWith(SETTINGS)) return fix(clients, thing, object);
      const { resourceVersion = '', annotations = {} } = object.metadata ?? {};
      const body = { metadata: { name, resourceVersion, annotations }, data };
      return core.replaceNamespacedConfigMap({ name, namespace, body });
    },
  }),

  'gives-up-cleaning': () => ({
    onFailedCleanUp: (error) => console.warn(`clean-up failed: ${String(error)}`),
  }),

  'repeats-not-found': () => ({
    remove: async ({ core, namespace }, bucket) => {
      await untilDone(() => core.deleteNamespacedSecret({ name: nameOf(bucket) + CREDENTIALS, namespace }));
      await untilDone(() => core.deleteNamespacedConfigMap({ name: nameOf(bucket) + SETTINGS, namespace }));
      return true;
    },
  }),

  'floats-status': ({ report }) => ({
    report: (clients, bucket) => {
      void report(clients, bucket);
      return Promise.resolve();
    },
  }),

  'patches-conditions-blind': () => ({
    report: async ({ custom }, bucket) => {
      const status = readyStatus(bucket);
      if (status === bucket.status) return;
      await orUndefined(custom.patchNamespacedCustomObjectStatus({ ...pathOf(bucket), body: { status } }, MERGE_PATCH));
    },
  }),
};

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

export const startBuckets: (bugs: readonly string[]) => Start = startWith(CORRECT, BUCKET_BUGS, runSteps);
