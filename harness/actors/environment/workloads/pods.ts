/** Functions shared by all controllers that create pods: counting them and creating one from a template. */
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { ownedBy } from './api.ts';
import { mapAt } from './view.ts';

/** Reports whether a pod counts: neither finished nor terminating. */
export function isActive(pod: KubeObject): boolean {
  const phase = phaseOf(pod);
  return pod.metadata.deletionTimestamp === undefined && phase !== 'Succeeded' && phase !== 'Failed';
}

export function phaseOf(pod: KubeObject): string {
  const { phase } = mapAt(pod, 'status');
  return typeof phase === 'string' ? phase : '';
}

export function isReady(pod: KubeObject): boolean {
  const { conditions } = mapAt(pod, 'status') as { readonly conditions?: readonly JsonObject[] };
  return conditions?.some((one) => one['type'] === 'Ready' && one['status'] === 'True') === true;
}

/** Returns the pods to delete: those that are not ready first, then the youngest. */
export function surplus(pods: readonly KubeObject[], wanted: number): readonly KubeObject[] {
  if (pods.length <= wanted) return [];
  const keep = pods.toSorted((a, b) => Number(isReady(b)) - Number(isReady(a)));
  return keep.slice(wanted);
}

/** Builds a pod of `owner` from a template. Without `name`, the server generates a name from the owner's. */
export function podFrom(
  owner: KubeObject,
  template: JsonObject,
  more: {
    readonly name?: string;
    readonly labels?: JsonObject;
    readonly annotations?: JsonObject;
    readonly spec?: JsonObject;
  } = {},
): KubeObject {
  const own = mapAt(template, 'metadata');
  const annotations = { ...mapAt(own, 'annotations'), ...more.annotations };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(more.name === undefined ? { generateName: `${owner.metadata.name ?? ''}-` } : { name: more.name }),
      namespace: owner.metadata.namespace ?? '',
      labels: { ...mapAt(own, 'labels'), ...more.labels },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ownerReferences: [ownedBy(owner)],
    },
    spec: { ...mapAt(template, 'spec'), ...more.spec },
  } as unknown as KubeObject;
}

/** Returns a short, stable hash of a template: 32-bit FNV-1a of its JSON, in the alphabet of generated names. */
export function templateHash(template: JsonObject): string {
  let hash = 0x811c9dc5;
  for (const character of sortedJson(template)) {
    hash ^= character.codePointAt(0) ?? 0;
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return [...String(hash)].map((digit) => ALPHABET[Number(digit)]).join('');
}

const ALPHABET = 'bcdfghjklm';

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
