/** Minimal objects for claims. */
import type { JsonObject } from '../../objects/object.ts';
import { GROUP } from '../differential/crds.ts';

export { configMap, widget } from '../conformance/case.ts';

/** Returns an object of a custom resource without the status subresource. (The kind `Widget` has that subresource.) */
export function bare(name: string, spec: JsonObject = { size: 1 }): JsonObject {
  return { apiVersion: `${GROUP}/v1`, kind: 'Plain', metadata: { name }, spec };
}

export function lease(name: string, spec: JsonObject = { holderIdentity: 'me' }): JsonObject {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec };
}

export function deployment(name: string): JsonObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec };
}
