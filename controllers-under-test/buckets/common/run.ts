/**
 * What all Bucket controllers share: caches, work queue and the order of a reconcile.
 *
 * Each variant passes in its own functions to provide, to clean up and to report. Start at {@link runBuckets}.
 */
import {
  CoreV1Api,
  CustomObjectsApi,
  type KubernetesListObject,
  type V1ConfigMap,
  type V1Secret,
} from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { runController } from '../../lib/controller.ts';
import type { Cache, Change } from '../../lib/informer.ts';
import { follow } from '../../lib/informer.ts';
import { WorkQueue } from '../../lib/work-queue.ts';
import { bucketOf, CREDENTIALS, SETTINGS } from './things.ts';
import { type Bucket, BUCKETS, hasFinalizer, isTerminating, nameOf } from './types.ts';

/** The clients and caches that the parts use. */
export interface Clients {
  readonly namespace: string;
  readonly core: CoreV1Api;
  readonly custom: CustomObjectsApi;
  /** The caches; their objects may be stale. */
  readonly buckets: Cache<Bucket>;
  readonly settings: Cache<V1ConfigMap>;
  readonly credentials: Cache<V1Secret>;
}

export interface BucketParts {
  /** Creates or fixes the objects of a bucket. Returns false if the bucket is deleted or terminating, so that no status is written. */
  readonly provide: (clients: Clients, bucket: Bucket) => Promise<boolean>;
  /** Writes the status of a bucket that has its objects. */
  readonly report: (clients: Clients, bucket: Bucket) => Promise<void>;
  /** Deletes the objects of a bucket, then removes the finalizer. */
  readonly cleanUp: (clients: Clients, bucket: Bucket) => Promise<void>;
  /** Creates the caches; by default `follow` of `lib/informer.ts`. */
  readonly follow?: typeof follow;
  /** Called with every change of a bucket. */
  readonly heard?: (bucket: Bucket, how: Change) => void;
}

/** Starts a Bucket controller. */
export async function runBuckets(context: ControllerContext, parts: BucketParts): Promise<RunningController> {
  const { kubeConfig, namespace } = context;
  const { provide, report, cleanUp, follow: keep = follow } = parts;
  const core = kubeConfig.makeApiClient(CoreV1Api);
  const custom = kubeConfig.makeApiClient(CustomObjectsApi);
  const queue = new WorkQueue(reconcile);

  const buckets = keep<Bucket>({
    kubeConfig,
    path: `/apis/${BUCKETS.group}/${BUCKETS.version}/namespaces/${namespace}/${BUCKETS.plural}`,
    list: async () =>
      (await custom.listNamespacedCustomObject({ ...BUCKETS, namespace })) as KubernetesListObject<Bucket>,
    onChange: (bucket, how) => {
      parts.heard?.(bucket, how);
      queue.add(nameOf(bucket));
    },
  });
  const settings = keep<V1ConfigMap>({
    kubeConfig,
    path: `/api/v1/namespaces/${namespace}/configmaps`,
    list: () => core.listNamespacedConfigMap({ namespace }),
    onChange: (object) => addBucket(bucketOf(object, SETTINGS)),
  });
  const credentials = keep<V1Secret>({
    kubeConfig,
    path: `/api/v1/namespaces/${namespace}/secrets`,
    list: () => core.listNamespacedSecret({ namespace }),
    onChange: (object) => addBucket(bucketOf(object, CREDENTIALS)),
  });
  const clients: Clients = { namespace, core, custom, buckets, settings, credentials };

  function addBucket(name: string | undefined): void {
    if (name !== undefined) queue.add(name);
  }

  async function reconcile(name: string): Promise<void> {
    const bucket = buckets.get(name, namespace);
    if (bucket === undefined) return;
    if (!isTerminating(bucket)) {
      if (await provide(clients, bucket)) await report(clients, bucket);
    } else if (hasFinalizer(bucket)) {
      await cleanUp(clients, bucket);
    }
  }

  return runController(context, queue, [buckets, settings, credentials]);
}
