/** The paths of the resource that a CRD defines. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { collectionPath } from 'stalemate-apiserver/wire/path';

interface DefinitionSpec {
  readonly group: string;
  readonly names: { readonly plural: string };
  readonly scope: string;
  readonly versions: readonly { readonly name: string; readonly served?: boolean }[];
}

/** Returns the path for creating objects; undefined if no version is served. */
export function creationPathOf({ spec }: KubeObject, namespace: string): string | undefined {
  const { group, names, scope, versions } = spec as unknown as DefinitionSpec;
  const version = versions.find(({ served }) => served !== false)?.name;
  if (version === undefined) return undefined;
  return collectionPath({ group, version, resource: names.plural }, scope === 'Cluster' ? '' : namespace);
}

/** Returns the paths that answer once a CRD is served: its collections, and discovery, which follows a little later. */
export function placesOf({ spec }: KubeObject): readonly string[] {
  const { group, names, versions } = spec as unknown as DefinitionSpec;
  return versions
    .filter(({ served }) => served !== false)
    .flatMap(({ name }) => [
      `/apis/${group}/${name}/${names.plural}`,
      `/apis/${group}/${name}`,
      `/apis/apiregistration.k8s.io/v1/apiservices/${name}.${group}`,
    ]);
}
