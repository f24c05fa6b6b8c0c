/**
 * What is served, as clients ask for it: groups, versions, resources, version, health, OpenAPI.
 *
 * Owns: every path that names no resource. Aggregated discovery is answered when the Accept header asks for it. The OpenAPI v3
 * documents are stubs: they say just enough for kubectl to send `fieldValidation` instead of validating itself.
 */
import type { JsonObject } from '../model/object.ts';
import type { ApiRequest, ApiResponse } from '../wire/http.ts';
import type { ResourceDefinition, ServedVersion } from './definition.ts';
import { UNKNOWN_PATH } from './refusal.ts';
import type { Registry } from './registry.ts';
import { VIRTUAL_KINDS } from './verbs/reviews.ts';

/** The version that is imitated. */
const VERSION: JsonObject = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.3',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '',
  goVersion: '',
  compiler: '',
  platform: '',
};

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;
const TERMINATING_VERBS = ['delete', 'deletecollection', 'get', 'list', 'watch'] as const;
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'] as const;

/** A group version and what it serves. */
interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly (readonly [ResourceDefinition, ServedVersion])[];
}

const cache = new WeakMap<Registry, readonly GroupVersion[]>();

function groupVersions(registry: Registry): readonly GroupVersion[] {
  const known = cache.get(registry);
  if (known !== undefined) return known;
  const found = new Map<
    string,
    { group: string; version: string; resources: (readonly [ResourceDefinition, ServedVersion])[] }
  >();
  for (const { group } of VIRTUAL_KINDS) found.set(`${group}/v1`, { group, version: 'v1', resources: [] });
  for (const definition of registry.definitions)
    for (const version of definition.versions) {
      if (!version.served) continue;
      const { apiVersion } = version;
      let entry = found.get(apiVersion);
      if (entry === undefined)
        found.set(apiVersion, (entry = { group: definition.group, version: version.name, resources: [] }));
      entry.resources.push([definition, version]);
    }
  const list = [...found.values()].sort(
    (a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : 0) || versionOrder(a.version, b.version),
  );
  cache.set(registry, list);
  return list;
}

/** Kube-aware order: v2 > v1 > v1beta2 > v1beta1 > v1alpha1, the rest by name. */
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

/** Answers a path that names no resource. */
export function discover(registry: Registry, request: ApiRequest): ApiResponse {
  if (request.method !== 'GET' && request.method !== 'HEAD') return UNKNOWN_PATH;
  const path = request.path.length > 1 && request.path.endsWith('/') ? request.path.slice(0, -1) : request.path;
  const aggregated = wantsAggregated(request.headers['accept'] ?? '');
  switch (path) {
    case '/version':
      return { code: 200, body: VERSION };
    case '/healthz':
    case '/livez':
    case '/readyz':
      return health(path.slice(1), request);
    case '/api':
      return aggregated ? aggregate(registry, true) : { code: 200, body: CORE_VERSIONS };
    case '/apis':
      return aggregated ? aggregate(registry, false) : { code: 200, body: groupList(registry) };
    case '/openapi/v3':
      return { code: 200, body: openApiIndex(registry) };
    default:
      return path.startsWith('/openapi/v3/') ? openApi(registry, path.slice(12)) : groupOrVersion(registry, path);
  }
}

function health(name: string, request: ApiRequest): ApiResponse {
  const verbose = request.query['verbose'] !== undefined;
  return { code: 200, plainText: true, body: verbose ? `[+]ping ok\n${name} check passed\n` : 'ok' };
}

const CORE_VERSIONS: JsonObject = {
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1' }],
};

/** The first media type of the header that this server can answer decides. */
function wantsAggregated(accept: string): boolean {
  for (const part of accept.split(',')) {
    const [type = '', ...parameters] = part.trim().split(';');
    if (type !== 'application/json' && type !== '*/*') continue;
    const given = new Set(parameters.map((one) => one.trim()));
    if (given.has('as=APIGroupDiscoveryList')) {
      if (given.has('g=apidiscovery.k8s.io') && given.has('v=v2')) return true;
      continue;
    }
    return false;
  }
  return false;
}

function groupNames(registry: Registry): readonly string[] {
  return [...new Set(groupVersions(registry).map((one) => one.group))].filter((group) => group !== '');
}

function groupObject(registry: Registry, group: string): JsonObject {
  const versions = groupVersions(registry)
    .filter((one) => one.group === group)
    .map((one): JsonObject => ({ groupVersion: `${group}/${one.version}`, version: one.version }));
  return { name: group, versions, preferredVersion: versions[0] };
}

function groupList(registry: Registry): JsonObject {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groupNames(registry).map((group) => groupObject(registry, group)),
  };
}

function groupOrVersion(registry: Registry, path: string): ApiResponse {
  const parts = path.split('/').slice(1);
  if (parts[0] === 'apis' && parts.length === 2 && groupNames(registry).includes(parts[1] ?? ''))
    return { code: 200, body: { kind: 'APIGroup', apiVersion: 'v1', ...groupObject(registry, parts[1] ?? '') } };
  const core = parts[0] === 'api' && parts.length === 2;
  if (!core && !(parts[0] === 'apis' && parts.length === 3)) return UNKNOWN_PATH;
  const [group, version] = core ? ['', parts[1]] : [parts[1], parts[2]];
  const found = groupVersions(registry).find((one) => one.group === group && one.version === version);
  if (found === undefined) return UNKNOWN_PATH;
  const groupVersion = found.group === '' ? found.version : `${found.group}/${found.version}`;
  const resources = [
    ...found.resources.flatMap(([definition, served]) => resourceEntries(definition, served)),
    ...virtualEntries(found),
  ];
  return { code: 200, body: { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources } };
}

function virtualEntries({ group, version }: GroupVersion): readonly JsonObject[] {
  return VIRTUAL_KINDS.filter((one) => one.group === group && version === 'v1').map((one) => ({
    name: one.resource,
    singularName: one.kind.toLowerCase(),
    namespaced: one.namespaced,
    kind: one.kind,
    verbs: ['create'],
  }));
}

interface Sub {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
}

function subresources(definition: ResourceDefinition, served: ServedVersion): readonly Sub[] {
  return [...served.subresources].map((name): Sub => {
    switch (name) {
      case 'scale':
        return { name, verbs: SUBRESOURCE_VERBS, group: 'autoscaling', version: 'v1', kind: 'Scale' };
      case 'binding':
        return { name, verbs: ['create'], kind: 'Binding' };
      case 'eviction':
        return { name, verbs: ['create'], group: 'policy', version: 'v1', kind: 'Eviction' };
      case 'token':
        return { name, verbs: ['create'], group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };
      case 'finalize':
        return { name, verbs: ['update'], kind: definition.kind };
      default:
        return { name, verbs: SUBRESOURCE_VERBS, kind: definition.kind };
    }
  });
}

function verbsOf(definition: ResourceDefinition): readonly string[] {
  if (definition.terminating) return TERMINATING_VERBS;
  return definition.gr === 'namespaces' ? VERBS.filter((verb) => verb !== 'deletecollection') : VERBS;
}

function resourceEntries(definition: ResourceDefinition, served: ServedVersion): readonly JsonObject[] {
  const { resource, singular, namespaced, kind, shortNames, categories } = definition;
  const main: JsonObject = {
    name: resource,
    singularName: singular,
    namespaced,
    kind,
    verbs: verbsOf(definition),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    storageVersionHash: '',
  };
  return [
    main,
    ...subresources(definition, served).map((sub): JsonObject => ({
      name: `${resource}/${sub.name}`,
      singularName: '',
      namespaced,
      ...(sub.group === undefined ? {} : { group: sub.group, version: sub.version ?? '' }),
      kind: sub.kind,
      verbs: sub.verbs,
    })),
  ];
}

function aggregate(registry: Registry, core: boolean): ApiResponse {
  const groups = new Map<string, JsonObject[]>();
  for (const one of groupVersions(registry)) {
    if ((one.group === '') !== core) continue;
    const versions = groups.get(one.group) ?? [];
    versions.push({
      version: one.version,
      resources: [
        ...one.resources.map(([definition, served]) => aggregatedResource(definition, served, one)),
        ...aggregatedVirtual(one),
      ],
      freshness: 'Current',
    });
    groups.set(one.group, versions);
  }
  const items = [...groups].map(([name, versions]): JsonObject => ({
    metadata: { name, creationTimestamp: null },
    versions,
  }));
  return {
    code: 200,
    headers: { 'content-type': AGGREGATED, vary: 'Accept', 'cache-control': 'public' },
    body: { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items },
  };
}

function aggregatedVirtual({ group, version }: GroupVersion): readonly JsonObject[] {
  return VIRTUAL_KINDS.filter((one) => one.group === group && version === 'v1').map((one) => ({
    resource: one.resource,
    responseKind: { group, version, kind: one.kind },
    scope: one.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: one.kind.toLowerCase(),
    verbs: ['create'],
  }));
}

function aggregatedResource(definition: ResourceDefinition, served: ServedVersion, at: GroupVersion): JsonObject {
  const { resource, singular, namespaced, kind, shortNames, categories } = definition;
  const subs = subresources(definition, served).map((sub): JsonObject => ({
    subresource: sub.name,
    responseKind: { group: sub.group ?? at.group, version: sub.version ?? at.version, kind: sub.kind },
    verbs: sub.verbs,
  }));
  return {
    resource,
    responseKind: { group: at.group, version: at.version, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: verbsOf(definition),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subs.length > 0 ? { subresources: subs } : {}),
  };
}

function pathOf({ group, version }: GroupVersion): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function openApiIndex(registry: Registry): JsonObject {
  const paths: { [path: string]: JsonObject } = {};
  for (const one of groupVersions(registry)) {
    const path = pathOf(one);
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(one)}` };
  }
  return { paths };
}

/** Changes when what is served changes; clients cache documents under it. */
function hashOf(one: GroupVersion): string {
  let hash = 0;
  for (const char of one.resources.map(([definition]) => definition.kind).join(','))
    hash = (hash * 31 + char.charCodeAt(0)) >>> 0;
  return hash.toString(16).toUpperCase().padStart(8, '0');
}

const FIELD_VALIDATION: JsonObject = {
  name: 'fieldValidation',
  in: 'query',
  schema: { type: 'string', uniqueItems: true },
};

function openApi(registry: Registry, path: string): ApiResponse {
  const found = groupVersions(registry).find((one) => pathOf(one) === path);
  if (found === undefined) return UNKNOWN_PATH;
  const paths: { [path: string]: JsonObject } = {};
  for (const [definition] of found.resources) {
    const home = definition.namespaced ? '/namespaces/{namespace}' : '';
    const operation: JsonObject = {
      parameters: [FIELD_VALIDATION],
      responses: {},
      'x-kubernetes-group-version-kind': { group: found.group, version: found.version, kind: definition.kind },
    };
    paths[`/${path}${home}/${definition.resource}/{name}`] = { patch: operation, put: operation };
    paths[`/${path}${home}/${definition.resource}`] = { post: operation };
  }
  const body: JsonObject = {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.36.3' },
    paths,
    components: { schemas: {} },
  };
  return { code: 200, body };
}
