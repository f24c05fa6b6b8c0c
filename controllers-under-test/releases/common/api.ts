/** Reads and writes Releases. client-node has no types for custom resources, so results are cast here. */
import type { CustomObjectsApi } from '@kubernetes/client-node';
import { orUndefined } from '../../lib/errors.ts';
import { nameOf } from './deployment.ts';
import { type Release, type ReleaseStatus, RELEASES } from './types.ts';

/** The current release; undefined if it was deleted or recreated, or is terminating. */
export async function readLive(custom: CustomObjectsApi, release: Release): Promise<Release | undefined> {
  const live = (await orUndefined(custom.getNamespacedCustomObject(pathOf(release)))) as Release | undefined;
  const isThere = live?.metadata?.uid === release.metadata?.uid && live?.metadata?.deletionTimestamp === undefined;
  return isThere ? live : undefined;
}

/** Replaces the status of exactly this version; fails with a conflict if there is a newer one. */
export async function replaceStatus(custom: CustomObjectsApi, release: Release, status: ReleaseStatus): Promise<void> {
  const body = { ...release, status };
  await orUndefined(custom.replaceNamespacedCustomObjectStatus({ ...pathOf(release), body }));
}

export function pathOf(release: Release): typeof RELEASES & { readonly namespace: string; readonly name: string } {
  return { ...RELEASES, namespace: release.metadata?.namespace ?? '', name: nameOf(release) };
}
