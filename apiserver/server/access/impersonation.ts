/**
 * `Impersonate-*` headers: acting as another user.
 *
 * Owns: reading the headers, and who may impersonate whom: the constrained modes of KEP 5284 first, then the old `impersonate` verb, as
 * k8s.io/apiserver `endpoints/filters/impersonation` does. Start at {@link impersonatedUser}.
 */
import type { ApiRequest, UserInfo } from '../../wire/http.ts';
import { nameErrors } from '../names.ts';
import { badRequest, Refusal } from '../refusal.ts';
import type { Attributes } from './attributes.ts';
import type { Authorizer } from './rbac.ts';
import { forbiddenRequest } from './refuse.ts';

const PREFIX = 'impersonate-';
const EXTRA = 'impersonate-extra-';
const AUTHENTICATION = 'authentication.k8s.io';
const AUTHENTICATED = 'system:authenticated';
const UNAUTHENTICATED = 'system:unauthenticated';
const NODE_EXTRA = 'authentication.kubernetes.io/node-name';

interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** Reports whether the request has impersonation headers. */
export function impersonates({ headers }: ApiRequest): boolean {
  for (const name in headers) if (name.startsWith(PREFIX)) return true;
  return false;
}

/**
 * Returns the impersonated user; undefined without impersonation. `asked`: the attributes of the request, with the user who sent it.
 * `lastModes`: for each user, the mode that succeeded last. It is tried first, so the message of a refusal depends on earlier requests, as
 * on a real server.
 */
export function impersonatedUser(
  request: ApiRequest,
  asked: Attributes,
  authorizer: Authorizer,
  lastModes: Map<string, Mode>,
): UserInfo | Refusal | undefined {
  const wanted = wantedUser(request);
  if (wanted === undefined) return undefined;
  const { name, groups, uid, extra } = wanted;
  if (name === '') {
    if (uid === '' && groups.length === 0 && extra.size === 0) return undefined;
    return badRequest(`requested ${goUser(wanted)} without impersonating a user name`);
  }
  let first: Refusal | undefined;
  const last = lastModes.get(asked.user.name);
  for (const mode of last === undefined ? MODES : [last, ...MODES.filter((one) => one !== last)]) {
    if (mode.applies !== undefined && !mode.applies(wanted, asked.user)) continue;
    const result = tryMode(mode.name, wanted, asked, authorizer);
    if (result instanceof Refusal) {
      first ??= result;
      continue;
    }
    if (lastModes.size >= LAST_MODES_MAX) lastModes.clear();
    lastModes.set(asked.user.name, mode);
    return result;
  }
  return first;
}

function wantedUser({ headers }: ApiRequest): Wanted | undefined {
  const extra = new Map<string, readonly string[]>();
  for (const name of Object.keys(headers).sort())
    if (name.startsWith(EXTRA)) extra.set(unescaped(name.slice(EXTRA.length)), values(headers[name]));
  return {
    name: headers['impersonate-user'] ?? '',
    uid: headers['impersonate-uid'] ?? '',
    groups: values(headers['impersonate-group']),
    extra,
  };
}

/** Returns the values of a header; the values of repeated headers arrive joined. */
function values(header: string | undefined): readonly string[] {
  return header === undefined ? [] : header.split(', ');
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** The maximum number of users whose last mode is remembered. */
const LAST_MODES_MAX = 1_000;

/** An impersonation mode. */
export interface Mode {
  /** The name of the mode; empty for the legacy mode. */
  readonly name: string;
  readonly applies?: (wanted: Wanted, requestor: UserInfo) => boolean;
}

const MODES: readonly Mode[] = [
  {
    name: 'associated-node',
    applies: (wanted, requestor) => {
      const node = onlyName(wanted) ? nodeName(wanted.name) : undefined;
      const at = requestor.extra?.[NODE_EXTRA];
      return node !== undefined && serviceAccount(requestor.name) !== undefined && at?.length === 1 && at[0] === node;
    },
  },
  { name: 'arbitrary-node', applies: (wanted) => onlyName(wanted) && nodeName(wanted.name) !== undefined },
  { name: 'serviceaccount', applies: (wanted) => onlyName(wanted) && serviceAccount(wanted.name) !== undefined },
  {
    name: 'user-info',
    applies: ({ name }) => nodeName(name) === undefined && serviceAccount(name) === undefined,
  },
  { name: '' },
];

function onlyName({ uid, groups, extra }: Wanted): boolean {
  return uid === '' && groups.length === 0 && extra.size === 0;
}

function nodeName(user: string): string | undefined {
  if (!user.startsWith('system:node:')) return undefined;
  const name = user.slice('system:node:'.length);
  return nameErrors('subdomain', name, false).length === 0 ? name : undefined;
}

/** Returns the namespace and name in a service account's user name. */
export function serviceAccount(user: string): readonly [namespace: string, name: string] | undefined {
  const parts = user.split(':');
  const [system, kind, namespace = '', name = ''] = parts;
  if (parts.length !== 4 || system !== 'system' || kind !== 'serviceaccount') return undefined;
  if (nameErrors('label', namespace, false).length > 0 || nameErrors('subdomain', name, false).length > 0)
    return undefined;
  return [namespace, name];
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

function tryMode(mode: string, wanted: Wanted, asked: Attributes, authorizer: Authorizer): UserInfo | Refusal {
  const constrained = mode !== '';
  const validate = (attributes: Attributes): Refusal | undefined => {
    const { allowed, reason } = authorizer.authorize(attributes);
    return allowed ? undefined : forbiddenRequest(attributes, reason);
  };
  if (constrained) {
    const on = validate({ ...asked, verb: `impersonate-on:${mode}:${asked.verb}` });
    if (on !== undefined) return on;
  }
  const base: Attributes = {
    user: asked.user,
    verb: constrained ? `impersonate:${mode}` : 'impersonate',
    isResource: true,
    path: '',
    group: AUTHENTICATION,
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
  };
  const people = constrained ? AUTHENTICATION : '';
  let groups = wanted.groups;
  let who: Attributes = { ...base, group: people, resource: 'users', name: wanted.name };
  const node = constrained ? nodeName(wanted.name) : undefined;
  if (node !== undefined) {
    who = { ...who, resource: 'nodes', name: mode === 'associated-node' ? '*' : node };
    groups = ['system:nodes'];
  }
  const account = serviceAccount(wanted.name);
  if (account !== undefined) {
    who = { ...who, resource: 'serviceaccounts', namespace: account[0], name: account[1] };
    if (groups.length === 0) groups = serviceAccountGroups(account[0]);
  }
  const checks: Attributes[] = [who];
  if (wanted.uid !== '') checks.push({ ...base, resource: 'uids', name: wanted.uid });
  const asGroup: Attributes = { ...base, group: people, resource: 'groups' };
  for (const group of wanted.groups) {
    if (constrained && group === '')
      return forbiddenRequest(asGroup, 'impersonating the empty string group is not allowed');
    if (constrained && group === 'system:masters')
      return forbiddenRequest({ ...asGroup, name: group }, 'impersonating the system:masters group is not allowed');
    checks.push({ ...asGroup, name: group });
  }
  for (const [key, given] of wanted.extra)
    for (const value of given) checks.push({ ...base, resource: 'userextras', subresource: key, name: value });
  for (const check of checks) {
    const refusal = validate(check);
    if (refusal !== undefined) return refusal;
  }
  return {
    name: wanted.name,
    groups: withEverybody(wanted.name, groups),
    ...(wanted.uid === '' ? {} : { uid: wanted.uid }),
    ...(wanted.extra.size === 0 ? {} : { extra: Object.fromEntries(wanted.extra) }),
  };
}

function withEverybody(name: string, groups: readonly string[]): readonly string[] {
  const group = name === 'system:anonymous' ? UNAUTHENTICATED : AUTHENTICATED;
  return groups.includes(group) || groups.includes(UNAUTHENTICATED) ? groups : [...groups, group];
}

/** Returns a user as Go's %#v prints it. */
function goUser({ name, uid, groups, extra }: Wanted): string {
  const list = (of: readonly string[]): string => `{${of.map((one) => JSON.stringify(one)).join(', ')}}`;
  const shownGroups = groups.length === 0 ? '[]string(nil)' : `[]string${list(groups)}`;
  const entries = [...extra].map(([key, given]) => `${JSON.stringify(key)}:[]string${list(given)}`);
  const shownExtra = entries.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  return `&user.DefaultInfo{Name:${JSON.stringify(name)}, UID:${JSON.stringify(uid)}, Groups:${shownGroups}, Extra:${shownExtra}}`;
}
