/**
 * The attributes of a request, as an authorizer sees them.
 *
 * Owns: kube-apiserver's RequestInfo (verb, resource, subresource, name), which differs in small ways from routing: a namespace is in its
 * own namespace, a list by `metadata.name` has a name, and unserved paths are authorized too. Start at {@link attributesOf}.
 */
import type { ApiRequest, UserInfo } from '../../wire/http.ts';
import { asksToWatch, verbOf } from '../../wire/request-info.ts';

/** The user of a request and what it asks to do. */
export interface Attributes {
  readonly user: UserInfo;
  readonly verb: string;
  /** False for paths like `/version`, for which only `path` counts. */
  readonly isResource: boolean;
  readonly path: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The user of requests without authentication, for example in process: an administrator. */
export const ADMIN: UserInfo = { name: 'system:admin', groups: ['system:masters', 'system:authenticated'] };

interface RequestedResource {
  readonly isResource: boolean;
  readonly watching: boolean;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

const NOWHERE: RequestedResource = {
  isResource: false,
  watching: false,
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
};
const PLACES_MAX = 10_000;
const places = new Map<string, RequestedResource>();

export function attributesOf(request: ApiRequest): Attributes {
  const { method, path, query } = request;
  const user = request.user ?? ADMIN;
  let place = places.get(path);
  if (place === undefined) {
    if (places.size >= PLACES_MAX) places.clear();
    places.set(path, (place = placeOf(path)));
  }
  const { isResource, watching, group, resource, subresource, namespace, name } = place;
  if (!isResource) return { user, verb: method.toLowerCase(), path, ...NOWHERE };
  const named = name !== '' ? name : method === 'GET' || method === 'HEAD' ? selectedName(request) : '';
  const verb = watching ? 'watch' : method === 'OPTIONS' ? '' : verbOf(method, name !== '', asksToWatch(query));
  return { user, verb, isResource, path, group, resource, subresource, namespace, name: named };
}

const BY_NAME = /(?:^|,)metadata\.name==?([^,]+)(?:,|$)/;

/**
 * Returns the name in a field selector on `metadata.name`: a list with this selector is authorized like the named object. Otherwise empty.
 */
function selectedName({ query }: ApiRequest): string {
  const selector = query['fieldSelector'];
  return selector === undefined ? '' : (BY_NAME.exec(selector)?.[1] ?? '');
}

function placeOf(path: string): RequestedResource {
  // Decoded first: an escaped slash separates segments here.
  const parts = decoded(path)
    .split('/')
    .filter((part) => part !== '');
  if (parts.length < 3) return NOWHERE;
  const core = parts[0] === 'api';
  if (!core && (parts[0] !== 'apis' || parts.length < 4)) return NOWHERE;
  const group = core ? '' : (parts[1] ?? '');
  let rest = parts.slice(core ? 2 : 3);
  const watching = rest[0] === 'watch' && rest.length > 1;
  if (watching) rest = rest.slice(1);
  let namespace = '';
  if (rest[0] === 'namespaces' && rest.length > 1) {
    namespace = rest[1] ?? '';
    if (rest.length > 2 && rest[2] !== 'status' && rest[2] !== 'finalize') rest = rest.slice(2);
  }
  const [resource = '', name = '', subresource = ''] = rest;
  return { isResource: true, watching, group, resource, subresource, namespace, name };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
