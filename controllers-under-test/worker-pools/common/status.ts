/** The status of a pool: what it should say, beside what others say in it. */
import { isDeepStrictEqual } from 'node:util';
import type { V1Pod } from '@kubernetes/client-node';
import { isOwnedBy, isReady, isTerminating, nameOf, POOL_LABEL } from './pods.ts';
import type { PoolCondition, WorkerPool, WorkerPoolStatus } from './types.ts';

const COMPLETE = 'Complete';

/** The status that these Pods call for, with the conditions of others as they are; the same object when it is so already. */
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

/** The list with our condition in it, in the place it had. The time of transition moves only when the status does. */
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
