/** Functions shared by all controllers that create pods: counting them and creating one from a template. */
import { controllerOf, type JsonObject, type KubeObject } from 'stalemate-apiserver/objects/object';
import { labelsMatch, parseLabelSelector, selectorText } from 'stalemate-apiserver/selectors';
import type { WorkResult } from '../work-queue.ts';
import { ownedBy, type Api } from './api.ts';
import { mapAt, type View } from './view.ts';

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
  return isTrue(pod, 'Ready');
}

/** Reports whether a pod has a condition of this type that is true. */
export function isTrue(pod: KubeObject, type: unknown): boolean {
  const { conditions } = mapAt(pod, 'status') as { readonly conditions?: readonly JsonObject[] };
  return conditions?.some((one) => one['type'] === type && one['status'] === 'True') === true;
}

/** Returns the pods to delete: those that are not ready first, then the youngest. */
export function surplus(pods: readonly KubeObject[], wanted: number): readonly KubeObject[] {
  if (pods.length <= wanted) return [];
  const keep = pods.toSorted((a, b) => Number(isReady(b)) - Number(isReady(a)));
  return keep.slice(wanted);
}

/** Makes the owner control the objects of a resource that its selector matches and that nothing controls. */
export async function adoptOrphans(
  api: Api,
  view: View,
  owner: KubeObject,
  resource: 'pods' | 'replicasets.apps',
  isPossible: (orphan: KubeObject) => boolean = () => true,
): Promise<WorkResult> {
  const selector = selectorText(mapAt(owner, 'spec')['selector']);
  const matcher = parseLabelSelector(selector);
  if (selector === '' || typeof matcher === 'string' || owner.metadata.deletionTimestamp !== undefined) return 'done';
  for (const orphan of view.in(resource, owner.metadata.namespace ?? '')) {
    const { deletionTimestamp, ownerReferences = [] } = orphan.metadata;
    if (controllerOf(orphan) !== undefined || deletionTimestamp !== undefined) continue;
    if (!labelsMatch(matcher, orphan) || !isPossible(orphan)) continue;
    const adopted = { metadata: { ownerReferences: [...ownerReferences, ownedBy(owner)] } };
    if ((await api.patch(orphan, adopted)) === 'again') return 'again';
  }
  return 'done';
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
