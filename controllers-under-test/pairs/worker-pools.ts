/** The WorkerPool controller as separate steps, and bugs that replace some of them. */
import type { ControllerContext, RunningController } from '../lib/controller.ts';
import { isConflict, orUndefined } from '../lib/errors.ts';
import { retryOnConflict, sleep } from '../lib/retry.ts';
import { pathOf, readLive, removePod, replaceStatus } from '../worker-pools/common/api.ts';
import { isOwnedBy, isTerminating, nameOf, newPod } from '../worker-pools/common/pods.ts';
import { type Clients, runWorkerPools } from '../worker-pools/common/run.ts';
import { statusFor } from '../worker-pools/common/status.ts';
import { type WorkerPool, type WorkerPoolStatus } from '../worker-pools/common/types.ts';
import { scale as scaleRight } from '../worker-pools/correct/controller.ts';
import { type Bugs, type Start, startWith } from './bugs.ts';

interface Steps {
  /** Creates and deletes Pods until the pool has what its spec asks for. Returns false if the pool no longer exists. */
  readonly scale: (clients: Clients, pool: WorkerPool, create: Steps['create']) => Promise<boolean>;
  readonly create: (clients: Clients, pool: WorkerPool, name: PodName) => Promise<void>;
  /** The pool whose status is written; undefined if it no longer exists. */
  readonly readPool: (clients: Clients, pool: WorkerPool) => Promise<WorkerPool | undefined>;
  readonly writeStatus: (clients: Clients, live: WorkerPool, status: WorkerPoolStatus) => Promise<unknown>;
  readonly atEnd: (clients: Clients, pool: WorkerPool) => Promise<void>;
}

type PodName = { readonly name: string } | { readonly generateName: string };

const CORRECT: Steps = {
  scale: (clients, pool, create) => scaleRight(clients, pool, (c, live, name) => create(c, live, { name })),
  create: async ({ core, namespace }, pool, name) => {
    await core.createNamespacedPod({ namespace, body: newPod(pool, name) });
  },
  readPool: ({ custom }, pool) => readLive(custom, pool),
  writeStatus: ({ custom }, live, status) => replaceStatus(custom, live, status),
  atEnd: () => Promise.resolve(),
};

function runSteps(context: ControllerContext, steps: Steps): Promise<RunningController> {
  async function report(clients: Clients, pool: WorkerPool): Promise<void> {
    const { pods, namespace } = clients;
    if (statusFor(pool, pods.list(namespace)) !== pool.status) {
      await retryOnConflict(async () => {
        const live = await steps.readPool(clients, pool);
        // The spec is newer than the cached one and not applied yet: the next reconcile will report it.
        if (live === undefined || live.metadata?.generation !== pool.metadata?.generation) return;
        const status = statusFor(live, pods.list(namespace));
        if (status !== live.status) await steps.writeStatus(clients, live, status);
      });
    }
    await steps.atEnd(clients, pool);
  }

  return runWorkerPools(context, {
    scale: (clients, pool) => steps.scale(clients, pool, steps.create),
    report,
  });
}

const PAUSE_MS = 1000;
const AGAIN_MS = 500;
const ATTEMPTS = 3;

const WORKER_POOL_BUGS: Bugs<Steps> = {
  'counts-in-cache': () => ({
    scale: async (clients, pool, create) => {
      const { pods, namespace } = clients;
      const { replicas } = pool.spec;
      const owned = pods.list(namespace).filter((pod) => isOwnedBy(pod, pool) && !isTerminating(pod));
      for (let count = owned.length; count < replicas; count++) {
        await create(clients, pool, { generateName: `${nameOf(pool)}-worker-` });
      }
      for (const pod of owned.slice(replicas)) await removePod(clients, pod);
      return true;
    },
  }),

  'acts-on-difference': () => {
    const lastReplicas = new Map<string, number>();
    return {
      scale: async (clients, pool, create) => {
        const { pods, namespace } = clients;
        const uid = pool.metadata?.uid ?? '';
        const owned = pods.list(namespace).filter((pod) => isOwnedBy(pod, pool) && !isTerminating(pod));
        const before = lastReplicas.get(uid) ?? owned.length;
        lastReplicas.set(uid, pool.spec.replicas);
        for (let more = pool.spec.replicas - before; more > 0; more--) {
          await create(clients, pool, { generateName: `${nameOf(pool)}-worker-` });
        }
        for (const pod of owned.slice(0, Math.max(before - pool.spec.replicas, 0))) await removePod(clients, pod);
        return true;
      },
    };
  },

  'pauses-between-creates': ({ create }) => ({
    // The pause is before each create: the pool may be deleted by the time the Pod is created.
    create: async (clients, pool, name) => {
      await sleep(PAUSE_MS);
      await create(clients, pool, name);
    },
  }),

  'gives-up-on-exists': ({ scale, create }) => {
    const givenUp = new Set<string>();
    return {
      scale: async (clients, pool, createOne) => givenUp.has(nameOf(pool)) || scale(clients, pool, createOne),
      create: async (clients, pool, name) => {
        for (let attempt = 1; ; attempt++) {
          try {
            return await create(clients, pool, name);
          } catch (error) {
            if (isConflict(error)) {
              givenUp.add(nameOf(pool));
              throw new Error(`a pod of ${nameOf(pool)} exists and is not ours`, { cause: error });
            }
            if (attempt === ATTEMPTS) throw error;
          }
        }
      },
    };
  },

  'requeues-always': () => ({
    atEnd: async ({ custom, queue }, pool) => {
      await readLive(custom, pool);
      queue.addAfter(nameOf(pool), AGAIN_MS);
    },
  }),

  'writes-status-with-spec': () => ({
    writeStatus: ({ custom }, live, status) =>
      orUndefined(custom.replaceNamespacedCustomObject({ ...pathOf(live), body: { ...live, status } })),
  }),

  'takes-conditions-from-cache': ({ readPool }) => ({
    readPool: async (clients, pool) => {
      const live = await readPool(clients, pool);
      if (live === undefined || pool.status === undefined) return live;
      return { ...live, status: pool.status };
    },
  }),
};

export const startWorkerPools: (bugs: readonly string[]) => Start = startWith(CORRECT, WORKER_POOL_BUGS, runSteps);
