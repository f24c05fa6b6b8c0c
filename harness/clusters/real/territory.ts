/**
 * What of somebody else's server is the run's business: its own namespaces, and what it has made outside of any.
 *
 * Owns: the fence. A write to anything else is answered 403 and never sent; where the run has one namespace, reading all namespaces is
 * reading that one, so that a controller which watches them all neither sees nor touches what others have there. Start at
 * {@link Territory}.
 */
import type { ObservedChange } from '../../gate/recorder.ts';
import { isWrite } from '../../model/history.ts';
import { groupResource, type KubeObject, type ResourceKind } from '../../model/object.ts';
import type { ApiRequest, ApiResponse } from '../../wire/http.ts';
import { requestInfo, type RequestInfo } from '../../wire/request-info.ts';
import { failureStatus } from '../../wire/status.ts';
import type { Within } from '../observer.ts';

export interface TerritoryParts {
  readonly namespaces: readonly string[];
  /** Groups of custom resources that runs are about. */
  readonly groups: ReadonlySet<string>;
  /** Hears of what may be made outside of namespaces, before it is. */
  readonly intends?: (collection: string, name: string) => void;
  /** Hears of each object outside of namespaces that the run has made, as soon as that is known. */
  readonly made?: (resource: string, object: KubeObject) => void;
}

/** Questions to the server that store nothing. */
const QUESTIONS = ['authentication.k8s.io', 'authorization.k8s.io'];
const NONE: readonly Within[] = [];
const ALL: readonly Within[] = [{}];

export class Territory {
  /** What was refused, each once. */
  readonly refusals: Set<string> = new Set();
  readonly #namespaces: readonly string[];
  readonly #groups: ReadonlySet<string>;
  readonly #wide = new Set<string>();
  readonly #intends: NonNullable<TerritoryParts['intends']>;
  readonly #made: NonNullable<TerritoryParts['made']>;
  /** Objects outside of namespaces: uids, and places as `clusterroles.rbac.authorization.k8s.io/name`. */
  readonly #uids = new Map<string, string>();

  constructor({ namespaces, groups, intends = () => {}, made = () => {} }: TerritoryParts) {
    this.#intends = intends;
    this.#namespaces = namespaces;
    this.#groups = groups;
    this.#made = made;
  }

  /** An object outside of namespaces is the run's from now on. */
  take(resource: string, object: KubeObject): void {
    const { uid = '', name = '' } = object.metadata;
    if (this.#uids.has(uid)) return;
    this.#uids.set(uid, `${resource}/${name}`);
    this.#made(resource, object);
  }

  /** Where objects of a kind are looked for. */
  placesOf(kind: ResourceKind): readonly Within[] {
    if (kind.namespaced) return this.#namespaces.map((namespace) => ({ namespace }));
    if (groupResource(kind) === 'namespaces') return this.#namespaces.map((name) => ({ name }));
    // Of what others have, nothing is looked at before the run makes something of that kind.
    return this.#groups.has(kind.group) || this.#wide.has(groupResource(kind)) ? ALL : NONE;
  }

  /** Objects of this kind, which are in no namespace, are looked at from now on. */
  widen(kind: ResourceKind): void {
    this.#wide.add(groupResource(kind));
  }

  /** Whether the run has made something that others see, for names outside of namespaces are everybody's. */
  get reachesOut(): boolean {
    return this.#wide.size > 0;
  }

  isForeign(namespace: string | undefined): boolean {
    return namespace !== undefined && namespace !== '' && !this.#namespaces.includes(namespace);
  }

  owns({ resource, namespace, name, uid }: Pick<ObservedChange, 'resource' | 'namespace' | 'name' | 'uid'>): boolean {
    if (namespace !== '') return !this.isForeign(namespace);
    return resource === 'namespaces' ? this.#namespaces.includes(name) : this.#uids.has(uid);
  }

  /** Whether a change is of the run's; what one of its actors makes becomes so. */
  includes(change: ObservedChange, isMade: boolean): boolean {
    const { resource, uid, object, type, namespace } = change;
    const isOurs = this.owns(change);
    if (type === 'DELETED') this.#uids.delete(uid);
    else if (isMade && !isOurs && namespace === '') this.take(resource, object);
    return isOurs || isMade;
  }

  /** The answer to a write that would touch what is not the run's. */
  refusalOf(request: ApiRequest, kinds: ReadonlyMap<string, ResourceKind>): ApiResponse | undefined {
    const info = requestInfo(request.method, request.path, request.query);
    if (info === undefined) return this.leads(request) ? undefined : this.#refused(`${request.method} ${request.path}`);
    if (!isWrite(info.verb)) return undefined;
    const { verb, resource, group, namespace, name } = info;
    const isKnown = kinds.has(groupResource(info)) || QUESTIONS.includes(group);
    if (!isKnown) return this.#refused(`${verb} ${groupResource(info)}, of which there is no definition in --crds`);
    if (this.#isAllowed(info, request)) return undefined;
    const what = `${verb} ${groupResource({ group, resource })}${name === '' ? '' : ` "${name}"`}`;
    return this.#refused(
      `${what} ${namespace === '' ? 'outside of namespaces, where the run has not made it' : `in "${namespace}"`}`,
    );
  }

  /** Whether a request that is not about an object, or that becomes a connection of its own, stays within the run or only reads. */
  leads({ method, path }: Pick<ApiRequest, 'path'> & { readonly method: string }): boolean {
    const segments = path.split('/').filter((segment) => segment !== '');
    if (segments.some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) return false;
    const at = segments.indexOf('namespaces');
    if (at > 0 && segments.length > at + 2) return !this.isForeign(segments[at + 1]);
    return (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') && !segments.includes('proxy');
  }

  /** What sends a client elsewhere never reaches it. */
  answerOf(answer: ApiResponse): ApiResponse {
    if (answer.code < 300 || answer.code >= 400 || answer.code === 304) return answer;
    const message = `the API server sent the request elsewhere (${answer.code}), which is not followed`;
    this.refusals.add(message);
    return { code: 502, body: failureStatus(502, 'InternalError', message) };
  }

  #refused(what: string): ApiResponse {
    const message = `${what}: not sent, the run only touches its own namespaces (${this.#namespaces.join(', ')})`;
    this.refusals.add(message);
    return { code: 403, body: failureStatus(403, 'Forbidden', message) };
  }

  /** A read of all namespaces is one of the only one that the run has. */
  narrowed(request: ApiRequest, kinds: ReadonlyMap<string, ResourceKind>): ApiRequest {
    const [only, ...others] = this.#namespaces;
    if (only === undefined || others.length > 0) return request;
    const info = requestInfo(request.method, request.path, request.query);
    if (info === undefined || info.namespace !== '' || info.name !== '' || isWrite(info.verb)) return request;
    const kind = kinds.get(groupResource(info));
    if (kind?.namespaced !== true) return request;
    const at = request.path.lastIndexOf('/');
    return { ...request, path: `${request.path.slice(0, at)}/namespaces/${only}${request.path.slice(at)}` };
  }

  #isAllowed({ verb, group, resource, namespace, name }: RequestInfo, { body, path }: ApiRequest): boolean {
    if (namespace !== '') return !this.isForeign(namespace);
    if (QUESTIONS.includes(group)) return true;
    const key = groupResource({ group, resource });
    const { metadata } = (body ?? {}) as Partial<KubeObject>;
    const asked = verb === 'create' ? (metadata?.name ?? '') : name;
    if (key === 'namespaces') return this.#namespaces.includes(asked);
    if (verb === 'create') this.#intends(path, asked);
    return verb === 'create' || [...this.#uids.values()].includes(`${key}/${name}`);
  }
}
