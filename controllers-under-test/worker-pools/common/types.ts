/** A WorkerPool keeps `spec.replicas` Pods. */
import type { KubernetesObject, V1Condition } from '@kubernetes/client-node';

/** Other controllers keep conditions of their own types in the same list. */
export type PoolCondition = Omit<V1Condition, 'lastTransitionTime'> & { readonly lastTransitionTime: string };

export interface WorkerPoolStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly selector?: string;
  readonly conditions?: readonly PoolCondition[];
  /** Only a few variants write this field and the next one. */
  readonly observedVersion?: string;
  readonly lastChecked?: string;
}

export interface WorkerPool extends KubernetesObject {
  readonly spec: { readonly replicas: number };
  readonly status?: WorkerPoolStatus;
}

export const POOLS = { group: 'compute.example.com', version: 'v1', plural: 'workerpools' } as const;
