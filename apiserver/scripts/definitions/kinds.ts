/** The kinds that a server serves, from discovery and from definitions. */
import type { ApiClient } from '../../fidelity/differential/client.ts';
import { isMap, mapOf, mapsOf, textOf } from '../../objects/json.ts';
import type { JsonObject } from '../../objects/object.ts';

/** A client of a server. */
export type Asked = Pick<ApiClient, 'request'>;

/** A kind in one version. */
export interface Served {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly status: boolean;
  /** The other served versions. */
  readonly others: readonly string[];
  readonly custom: boolean;
}

/** Served kinds by `apiVersion kind`. */
export type Kinds = ReadonlyMap<string, Served>;

export function kindKey(object: JsonObject): string {
  return `${textOf(object['apiVersion'])} ${textOf(object['kind'])}`;
}

/** Returns the built-in kinds that can be created. */
export async function builtInKinds(client: Asked): Promise<Kinds> {
  const kinds = new Map<string, Served>();
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  for (const path of ['/api', '/apis']) {
    const { body } = await client.request({ method: 'GET', path, headers: { accept } });
    for (const group of mapsOf(mapOf(body)['items']))
      for (const version of mapsOf(group['versions']))
        for (const resource of mapsOf(version['resources'])) {
          const { verbs, subresources } = resource;
          if (!Array.isArray(verbs) || !verbs.includes('create') || !verbs.includes('delete')) continue;
          const groupName = textOf(mapOf(group['metadata'])['name']);
          const apiVersion = `${groupName === '' ? '' : `${groupName}/`}${textOf(version['version'])}`;
          const kind = textOf(mapOf(resource['responseKind'])['kind']);
          kinds.set(`${apiVersion} ${kind}`, {
            apiVersion,
            kind,
            plural: textOf(resource['resource']),
            namespaced: resource['scope'] === 'Namespaced',
            status: mapsOf(subresources).some((one) => one['subresource'] === 'status'),
            others: [],
            custom: false,
          });
        }
  }
  return kinds;
}

/** Returns the kinds of an installed definition. */
export function definedKinds(crd: JsonObject): readonly Served[] {
  const spec = mapOf(crd['spec']);
  const names = mapOf(spec['names']);
  const group = textOf(spec['group']);
  const versions = mapsOf(spec['versions']).filter((one) => one['served'] === true);
  return versions.map((version) => ({
    apiVersion: `${group}/${textOf(version['name'])}`,
    kind: textOf(names['kind']),
    plural: textOf(names['plural']),
    namespaced: spec['scope'] !== 'Cluster',
    status: isMap(mapOf(version['subresources'])['status']),
    others: versions.filter((other) => other !== version).map((other) => `${group}/${textOf(other['name'])}`),
    custom: true,
  }));
}

/** Returns the path of a kind's objects, or of one of them. */
export function pathOf(served: Served, namespace: string, name = '', apiVersion: string = served.apiVersion): string {
  return [
    apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`,
    ...(served.namespaced ? [`namespaces/${namespace}`] : []),
    served.plural,
    ...(name === '' ? [] : [encodeURIComponent(name)]),
  ].join('/');
}
