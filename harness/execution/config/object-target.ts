/** Finds the address of an object for program operations. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { Cluster } from '../../clusters/cluster.ts';
import type { ObjectTarget } from '../../model/workload.ts';

/**
 * Returns the target of an object under its own name, or under the given canonical name; undefined if the cluster does not know its kind.
 */
export function objectTarget(
  cluster: Pick<Cluster, 'kindFor'>,
  object: KubeObject,
  name?: string,
): ObjectTarget | undefined {
  const kind = cluster.kindFor(object.apiVersion, object.kind);
  if (kind === undefined) return undefined;
  const { group, version, resource } = kind;
  const { metadata } = object;
  return { group, version, resource, namespace: metadata.namespace ?? '', name: name ?? metadata.name ?? '' };
}
