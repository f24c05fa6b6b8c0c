/** The Pods of a pool: their manifest, and which pool owns a Pod. */
import type { KubernetesObject, V1OwnerReference, V1Pod } from '@kubernetes/client-node';
import { POOLS, type WorkerPool } from './types.ts';

export const POOL_LABEL = 'compute.example.com/pool';
const IMAGE = 'registry.example.com/worker:v1';

export function nameOf(object: KubernetesObject): string {
  return object.metadata?.name ?? '';
}

/** The names of a pool's Pods are numbered, so that the same Pod cannot be created twice. */
export function podNames(pool: WorkerPool): readonly string[] {
  return Array.from({ length: pool.spec.replicas }, (_, index) => `${nameOf(pool)}-${index}`);
}

export function newPod(pool: WorkerPool, name: { readonly name: string } | { readonly generateName: string }): V1Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...name,
      namespace: pool.metadata?.namespace ?? '',
      labels: { [POOL_LABEL]: nameOf(pool) },
      ownerReferences: [ownerReference(pool)],
    },
    spec: { containers: [{ name: 'worker', image: IMAGE }] },
  };
}

export function ownerReference(pool: WorkerPool): V1OwnerReference {
  return {
    apiVersion: `${POOLS.group}/${POOLS.version}`,
    kind: 'WorkerPool',
    name: nameOf(pool),
    uid: pool.metadata?.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

export function controllerOf(object: KubernetesObject): V1OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find((owner) => owner.controller === true);
}

/** The pools that a change of this Pod may affect: its owner, and the pool in its label. */
export function poolsOf(pod: V1Pod): readonly string[] {
  const owner = controllerOf(pod);
  const labelled = pod.metadata?.labels?.[POOL_LABEL];
  return [...(owner?.kind === 'WorkerPool' ? [owner.name] : []), ...(labelled === undefined ? [] : [labelled])];
}

export function isOwnedBy(pod: V1Pod, pool: WorkerPool): boolean {
  return controllerOf(pod)?.uid === pool.metadata?.uid;
}

export function isTerminating(object: KubernetesObject): boolean {
  return object.metadata?.deletionTimestamp !== undefined;
}

/** Whether the Pod belongs to the pool, and has the right label and image. */
export function isSound(pod: V1Pod, pool: WorkerPool): boolean {
  const ours = pod.spec?.containers.find(({ name }) => name === 'worker');
  return isOwnedBy(pod, pool) && pod.metadata?.labels?.[POOL_LABEL] === nameOf(pool) && ours?.image === IMAGE;
}

export function isReady(pod: V1Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}
