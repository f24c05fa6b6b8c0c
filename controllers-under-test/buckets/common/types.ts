/** A Bucket represents storage outside of the cluster by its settings and its credentials. */
import type { KubernetesObject, V1Condition } from '@kubernetes/client-node';

/** Other controllers keep conditions of their own types in the same list. */
export type BucketCondition = Omit<V1Condition, 'lastTransitionTime'> & { readonly lastTransitionTime: string };

export interface BucketStatus {
  readonly observedGeneration?: number;
  readonly endpoint?: string;
  readonly conditions?: readonly BucketCondition[];
}

export interface Bucket extends KubernetesObject {
  readonly spec: { readonly sizeGiB: number; readonly region?: string };
  readonly status?: BucketStatus;
}

export const BUCKETS = { group: 'storage.example.com', version: 'v1', plural: 'buckets' } as const;

/** Keeps a bucket until its objects are deleted. */
export const FINALIZER = 'storage.example.com/cleanup';

export function nameOf(object: KubernetesObject): string {
  return object.metadata?.name ?? '';
}

export function isTerminating(object: KubernetesObject): boolean {
  return object.metadata?.deletionTimestamp !== undefined;
}

export function hasFinalizer(bucket: Bucket): boolean {
  return bucket.metadata?.finalizers?.includes(FINALIZER) ?? false;
}
