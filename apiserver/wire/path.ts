/** Request paths of objects and collections: the inverse of `request-info.ts`. */
import type { ResourceRef } from '../objects/object.ts';

/** Returns `/api/v1/namespaces/default/pods` or `/apis/apps/v1/deployments`; an empty namespace means cluster-wide. */
export function collectionPath(ref: ResourceRef, namespace: string): string {
  const root = ref.group === '' ? `/api/${ref.version}` : `/apis/${ref.group}/${ref.version}`;
  return namespace === '' ? `${root}/${ref.resource}` : `${root}/namespaces/${namespace}/${ref.resource}`;
}

/** Returns the path of one object, or of one of its subresources. */
export function objectPath(ref: ResourceRef, namespace: string, name: string, subresource?: string): string {
  const path = `${collectionPath(ref, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}
