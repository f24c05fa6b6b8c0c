/** Computes the status of a pool; what other controllers wrote into it is kept. */
import { isDeepStrictEqual } from 'node:util';
import type { V1Pod } from '@kubernetes/client-node';
import { isOwnedBy, isReady, isTerminating, nameOf, POOL_LABEL } from './pods.ts';
import type { PoolCondition, WorkerPool, WorkerPoolStatus } from './types.ts';

const COMPLETE = 'Complete';

/** The status for these Pods, with the conditions of other controllers. Returns the same object if nothing changes. */
export function statusFor(pool: WorkerPool, pods: readonly V1Pod[]): WorkerPoolStatus {
  const { status = {} } = pool;
  const alive = pods.filter((pod) => isOwnedBy(pod, pool) && !isTerminating(pod));
  const isComplete = alive.length === pool.spec.replicas;
  const wanted = {
    ...status,
    observedGeneration: pool.metadata?.generation ?? 0,
    replicas: alive.length,
    readyReplicas: alive.filter(isReady).length,
    selector: `${POOL_LABEL}=${nameOf(pool)}`,
    conditions: withCondition(status.conditions ?? [], {
      type: COMPLETE,
      status: isComplete ? 'True' : 'False',
      reason: isComplete ? 'AllPodsExist' : 'Scaling',
      message: `${alive.length} of ${pool.spec.replicas} pods exist`,
    }),
  };
  return isDeepStrictEqual(wanted, status) ? status : wanted;
}

/** Replaces our condition in its place, or appends it. `lastTransitionTime` changes only with `status`. */
function withCondition(
  conditions: readonly PoolCondition[],
  condition: Omit<PoolCondition, 'lastTransitionTime'>,
): readonly PoolCondition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime =
    old?.status === condition.status ? old.lastTransitionTime : `${new Date().toISOString().slice(0, 19)}Z`;
  const fresh: PoolCondition = { ...condition, lastTransitionTime };
  return old === undefined ? [...conditions, fresh] : conditions.map((item) => (item === old ? fresh : item));
}
