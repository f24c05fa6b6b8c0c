/** The resource and verb of a request, from its method, path and query, as in kube-apiserver's RequestInfo. */
import type { Method } from './http.ts';

/** The verbs of `RequestInfo.Verb` in a real server. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

export interface RequestInfo {
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** The namespace; empty for cluster-scoped requests. */
  readonly namespace: string;
  /** The name; empty for collections, even for a list or watch with the field selector `metadata.name=x`. */
  readonly name: string;
}

type ParsedPath = Omit<RequestInfo, 'verb'> & { readonly watching: boolean };

const cache = new Map<string, ParsedPath | undefined>();

/** Parses `/api/v1/…` and `/apis/G/V/…`; undefined for non-resource requests (discovery, health, …). */
export function requestInfo(
  method: Method,
  path: string,
  query: { readonly [key: string]: string },
): RequestInfo | undefined {
  let place = cache.get(path);
  if (place === undefined && !cache.has(path)) {
    place = parsePath(path);
    if (cache.size > 10_000) cache.clear();
    cache.set(path, place);
  }
  if (place === undefined) return undefined;
  const { watching, ...about } = place;
  return { ...about, verb: watching ? 'watch' : verbOf(method, place.name !== '', asksToWatch(query)) };
}

type About = Pick<RequestInfo, 'group' | 'resource' | 'subresource'>;

const CONNECTING: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy', 'log']);

/** Reports whether a request is proxied to a pod or a service. Such a request stores nothing, whatever its method is. */
export function connects({ group, resource, subresource }: About): boolean {
  return group === '' && (resource === 'pods' || resource === 'services') && CONNECTING.has(subresource);
}

/** Reports whether a proxied request may have effects in the pod or service: a command has run even if its answer is lost. */
export function acts(info: About): boolean {
  return connects(info) && info.subresource !== 'log';
}

/**
 * Reports whether a query requests a watch of a collection. As in Go's parsing of a boolean parameter, nearly every value counts as true.
 */
export function asksToWatch({ watch }: { readonly [key: string]: string }): boolean {
  return watch !== undefined && watch !== '0' && watch.toLowerCase() !== 'false';
}

export function verbOf(method: Method, named: boolean, watch: boolean): Verb {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return named ? 'delete' : 'deletecollection';
    default:
      // As in a real server, a watch parameter on a named object is ignored.
      if (named) return 'get';
      return watch ? 'watch' : 'list';
  }
}

function parsePath(path: string): ParsedPath | undefined {
  let parts: string[];
  try {
    parts = path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
  let group = '';
  let rest: string[];
  if (parts[0] === 'api' && parts.length >= 3) rest = parts.slice(1);
  else if (parts[0] === 'apis' && parts.length >= 4) {
    group = parts[1] ?? '';
    rest = parts.slice(2);
  } else return undefined;
  const version = rest[0] ?? '';
  rest = rest.slice(1);
  // `/api/v1/watch/pods` has been deprecated for ten years and is still served.
  const watching = rest[0] === 'watch' && rest.length > 1;
  if (watching) rest = rest.slice(1);
  // In `/namespaces/x/pods` the namespace is a prefix; `/namespaces`, `/namespaces/x` and `/namespaces/x/finalize|status` name the resource
  // `namespaces` itself.
  let namespace = '';
  if (rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'finalize' && rest[2] !== 'status') {
    namespace = rest[1] ?? '';
    rest = rest.slice(2);
  }
  const [resource = '', name = '', subresource = ''] = rest;
  if (resource === '' || rest.length > 3) return undefined;
  return { group, version, resource, subresource, namespace, name, watching };
}
