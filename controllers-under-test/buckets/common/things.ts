/**
 * The two objects of a bucket: its settings (a ConfigMap) and its credentials (a Secret).
 *
 * They represent storage outside of the cluster, so they have no owner reference and only this controller deletes them. An annotation
 * holds the UID of the bucket. Owns: how an object is read, created, fixed and deleted.
 */
import {
  type CoreV1Api,
  type KubernetesObject,
  PatchStrategy,
  setHeaderOptions,
  type V1DeleteOptions,
} from '@kubernetes/client-node';
import { orUndefined } from '../../lib/errors.ts';
import { type Bucket, nameOf } from './types.ts';

const STAMP = 'storage.example.com/bucket-uid';
export const SETTINGS = '-settings';
export const CREDENTIALS = '-credentials';

/** A ConfigMap or a Secret. */
export interface ThingObject extends KubernetesObject {
  readonly data?: { readonly [key: string]: string };
}

/** One of the two objects of a bucket. */
export interface Thing {
  readonly name: string;
  /** The data that this controller sets; all other data belongs to other writers. */
  readonly data: { readonly [key: string]: string };
  readonly read: () => Promise<ThingObject | undefined>;
  readonly create: () => Promise<unknown>;
  /** Restores what this controller sets, and nothing else. */
  readonly fix: () => Promise<unknown>;
  readonly remove: (options: V1DeleteOptions) => Promise<unknown>;
}

export function settingsOf(core: CoreV1Api, bucket: Bucket): Thing {
  const { name, namespace, metadata } = identity(bucket, SETTINGS);
  const data = { sizeGiB: String(bucket.spec.sizeGiB), region: bucket.spec.region ?? 'north' };
  const mine = { metadata: { annotations: metadata.annotations }, data };
  return {
    name,
    data,
    read: () => orUndefined(core.readNamespacedConfigMap({ name, namespace })),
    create: () => core.createNamespacedConfigMap({ namespace, body: { metadata, data } }),
    fix: () => core.patchNamespacedConfigMap({ name, namespace, body: mine }, AS_MERGE_PATCH),
    remove: (body) => orUndefined(core.deleteNamespacedConfigMap({ name, namespace, body })),
  };
}

export function credentialsOf(core: CoreV1Api, bucket: Bucket): Thing {
  const { name, namespace, metadata } = identity(bucket, CREDENTIALS);
  const data = { user: Buffer.from(`bucket-${nameOf(bucket)}`).toString('base64') };
  const mine = { metadata: { annotations: metadata.annotations }, data };
  return {
    name,
    data,
    read: () => orUndefined(core.readNamespacedSecret({ name, namespace })),
    create: () => core.createNamespacedSecret({ namespace, body: { metadata, data } }),
    fix: () => core.patchNamespacedSecret({ name, namespace, body: mine }, AS_MERGE_PATCH),
    remove: (body) => orUndefined(core.deleteNamespacedSecret({ name, namespace, body })),
  };
}

const AS_MERGE_PATCH = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

function identity(
  bucket: Bucket,
  suffix: string,
): {
  readonly name: string;
  readonly namespace: string;
  readonly metadata: { name: string; annotations: { [key: string]: string } };
} {
  const name = nameOf(bucket) + suffix;
  const annotations = { [STAMP]: bucket.metadata?.uid ?? '' };
  return { name, namespace: bucket.metadata?.namespace ?? '', metadata: { name, annotations } };
}

/** Whether the object was created for exactly this bucket, not for another one with the same name. */
export function isOf(object: ThingObject, bucket: Bucket): boolean {
  return object.metadata?.annotations?.[STAMP] === bucket.metadata?.uid;
}

/** Whether everything that this controller sets in the object is correct. */
export function isRight(object: ThingObject, thing: Thing, bucket: Bucket): boolean {
  return isOf(object, bucket) && Object.entries(thing.data).every(([key, value]) => object.data?.[key] === value);
}

/** The name of the bucket that a ConfigMap or Secret may belong to, from the name of that object. */
export function bucketOf(object: ThingObject, suffix: string): string | undefined {
  const name = nameOf(object);
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;
}
