/** Reads and writes Buckets. client-node has no types for custom resources, so results are cast here. */
import { type CustomObjectsApi, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { orUndefined } from '../../lib/errors.ts';
import { type Bucket, BUCKETS, type BucketStatus, nameOf } from './types.ts';

/** The current bucket; undefined if it was deleted or recreated. */
export async function readLive(custom: CustomObjectsApi, bucket: Bucket): Promise<Bucket | undefined> {
  const live = (await orUndefined(custom.getNamespacedCustomObject(pathOf(bucket)))) as Bucket | undefined;
  return live?.metadata?.uid === bucket.metadata?.uid ? live : undefined;
}

/**
 * Replaces the finalizers of exactly this version and returns the new bucket; undefined if it no longer exists. The patch replaces the
 * whole list, which has finalizers of other controllers too, so it sends the resourceVersion it is based on.
 */
export async function replaceFinalizers(
  custom: CustomObjectsApi,
  bucket: Bucket,
  finalizers: readonly string[],
): Promise<Bucket | undefined> {
  const resourceVersion = bucket.metadata?.resourceVersion;
  const patched = custom.patchNamespacedCustomObject(
    { ...pathOf(bucket), body: { metadata: { resourceVersion, finalizers } } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  );
  return (await orUndefined(patched)) as Bucket | undefined;
}

/** Replaces the status of exactly this version; fails with a conflict if there is a newer one. */
export async function replaceStatus(custom: CustomObjectsApi, bucket: Bucket, status: BucketStatus): Promise<void> {
  const body = { ...bucket, status };
  await orUndefined(custom.replaceNamespacedCustomObjectStatus({ ...pathOf(bucket), body }));
}

export function pathOf(bucket: Bucket): typeof BUCKETS & { readonly namespace: string; readonly name: string } {
  return { ...BUCKETS, namespace: bucket.metadata?.namespace ?? '', name: nameOf(bucket) };
}
