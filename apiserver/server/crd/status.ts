/**
 * The status of a CustomResourceDefinition: conditions, stored versions, deletion marks.
 *
 * Owns: reading and building these values. `lifecycle.ts` decides when they change.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import type { Timestamp } from '../../objects/timestamps.ts';

export const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';
export const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

export interface Condition extends JsonObject {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

export function statusOf(crd: KubeObject): JsonObject {
  const status = crd['status'];
  return isMap(status) ? status : {};
}

export function conditionsOf(crd: KubeObject): readonly Condition[] {
  const conditions = statusOf(crd)['conditions'];
  return isList(conditions) ? (conditions as readonly Condition[]) : [];
}

/** Reports whether the definition's resource is served. */
export function isEstablished(crd: KubeObject): boolean {
  return conditionsOf(crd).some((one) => one.type === 'Established' && one.status === 'True');
}

/** Returns the initial status: with the storage version, no names accepted yet. */
export function initialStatus(crd: KubeObject): KubeObject {
  const versions = (crd['spec'] as JsonObject | undefined)?.['versions'];
  const storage = isList(versions) ? versions.filter(isMap).find((version) => version['storage'] === true) : undefined;
  return {
    ...crd,
    status: {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: storage === undefined ? null : [storage['name'] ?? ''],
    },
  };
}

/** Returns the definition after its first DELETE: Terminating, with the cleanup finalizer. */
export function markedForDeletion(clock: { readonly timestamp: Timestamp }, crd: KubeObject): KubeObject {
  const { metadata } = crd;
  const terminating: Condition = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: clock.timestamp(),
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  const finalizers = metadata.finalizers ?? [];
  return {
    ...crd,
    metadata: {
      ...metadata,
      deletionTimestamp: clock.timestamp(),
      finalizers: finalizers.includes(CLEANUP) ? finalizers : [...finalizers, CLEANUP],
    },
    status: { ...statusOf(crd), conditions: [...conditionsOf(crd), terminating] },
  };
}
