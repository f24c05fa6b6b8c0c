/**
 * The served groups: those of a real server, and those of installed custom resources.
 *
 * Owns: discovery data of custom resources, and the order of groups and versions. `documents.ts` formats the documents.
 */
import { createHash } from 'node:crypto';
import type { ResourceDefinition, ServedVersion } from '../definition.ts';
import {
  DISCOVERED,
  type DiscoveredGroup,
  type DiscoveredResource,
  type DiscoveredSubresource,
} from '../kinds/discovery-data.ts';
import type { Registry } from '../registry.ts';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'] as const;
const TERMINATING_VERBS = ['delete', 'deletecollection', 'get', 'list', 'watch'] as const;
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'] as const;

const merged = new WeakMap<Registry, readonly DiscoveredGroup[]>();

/** Returns every group; the core group, with its empty name, is first. */
export function groupsOf(registry: Registry): readonly DiscoveredGroup[] {
  let groups = merged.get(registry);
  if (groups === undefined) merged.set(registry, (groups = merge(registry)));
  return groups;
}

function merge(registry: Registry): readonly DiscoveredGroup[] {
  const custom = new Map<string, Map<string, DiscoveredResource[]>>();
  for (const definition of registry.definitions) {
    if (!definition.custom) continue;
    for (const version of definition.versions) {
      if (!version.served) continue;
      const versions = custom.get(definition.group) ?? new Map<string, DiscoveredResource[]>();
      const resources = versions.get(version.name) ?? [];
      resources.push(discovered(definition, version));
      custom.set(definition.group, versions.set(version.name, resources));
    }
  }
  if (custom.size === 0) return DISCOVERED;
  const groups = [...custom]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, versions]): DiscoveredGroup => ({
      group,
      versions: [...versions]
        .toSorted(([a], [b]) => versionOrder(a, b))
        .map(([version, resources]) => ({ version, resources })),
    }));
  return [...DISCOVERED.filter(({ group }) => !custom.has(group)), ...groups];
}

function discovered(definition: ResourceDefinition, version: ServedVersion): DiscoveredResource {
  const { group, resource, singular, kind, namespaced, shortNames, categories, terminating } = definition;
  const responseKind = { group, version: version.name, kind };
  const subresources: DiscoveredSubresource[] = [];
  if (version.subresources.has('status'))
    subresources.push({ subresource: 'status', responseKind, verbs: SUBRESOURCE_VERBS });
  if (version.subresources.has('scale'))
    subresources.push({
      subresource: 'scale',
      responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      verbs: SUBRESOURCE_VERBS,
    });
  return {
    resource,
    responseKind,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: terminating ? TERMINATING_VERBS : VERBS,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
    storageVersionHash: storageVersionHash(group, version.stored ?? version.name, kind),
  };
}

/** Returns the start of a digest that changes with the storage version, so that clients notice the change. */
function storageVersionHash(group: string, version: string, kind: string): string {
  const digest = createHash('sha256').update(`${group}/${version}/${kind}`).digest();
  return digest.subarray(0, 8).toString('base64');
}

/** Compares versions in Kubernetes' order: v2 > v1 > v1beta2 > v1beta1 > v1alpha1, the rest by name. */
export function versionOrder(a: string, b: string): number {
  const left = versionRank(a);
  const right = versionRank(b);
  for (let index = 0; index < 3; index++) {
    const difference = (right[index] ?? 0) - (left[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function versionRank(version: string): readonly number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return [0, 0, 0];
  const [, major = '0', stage, minor = '0'] = match;
  return [stage === undefined ? 3 : stage === 'beta' ? 2 : 1, Number(major), Number(minor)];
}
