/** Computes the status of a bucket; what other controllers wrote into it is kept. */
import { isDeepStrictEqual } from 'node:util';
import { type Bucket, type BucketCondition, type BucketStatus, nameOf } from './types.ts';

/** The status of a bucket that has its objects, with the conditions of other controllers. Returns the same object if nothing changes. */
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

/** Replaces our condition in its place, or appends it. `lastTransitionTime` changes only with `status`. */
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
