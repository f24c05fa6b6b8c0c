/**
 * The part of a shared server that belongs to the run: its own namespaces, custom resources of the project's own kinds, and the
 * cluster-scoped objects that it may create.
 *
 * Owns: which requests may be sent. A write to anything else, and a read in other users' namespaces, is answered 403 and never sent. A read
 * of all namespaces is narrowed to those of the run, so that a controller that watches all namespaces neither sees nor touches other users'
 * objects: with a single namespace the request is changed; with several, other objects are removed from the answer. Start at {@link
 * Territory}.
 */
import { apiVersionOf, groupResource, type KubeObject, type ResourceKind } from 'stalemate-apiserver/objects/object';
import type { WatchEvent } from 'stalemate-apiserver/objects/watch-event';
import type { ApiRequest, ApiResponse } from 'stalemate-apiserver/wire/http';
import { isRedirect } from 'stalemate-apiserver/wire/redirect';
import { requestInfo, type RequestInfo } from 'stalemate-apiserver/wire/request-info';
import { failureStatus } from 'stalemate-apiserver/wire/status';
import type { ObservedChange } from '../../gate/recorder.ts';
import { isWrite } from '../../model/history.ts';
import type { Within } from '../observer.ts';
import { narrowedList, type IsShown } from './narrowed-list.ts';

export interface TerritoryParts {
  readonly namespaces: readonly string[];
  /** Custom resources of the project, as `widgets.example.com`. */
  readonly own: ReadonlySet<string>;
  /**
   * Reports whether the user allows a further cluster-scoped write; a subresource is written like `nodes/proxy`. Default: none is allowed.
   */
  readonly allows?: (resource: string, name: string) => boolean;
  /** Called before a cluster-scoped object may be created. */
  readonly intends?: (collection: string, name: string) => void;
  /** Called if the server rejected such a creation. */
  readonly unmade?: (collection: string, name: string) => void;
  /** Called with each cluster-scoped object that the run has created, as soon as that is known. */
  readonly made?: (resource: string, object: KubeObject) => void;
}

/** Review APIs, which store nothing. */
const QUESTIONS = ['authentication.k8s.io', 'authorization.k8s.io'];
/** Subresources that the creator of an object may write too. */
const OWN_SUBRESOURCES: ReadonlySet<string> = new Set(['', 'status', 'scale']);
/** Headers with which a request acts as another user: impersonation, and front proxy authentication. */
const IDENTITY = /^(?:impersonate|x-remote)-/i;
/** First path segments of requests about the server itself. Other segments lead to logs, profiles and metrics of the control plane. */
const ABOUT_SERVER: ReadonlySet<string> = new Set([
  ...['', 'api', 'apis', 'openapi', 'version', 'healthz', 'livez', 'readyz', '.well-known', 'openid'],
]);
const NONE: readonly Within[] = [];
const ALL: readonly Within[] = [{}];

export class Territory {
  readonly #namespaces: readonly string[];
  readonly #own: ReadonlySet<string>;
  readonly #wide = new Set<string>();
  readonly #allows: NonNullable<TerritoryParts['allows']>;
  readonly #intends: NonNullable<TerritoryParts['intends']>;
  readonly #unmade: NonNullable<TerritoryParts['unmade']>;
  readonly #made: NonNullable<TerritoryParts['made']>;
  /** The keys of the run's cluster-scoped objects, such as `clusterroles.rbac.authorization.k8s.io/name`, by uid. */
  readonly #uids = new Map<string, string>();
  /** The keys of cluster-scoped objects about to be created. */
  readonly #meant = new Set<string>();
  /** The number of unanswered applies that were meant to create a cluster-scoped object, by key. */
  readonly #applying = new Map<string, number>();
  /** The message of the first refused request of each kind. */
  readonly #refusals = new Map<string, string>();

  constructor({ namespaces, own, allows, intends, unmade, made }: TerritoryParts) {
    this.#namespaces = namespaces;
    this.#own = own;
    this.#allows = allows ?? (() => false);
    this.#intends = intends ?? (() => {});
    this.#unmade = unmade ?? (() => {});
    this.#made = made ?? (() => {});
  }

  /** Refused requests, one sentence for each kind. */
  get refusals(): readonly string[] {
    return [...this.#refusals.values()];
  }

  /** Adds a cluster-scoped object to the run's own. */
  take(resource: string, object: KubeObject): void {
    const { uid = '', name = '' } = object.metadata;
    if (this.#uids.has(uid)) return;
    this.#uids.set(uid, `${resource}/${name}`);
    this.#made(resource, object);
  }

  /** Returns the places where objects of a kind are observed. */
  placesOf(kind: ResourceKind): readonly Within[] {
    if (kind.namespaced) return this.#namespaces.map((namespace) => ({ namespace }));
    if (groupResource(kind) === 'namespaces') return this.#namespaces.map((name) => ({ name }));
    // Other users' objects of a kind are not observed before the run creates an object of that kind.
    return this.#own.has(groupResource(kind)) || this.#wide.has(groupResource(kind)) ? ALL : NONE;
  }

  /** Starts observing this cluster-scoped kind. */
  widen(kind: ResourceKind): void {
    this.#wide.add(groupResource(kind));
  }

  /** Reports whether the run has created objects that other users see, since cluster-scoped names are shared. */
  get reachesOut(): boolean {
    return this.#wide.size > 0;
  }

  /** Reports whether the run has created this cluster-scoped object. */
  hasMade(uid: string): boolean {
    return this.#uids.has(uid);
  }

  /** Like {@link hasMade}, but also true for an object that the run is about to create. */
  mayHaveMade({
    resource,
    namespace,
    name,
    uid,
  }: Pick<ObservedChange, 'resource' | 'namespace' | 'name' | 'uid'>): boolean {
    return this.#uids.has(uid) || (namespace === '' && this.#meant.has(`${resource}/${name}`));
  }

  isForeign(namespace: string | undefined): boolean {
    return namespace !== undefined && namespace !== '' && !this.#namespaces.includes(namespace);
  }

  owns({ resource, namespace, name, uid }: Pick<ObservedChange, 'resource' | 'namespace' | 'name' | 'uid'>): boolean {
    if (namespace !== '') return !this.isForeign(namespace);
    return resource === 'namespaces' ? this.#namespaces.includes(name) : this.#uids.has(uid);
  }

  /** Reports whether a change belongs to the run; an object that one of the run's actors creates belongs to it from then on. */
  includes(change: ObservedChange, isMade: boolean): boolean {
    const { resource, uid, object, type, namespace } = change;
    const isOurs = this.owns(change);
    if (type === 'DELETED') this.#uids.delete(uid);
    // Only `ADDED`: an apply to an object that another user created in the meantime changes the object and creates nothing.
    else if (isMade && !isOurs && namespace === '' && type === 'ADDED') this.take(resource, object);
    return isOurs || isMade;
  }

  /** Returns the answer to a request that is refused because it would touch objects outside the run, or read other users' namespaces. */
  refusalOf(request: ApiRequest, kinds: ReadonlyMap<string, ResourceKind>): ApiResponse | undefined {
    const { method, path, query, headers } = request;
    if (!isPlain(path)) return this.#refused('path', `${method} ${path}`, 'the path is not in its canonical form');
    const impersonated = Object.keys(headers).find((name) => IDENTITY.test(name));
    if (impersonated !== undefined)
      return this.#refused('identity', `${method} ${path} with ${impersonated}`, 'the target may not impersonate');
    const info = requestInfo(method, path, query);
    const here = this.#here();
    if (info === undefined) return this.leads(request) ? undefined : this.#refused(path, `${method} ${path}`, here);
    const { verb, group, subresource, namespace, name } = info;
    if (!isPlainQuery(query))
      return this.#refused('query', `${method} ${path}`, 'the query is not in its canonical form');
    const resource = groupResource(info);
    const what = `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}${name === '' ? '' : ` "${name}"`}`;
    if (this.isForeign(namespace)) return this.#refused(`${namespace} ${resource}`, `${what} in "${namespace}"`, here);
    if (kindOf(info, kinds) === undefined && !QUESTIONS.includes(group) && (isWrite(verb) || namespace === ''))
      return this.#refused(resource, what, 'there is no definition of it in --crds');
    if (namespace !== '' || QUESTIONS.includes(group)) return undefined;
    if (!isWrite(verb))
      return this.#mayRead(info) ? undefined : this.#refused(`read ${resource}/${subresource}`, what, here);
    if (resource === 'namespaces') {
      const asked = verb === 'create' ? nameIn(request) : name;
      return this.#namespaces.includes(asked) ? undefined : this.#refused(resource, `${what} "${asked}"`, here);
    }
    const kind = subresource === '' ? resource : `${resource}/${subresource}`;
    if (verb === 'create' && subresource === '') return this.#mayMake(request, kind, what);
    const isOwn = this.#hasMadeAt(`${resource}/${name}`);
    if (!isOwn && isApply(request, info))
      return this.#allowsMaking(resource, name) ? undefined : this.#refused(kind, what, allowing(resource, name));
    if (!isOwn) return this.#refused(kind, what, 'it is cluster-scoped, and the run has not created it');
    if (OWN_SUBRESOURCES.has(subresource) || this.#allows(kind, name)) return undefined;
    return this.#refused(kind, what, allowing(kind, name));
  }

  /**
   * Returns the path to read before an allowed apply to a cluster-scoped object that the run has not created; undefined for other requests.
   * Only the server knows whether the apply would create an object or change another user's.
   */
  unknownOf(request: ApiRequest): string | undefined {
    const info = requestInfo(request.method, request.path, request.query);
    if (info === undefined || info.namespace !== '' || !isApply(request, info)) return undefined;
    return this.#hasMadeAt(placeOf(info)) ? undefined : request.path;
  }

  /**
   * Decides about an apply for which {@link unknownOf} returned a path, by the answer to the read. If the apply may be sent, records what
   * it is about to create; otherwise returns the answer to it.
   */
  lookedAt(request: ApiRequest, { code, body }: ApiResponse): ApiResponse | undefined {
    const info = requestInfo(request.method, request.path, request.query);
    const place = info === undefined ? '' : placeOf(info);
    const what = `apply "${place}"`;
    if (code !== 404) {
      const { uid = '' } = ((body ?? {}) as Partial<KubeObject>).metadata ?? {};
      // Another apply of the run may have created the object since.
      if (code < 300 && this.#uids.has(uid)) return undefined;
      const why =
        code < 300 ? 'another client has created it' : `the server answered ${code} to the check whether it exists`;
      return this.#refused(`apply ${place}`, what, why);
    }
    if (isDry(request)) return undefined;
    this.#meant.add(place);
    this.#applying.set(place, (this.#applying.get(place) ?? 0) + 1);
    this.#intends(collectionOf(request.path), info?.name ?? '');
    return undefined;
  }

  /** Reports whether a request that is not about an object, or that upgrades its connection, stays within the run or only reads. */
  leads({ method, path }: Pick<ApiRequest, 'path'> & { readonly method: string }): boolean {
    if (!isPlain(path)) return false;
    const segments = decodedSegments(path);
    if (segments === undefined) return false;
    // Later in the path, `namespaces` means something else: `/api/v1/nodes/n/proxy/namespaces/…` is a request to a node's kubelet.
    const at = segments[0] === 'api' ? 2 : 3;
    if (segments[at] === 'namespaces' && segments.length > at + 2) return !this.isForeign(segments[at + 1]);
    const reads = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
    return reads && !segments.includes('proxy') && ABOUT_SERVER.has(segments[0] ?? '');
  }

  /** Decides like {@link leads} about a request that upgrades its connection, before any of the request is sent. */
  mayTunnel({ target, headers }: { readonly target: string; readonly headers: readonly string[] }): boolean {
    const path = target.replace(/\?.*$/s, '');
    const impersonated = headers.find((text, at) => at % 2 === 0 && IDENTITY.test(text));
    if (impersonated !== undefined) {
      this.#refused('identity', `${path} with ${impersonated}`, 'the target may not impersonate');
      return false;
    }
    if (this.leads({ method: 'CONNECT', path })) return true;
    this.#refused(path, `a connection to ${path}`, this.#here());
    return false;
  }

  /** Records the server's answer to the creation of a cluster-scoped object before the target gets it. */
  answered(request: ApiRequest, { code, body }: ApiResponse, kinds: ReadonlyMap<string, ResourceKind>): void {
    const info = requestInfo(request.method, request.path, request.query);
    if (info === undefined) return;
    const { name = '', uid = '' } = ((body ?? {}) as Partial<KubeObject>).metadata ?? {};
    if (this.#applying.has(placeOf(info)) && isApply(request, info)) this.#applied(request, info, code, uid);
    else if (!isMaking(request, info)) return;
    else if (code >= 400 && code < 500) this.#unmade(request.path, nameIn(request));
    const kind = kindOf(info, kinds);
    if (code !== 201 || kind === undefined) return;
    // Only the name and the uid in the answer are used: the answer may be a partial object.
    if (uid !== '')
      this.take(groupResource(info), { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name, uid } });
  }

  /** Called with the answer to an apply that was meant to create an object. */
  #applied(request: ApiRequest, info: RequestInfo, code: number, uid: string): void {
    const place = placeOf(info);
    const others = (this.#applying.get(place) ?? 1) - 1;
    if (others > 0) this.#applying.set(place, others);
    else this.#applying.delete(place);
    // The object was created by this apply or another one of the run, or may still be.
    if (code === 201 || code >= 500 || others > 0 || this.#hasMadeAt(place)) return;
    this.#unmade(collectionOf(request.path), info.name);
    if (code < 300)
      this.#refused(
        `applied ${place}`,
        `apply "${place}" changed what another client created in the meantime (uid ${uid})`,
        '',
      );
  }

  #hasMadeAt(place: string): boolean {
    return [...this.#uids.values()].includes(place);
  }

  #allowsMaking(resource: string, name: string): boolean {
    return this.#own.has(resource) || this.#allows(resource, name);
  }

  /** Returns the answer for the client: a 502 in place of a redirect, which a client must never get. */
  answerOf(answer: ApiResponse): ApiResponse {
    if (!isRedirect(answer.code)) return answer;
    const message = `the API server redirected the request (${answer.code}), which is not followed`;
    this.#refused('redirect', message, '');
    return { code: 502, body: failureStatus(502, 'InternalError', message) };
  }

  #here(): string {
    return `the run is only about its own namespaces (${this.#namespaces.join(', ')})`;
  }

  /** @param like - Of all refused requests with this key, only the first is recorded. */
  #refused(like: string, what: string, why: string): ApiResponse {
    const message = why === '' ? what : `${what}: not sent, ${why}`;
    if (!this.#refusals.has(like)) this.#refusals.set(like, message);
    return { code: 403, body: failureStatus(403, 'Forbidden', message) };
  }

  /** Narrows a read of all namespaces to the run's namespace, if it has only one. */
  narrowed(request: ApiRequest, kinds: ReadonlyMap<string, ResourceKind>): ApiRequest {
    const [only, ...others] = this.#namespaces;
    if (only === undefined || others.length > 0) return request;
    const info = requestInfo(request.method, request.path, request.query);
    if (info === undefined || info.namespace !== '' || info.name !== '' || isWrite(info.verb)) return request;
    if (groupResource(info) === 'namespaces') {
      const { fieldSelector = '' } = request.query;
      const selectors = [...(fieldSelector === '' ? [] : [fieldSelector]), `metadata.name=${only}`];
      return { ...request, query: { ...request.query, fieldSelector: selectors.join(',') } };
    }
    if (kindOf(info, kinds)?.namespaced !== true) return request;
    const at = request.path.lastIndexOf('/');
    return { ...request, path: `${request.path.slice(0, at)}/namespaces/${only}${request.path.slice(at)}` };
  }

  /** Returns the filter for a read of all namespaces if the run has several; undefined if everything is shown. */
  #shownBy(request: ApiRequest, kinds: ReadonlyMap<string, ResourceKind>): IsShown | undefined {
    if (this.#namespaces.length < 2) return undefined;
    const info = requestInfo(request.method, request.path, request.query);
    if (info === undefined || info.namespace !== '' || info.name !== '' || isWrite(info.verb)) return undefined;
    const ofNamespaces = groupResource(info) === 'namespaces';
    if (!ofNamespaces && kindOf(info, kinds)?.namespaced !== true) return undefined;
    return ({ metadata }) => {
      const { name = '', namespace = '' } = (metadata ?? {}) as Partial<KubeObject['metadata']>;
      return this.#namespaces.includes(ofNamespaces ? name : namespace);
    };
  }

  /** Removes other users' objects from the answer to a list of all namespaces. */
  listOf(request: ApiRequest, answer: ApiResponse, kinds: ReadonlyMap<string, ResourceKind>): ApiResponse {
    const isShown = answer.code === 200 ? this.#shownBy(request, kinds) : undefined;
    if (isShown === undefined) return answer;
    const what = `GET ${request.path}`;
    return (
      narrowedList(answer, isShown) ??
      this.#refused(what, what, 'objects of other users cannot be removed from the form of its response')
    );
  }

  /** Reports whether an event of a watch of all namespaces is about another user's object. */
  hides(request: ApiRequest, { type, object }: WatchEvent, kinds: ReadonlyMap<string, ResourceKind>): boolean {
    if (type === 'BOOKMARK' || type === 'ERROR') return false;
    return this.#shownBy(request, kinds)?.(object) === false;
  }

  /**
   * Reports whether a cluster-scoped read is allowed: all are, except reads of other users' namespaces, and of subresources such as
   * `nodes/proxy`.
   */
  #mayRead(info: RequestInfo): boolean {
    const { subresource, name } = info;
    if (groupResource(info) === 'namespaces') return name === '' || this.#namespaces.includes(name);
    return OWN_SUBRESOURCES.has(subresource);
  }

  /**
   * Decides whether a create request may be sent. Records the object first, so that clean-up knows what to look for if this process is
   * killed.
   */
  #mayMake(request: ApiRequest, resource: string, what: string): ApiResponse | undefined {
    const name = nameIn(request);
    const isAllowed = this.#allowsMaking(resource, name) || this.#isVolume(resource, request);
    if (!isAllowed) return this.#refused(resource, name === '' ? what : `${what} "${name}"`, allowing(resource, name));
    if (isDry(request)) return undefined;
    this.#meant.add(`${resource}/${name}`);
    this.#intends(request.path, name);
    return undefined;
  }

  /**
   * Reports whether the object is a volume for a claim in the run's own namespaces: stalemate creates such a volume if nothing else does.
   */
  #isVolume(resource: string, { body }: ApiRequest): boolean {
    if (resource !== 'persistentvolumes') return false;
    const { spec } = (body ?? {}) as { readonly spec?: { readonly claimRef?: { readonly namespace?: string } } };
    const namespace = spec?.claimRef?.namespace;
    return namespace !== undefined && this.#namespaces.includes(namespace);
  }
}

/** Returns a sentence with the flag that allows the write. */
function allowing(resource: string, name: string): string {
  return `it is cluster-scoped and shared with all users; to let the target create it, add --allow-cluster-write '${resource}=${name === '' ? '*' : name}'`;
}

/** Reports whether a path has no escaped dots or slashes, which servers and proxies read in different ways. */
function isPlain(path: string): boolean {
  return !path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment) || /%2f|%5c|%25|\\/i.test(segment));
}

/** Decodes segments as a server does, each before it is interpreted; undefined if one of them cannot be decoded. */
function decodedSegments(path: string): readonly string[] | undefined {
  try {
    return path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/**
 * Reports whether a server interprets `watch` and `dryRun` as we do. A Go server ignores a parameter that is badly encoded or contains a
 * semicolon: what looks like a watch here would be a list there, and what looks like a dry run would be stored.
 */
function isPlainQuery({ watch = '', dryRun = '' }: ApiRequest['query']): boolean {
  return !/[%;]/.test(watch + dryRun);
}

/** Returns the kind of a request. Events are served in two groups with one store, and are known by the older group. */
function kindOf(info: RequestInfo, kinds: ReadonlyMap<string, ResourceKind>): ResourceKind | undefined {
  const key = groupResource(info);
  return kinds.get(key === 'events.events.k8s.io' ? 'events' : key);
}

function isMaking(request: ApiRequest, { verb, subresource, namespace, group, resource }: RequestInfo): boolean {
  if (verb !== 'create' || subresource !== '' || namespace !== '' || isDry(request)) return false;
  return !QUESTIONS.includes(group) && !(group === '' && resource === 'namespaces');
}

/** Reports whether a request is a server-side apply of an object, which creates it if it does not exist. */
function isApply({ headers }: ApiRequest, { verb, subresource }: RequestInfo): boolean {
  return (
    verb === 'patch' && subresource === '' && headers['content-type']?.startsWith('application/apply-patch+') === true
  );
}

/** Returns the key of a cluster-scoped object: `clusterroles.rbac.authorization.k8s.io/name`. */
function placeOf(info: RequestInfo): string {
  return `${groupResource(info)}/${info.name}`;
}

function collectionOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function isDry({ query }: ApiRequest): boolean {
  return (query['dryRun'] ?? '') !== '';
}

/** Returns the name in the body; empty if the server generates it. */
function nameIn({ body }: ApiRequest): string {
  const { metadata } = (body ?? {}) as Partial<KubeObject>;
  return metadata?.name ?? '';
}
