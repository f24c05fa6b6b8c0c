/** Discovery documents: the plain lists, and the aggregated form with its hash. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../objects/object.ts';
import type { ApiRequest, ApiResponse } from '../../wire/http.ts';
import {
  DISCOVERED,
  type DiscoveredGroup,
  type DiscoveredResource,
  type DiscoveredVersion,
  type ResponseKind,
} from '../kinds/discovery-data.ts';
import { NO_METHOD, NO_RESOURCE, UNKNOWN_PATH } from '../refusal.ts';
import type { Registry } from '../registry.ts';
import { methodsAt } from '../routing.ts';
import { groupsOf } from './groups.ts';

export const CORE_VERSIONS: JsonObject = {
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:443' }],
};

/** Returns the APIGroup of a named group: any but the core group. */
function groupObject({ group, versions }: DiscoveredGroup): JsonObject {
  const named = versions.map(({ version }): JsonObject => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: named, preferredVersion: named[0] };
}

/** Returns the answer to `/apis`. */
export function groupList(registry: Registry): JsonObject {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groupsOf(registry)
      .filter(({ group }) => group !== '')
      .map(groupObject),
  };
}

/** Answers `/apis/G`, `/apis/G/V`, `/api/v1` or any other path below them. */
export function groupOrVersion(registry: Registry, path: string, method: string): ApiResponse {
  const parts = path.split('/').slice(1);
  const [root, first = '', second, third] = parts;
  const core = root === 'api';
  if (!core && root !== 'apis') return UNKNOWN_PATH;
  const group = core ? '' : first;
  const version = core ? first : second;
  const below = core ? second : third;
  const known = groupsOf(registry).find((one) => one.group === group && (core || group !== ''));
  if (known === undefined) return UNKNOWN_PATH;
  if (version === undefined) return { code: 200, body: { kind: 'APIGroup', apiVersion: 'v1', ...groupObject(known) } };
  const found = known.versions.find((one) => one.version === version);
  if (found !== undefined && below === undefined) return { code: 200, body: resourceList(group, found) };
  if (!DISCOVERED.includes(known)) return UNKNOWN_PATH;
  const methods = methodsAt(core ? version : `${group}/${version}`, parts.slice(core ? 2 : 3));
  return methods === undefined || methods.has(method) ? NO_RESOURCE : NO_METHOD;
}

function resourceList(group: string, { version, resources }: DiscoveredVersion): JsonObject {
  const own = { group, version };
  return {
    kind: 'APIResourceList',
    // The list of the core group has no `apiVersion`: it is older than this field.
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: resources.flatMap((resource) => resourceEntries(resource, own)),
  };
}

function resourceEntries(found: DiscoveredResource, own: Omit<ResponseKind, 'kind'>): readonly JsonObject[] {
  const { resource, singularResource, scope, responseKind, verbs, shortNames, categories, storageVersionHash } = found;
  const namespaced = scope === 'Namespaced';
  const main: JsonObject = {
    name: resource,
    singularName: singularResource,
    namespaced,
    ...kindFields(responseKind, own),
    verbs,
    ...(shortNames === undefined ? {} : { shortNames }),
    ...(categories === undefined ? {} : { categories }),
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  };
  return [
    main,
    ...(found.subresources ?? []).map((sub): JsonObject => ({
      name: `${resource}/${sub.subresource}`,
      singularName: '',
      namespaced,
      ...kindFields(sub.responseKind, own),
      verbs: sub.verbs,
    })),
  ];
}

/** Returns the type of a resource: group and version are only written where they differ from those of the list. */
function kindFields({ group, version, kind }: ResponseKind, own: Omit<ResponseKind, 'kind'>): JsonObject {
  const foreign = version !== '' && (group !== own.group || version !== own.version);
  return foreign ? { group, version, kind } : { kind };
}

const AGGREGATED_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface Aggregated {
  readonly list: JsonObject;
  readonly hash: string;
}

const aggregated = new WeakMap<readonly DiscoveredGroup[], { core?: Aggregated; named?: Aggregated }>();

/** Answers `/api` or `/apis` in the aggregated form. */
export function aggregatedAnswer(registry: Registry, core: boolean, request: ApiRequest): ApiResponse {
  const groups = groupsOf(registry);
  let known = aggregated.get(groups);
  if (known === undefined) aggregated.set(groups, (known = {}));
  const of = core ? 'core' : 'named';
  const { list, hash } = (known[of] ??= aggregate(groups.filter(({ group }) => (group === '') === core)));
  const headers = { 'content-type': AGGREGATED_TYPE, etag: `"${hash}"`, vary: 'Accept', 'cache-control': 'public' };
  const tags = request.headers['if-none-match'] ?? '';
  if (tags.split(',').some((tag) => tag.trim() === `"${hash}"`))
    return { code: 304, plainText: true, body: '', headers };
  return { code: 200, plainText: true, body: list, headers };
}

function aggregate(groups: readonly DiscoveredGroup[]): Aggregated {
  const items = groups.map(({ group, versions }): JsonObject => ({
    metadata: group === '' ? {} : { name: group },
    versions: versions.map(({ version, resources }): JsonObject => ({
      version,
      resources: resources.map(aggregatedResource),
      freshness: 'Current',
    })),
  }));
  const list = { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
  const text = JSON.stringify(list);
  return { list, hash: createHash('sha512').update(text).digest('hex').toUpperCase() };
}

/** Returns a resource in the aggregated form, which omits the storage version hash. */
function aggregatedResource(found: DiscoveredResource): JsonObject {
  const resource = { ...found, storageVersionHash: undefined };
  return resource as unknown as JsonObject;
}

/** Reports whether the first supported media type of the header is the aggregated one. */
export function wantsAggregated(accept: string): boolean {
  for (const part of accept.split(',')) {
    const [type = '', ...parameters] = part.trim().split(';');
    if (type !== 'application/json' && type !== '*/*') continue;
    const given = new Set(parameters.map((one) => one.trim()));
    if (!given.has('as=APIGroupDiscoveryList')) return false;
    if (given.has('g=apidiscovery.k8s.io') && given.has('v=v2')) return true;
  }
  return false;
}
