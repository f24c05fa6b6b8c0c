/**
 * Serves every path that names no resource.
 *
 * Owns: routing to discovery (`discovery/`), OpenAPI (`openapi/`), health, version and the list of paths.
 */
import type { JsonObject } from '../objects/object.ts';
import type { ApiRequest, ApiResponse } from '../wire/http.ts';
import { aggregatedAnswer, CORE_VERSIONS, groupList, groupOrVersion, wantsAggregated } from './discovery/documents.ts';
import { groupsOf } from './discovery/groups.ts';
import { CHECKS, health } from './discovery/health.ts';
import { openApi } from './openapi/serve.ts';
import { NO_METHOD, NO_RESOURCE, UNKNOWN_PATH } from './refusal.ts';
import type { Registry } from './registry.ts';
import { isBuiltIn } from './routing.ts';

export { versionOrder } from './discovery/groups.ts';

/** The imitated version, in the spelling of its Go modules. */
const VERSION: JsonObject = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.3',
  gitCommit: '$Format:%H$',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'go1.26.8',
  compiler: 'gc',
  platform: 'linux/amd64',
};

/** Answers a non-resource path. */
export function discover(registry: Registry, request: ApiRequest): ApiResponse {
  // Path prefixes ignore trailing slashes; exact paths do not.
  const path = request.path.replace(/(?<=.)\/+$/, '');
  const answer = answerTo(registry, path, request);
  // Some of these paths check the method, the others answer any method.
  return request.method !== 'GET' && answer.code === 200 && isRouted(path) ? NO_METHOD : answer;
}

function isRouted(path: string): boolean {
  return path === '/api' || path === '/version' || isBuiltIn(/^\/apis?\/(.*)$/.exec(path)?.[1] ?? '');
}

function answerTo(registry: Registry, path: string, request: ApiRequest): ApiResponse {
  switch (path) {
    case '/':
    case '/index.html':
      return { code: 200, body: { paths: paths(registry) } };
    case '/version':
      return { code: 200, body: VERSION };
    case '/api':
    case '/apis': {
      const core = path === '/api';
      if (request.path === '/apis/') return { code: 200, body: groupList(registry) };
      if (!core && request.path !== path) return UNKNOWN_PATH;
      if (wantsAggregated(request.headers['accept'] ?? '')) return aggregatedAnswer(registry, core, request);
      return { code: 200, body: core ? CORE_VERSIONS : groupList(registry) };
    }
    default:
      if (path.startsWith('/version/')) return NO_RESOURCE;
      return (
        health(request.path, request) ??
        openApi(registry, request.path, request) ??
        groupOrVersion(registry, path, request.method)
      );
  }
}

function paths(registry: Registry): readonly string[] {
  const all = ['/api', '/api/v1', '/apis', '/apis/', '/openapi/v2', '/openapi/v3', '/openapi/v3/', '/version'];
  for (const { group, versions } of groupsOf(registry))
    if (group !== '') all.push(`/apis/${group}`, ...versions.map(({ version }) => `/apis/${group}/${version}`));
  for (const [name, checks] of Object.entries(CHECKS))
    all.push(`/${name}`, ...checks.map((check) => `/${name}/${check}`));
  return all.sort();
}
