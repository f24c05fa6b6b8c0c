/**
 * What all WorkerPool controllers share: caches, work queue and the order of a reconcile.
 *
 * Like client-go's, both caches list with `resourceVersion=0`: the API server answers from its watch cache, which is cheap but may be
 * stale. The parts that are passed in must know which decisions need a fresh read. Start at {@link runWorkerPools}.
 */
import { CoreV1Api, CustomObjectsApi, type KubernetesListObject, type V1Pod } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { runController } from '../../lib/controller.ts';
import type { Cache } from '../../lib/informer.ts';
import { follow } from '../../lib/informer.ts';
import { WorkQueue } from '../../lib/work-queue.ts';
import { isTerminating, nameOf, poolsOf } from './pods.ts';
import { POOLS, type WorkerPool } from './types.ts';

/** The clients and caches that the parts use. */
export interface Clients {
  readonly namespace: string;
  readonly core: CoreV1Api;
  readonly custom: CustomObjectsApi;
  readonly queue: WorkQueue;
  /** The caches; their objects may be stale. */
  readonly pools: Cache<WorkerPool>;
  readonly pods: Cache<V1Pod>;
}

export interface PoolParts {
  /** Creates and deletes Pods until the pool has what its spec asks for. Returns false if the pool no longer exists. */
  readonly scale: (clients: Clients, pool: WorkerPool) => Promise<boolean>;
  /** Writes the status. Called at the end of every reconcile. */
  readonly report: (clients: Clients, pool: WorkerPool) => Promise<void>;
  /** Creates the caches; by default `follow` of `lib/informer.ts`. */
  readonly follow?: typeof follow;
}

const FROM_MEMORY = { resourceVersion: '0' } as const;

/** Starts a WorkerPool controller. */
export async function runWorkerPools(
  context: ControllerContext,
  { scale, report, follow: keep = follow }: PoolParts,
): Promise<RunningController> {
  const { kubeConfig, namespace } = context;
  const core = kubeConfig.makeApiClient(CoreV1Api);
  const custom = kubeConfig.makeApiClient(CustomObjectsApi);
  const queue = new WorkQueue(reconcile);

  const pools = keep<WorkerPool>({
    kubeConfig,
    path: `/apis/${POOLS.group}/${POOLS.version}/namespaces/${namespace}/${POOLS.plural}`,
    list: async () =>
      (await custom.listNamespacedCustomObject({
        ...POOLS,
        namespace,
        ...FROM_MEMORY,
      })) as KubernetesListObject<WorkerPool>,
    onChange: (pool) => queue.add(nameOf(pool)),
  });
  const pods = keep<V1Pod>({
    kubeConfig,
    path: `/api/v1/namespaces/${namespace}/pods`,
    list: () => core.listNamespacedPod({ namespace, ...FROM_MEMORY }),
    onChange: (pod) => {
      for (const pool of poolsOf(pod)) queue.add(pool);
    },
  });
  const clients: Clients = { namespace, core, custom, queue, pools, pods };

  async function reconcile(name: string): Promise<void> {
    const pool = pools.get(name, namespace);
    // The garbage collector deletes the Pods of a deleted pool, by their owner references.
    if (pool === undefined || isTerminating(pool)) return;
    if (await scale(clients, pool)) await report(clients, pool);
  }

  return runController(context, queue, [pools, pods]);
}
