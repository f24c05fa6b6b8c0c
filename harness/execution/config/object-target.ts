/** Where an object is to be found, for programs. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { Cluster } from '../../clusters/cluster.ts';
import type { ObjectTarget } from '../../model/workload.ts';

/** The target of an object by its own name, or by the canonical one that is given; undefined when the cluster does not know its kind. */
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
