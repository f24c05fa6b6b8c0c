/** Reading and writing Buckets. client-node has no types for custom resources, so they are given here, once. */
import { type CustomObjectsApi, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { orUndefined } from '../../lib/errors.ts';
import { type Bucket, BUCKETS, type BucketStatus, nameOf } from './types.ts';

/** The bucket as it is now; undefined when it is gone or was made anew. */
export async function readLive(custom: CustomObjectsApi, bucket: Bucket): Promise<Bucket | undefined> {
  const live = (await orUndefined(custom.getNamespacedCustomObject(pathOf(bucket)))) as Bucket | undefined;
  return live?.metadata?.uid === bucket.metadata?.uid ? live : undefined;
}

/**
 * Replaces the finalizers of that very version and answers the new one; undefined when the bucket went with them. The list is
 * replaced as a whole and others have theirs in it, so the patch carries the version that it was made from.
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

/** Replaces the status of that very version; a conflict says that there is a newer one. */
export async function replaceStatus(custom: CustomObjectsApi, bucket: Bucket, status: BucketStatus): Promise<void> {
  const body = { ...bucket, status };
  await orUndefined(custom.replaceNamespacedCustomObjectStatus({ ...pathOf(bucket), body }));
}

export function pathOf(bucket: Bucket): typeof BUCKETS & { readonly namespace: string; readonly name: string } {
  return { ...BUCKETS, namespace: bucket.metadata?.namespace ?? '', name: nameOf(bucket) };
}
