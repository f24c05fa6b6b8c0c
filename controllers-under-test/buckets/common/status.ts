/** The status of a bucket: what it should say, beside what others say in it. */
import { isDeepStrictEqual } from 'node:util';
import { type Bucket, type BucketCondition, type BucketStatus, nameOf } from './types.ts';

/** The status of a bucket that is provided, with the conditions of others as they are; the same object when it is so already. */
export function readyStatus(bucket: Bucket): BucketStatus {
  const { status = {} } = bucket;
  const { region = 'north', sizeGiB } = bucket.spec;
  const wanted = {
    ...status,
    observedGeneration: bucket.metadata?.generation ?? 0,
    endpoint: `https://${nameOf(bucket)}.${region}.storage.example.com`,
    conditions: withCondition(status.conditions ?? [], {
      type: 'Ready',
      status: 'True',
      reason: 'Provided',
      message: `${sizeGiB} GiB in ${region}`,
    }),
  };
  return isDeepStrictEqual(wanted, status) ? status : wanted;
}

/** The list with our condition in it, in the place it had. The time of transition moves only when the status does. */
function withCondition(
  conditions: readonly BucketCondition[],
  condition: Omit<BucketCondition, 'lastTransitionTime'>,
): readonly BucketCondition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime =
    old?.status === condition.status ? old.lastTransitionTime : `${new Date().toISOString().slice(0, 19)}Z`;
  const fresh: BucketCondition = { ...condition, lastTransitionTime };
  return old === undefined ? [...conditions, fresh] : conditions.map((item) => (item === old ? fresh : item));
}
