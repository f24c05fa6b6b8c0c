/**
 * The embedded API server, in process.
 *
 * Owns: the public API, routing, and how a commit becomes visible (observers, watches, definitions). Pure: no I/O and no clock; the time,
 * uids and name suffixes come from injected functions. Does not own: HTTP (`http/`). Start at {@link ApiServer.send}.
 */
import { ApiServerError } from '../objects/errors.ts';
import { jsonEqual } from '../objects/json.ts';
import type { KubeletAnswers } from '../wire/declared-answers.ts';
import type { KubeObject, ResourceKind } from '../objects/object.ts';
import type { ApiRequest, ApiResponse, ResponseSink, Upstream, UserInfo } from '../wire/http.ts';
import { asksToWatch } from '../wire/request-info.ts';
import { bootstrapRoles } from './access/bootstrap.ts';
import { AccessControl, type AuthorizationMode, type DeniedRequest } from './access/control.ts';
import { ISSUER, TRIAL_KEY, verifyToken } from './access/tokens.ts';
import { Admission } from './admission/admission.ts';
import { Attempt, runAttempt } from './admission/attempt.ts';
import type { CallOutFunction } from './admission/call-out.ts';
import { Webhooks } from './admission/webhooks.ts';
import { Ownership, type FieldManagement } from './apply/ownership.ts';
import { noCallOut, refusalText, withWarnings } from './answering.ts';
import { bodyMap } from './body.ts';
import { interruptible, prepareWatch, preparing } from './conversion/run.ts';
import { definitionOf } from './crd/definition.ts';
import { reactToChange } from './crd/lifecycle.ts';
import { CRDS, isEstablished } from './crd/status.ts';
import type { ResourceDefinition } from './definition.ts';
import type { Kernel } from './kernel.ts';
import { timestampsOf } from '../objects/timestamps.ts';
import type { Call } from './call.ts';
import { DeclaredKubelet, type Undeclared } from './kubelet/declared.ts';
import { bootObjects } from './kinds/boot-objects.ts';
import { BOOT_NAMESPACES, bootNamespace, BUILT_IN } from './kinds/table.ts';
import { discover } from './discovery.ts';
import { NO_METHOD, Refusal, UNKNOWN_PATH } from './refusal.ts';
import { Observers } from './observers.ts';
import { Registry } from './registry.ts';
import type { Route } from './route.ts';
import { unroutable, unstorable } from './routing.ts';
import { rowKey, Store, type CommittedChange, type StoreSnapshot } from './store.ts';
import { deleteEndpoints, remove, removeCollection } from './verbs/delete.ts';
import { get, list } from './verbs/read.ts';
import { review, type Reviewer, type TokenOwner } from './verbs/reviews.ts';
import { answerSubresource } from './verbs/subresource.ts';
import { watch } from './verbs/watch.ts';
import { create, patch, update } from './verbs/write.ts';
import { Watchers } from './watchers.ts';

export type { CallOut, CallOutAnswer, CallOutFunction } from './admission/call-out.ts';
export type { AuthorizationMode, DeniedRequest } from './access/control.ts';
export type { FieldManagement } from './apply/ownership.ts';
export type { Undeclared } from './kubelet/declared.ts';
export type { CommittedChange } from './store.ts';

export interface ApiServerOptions {
  /** Returns the current time in epoch milliseconds. */
  readonly now: () => number;
  readonly newUid: () => string;
  /** Returns the five characters that are appended to `generateName`. */
  readonly nameSuffix: () => string;
  /** The key that signs tokens of service accounts. Default: a fixed key, for servers that are only reachable in process. */
  readonly tokenKey?: string;
  /** The history window for watches, in changes (default 10 000). */
  readonly historyMax?: number;
  /** When owners of fields are computed: on every write, or (default) when an apply first touches an object. */
  readonly fieldManagement?: FieldManagement;
  /**
   * The authorization mode: everything is allowed (default), or RBAC with the stored roles and bindings. Requests without a user are always
   * allowed.
   */
  readonly authorization?: AuthorizationMode;
  /** Verifies bearer tokens other than service account tokens, for TokenReview. */
  readonly tokenUser?: (token: string) => UserInfo | undefined;
  /** The declared answers of pods and services; by default there are none. */
  readonly kubelet?: KubeletAnswers;
  /** Whether containers without a declared log have an empty one. By default, the request is refused, as without kubelets. */
  readonly emptyLogs?: boolean;
  /** Calls webhooks. Without it they are unreachable and their failure policy applies. */
  readonly callOut?: CallOutFunction;
}

/** The complete state of a server. Opaque; cheap to take and to restore. */
export interface ServerSnapshot {
  readonly store: StoreSnapshot;
  readonly registry: Registry;
}

/** The default history window, in changes, enough for many trials; real servers keep at least 100 events per resource and 75 s. */
const HISTORY_MAX = 10_000;

const NOTHING = (): void => {};

/** The headers of the server's own writes: they make `kube-apiserver` the field manager. */
const AS_ITSELF = { 'user-agent': 'kube-apiserver' } as const;

export class ApiServer implements Upstream {
  readonly #options: ApiServerOptions;
  readonly #store: Store;
  readonly #watchers = new Watchers();
  readonly #observers = new Observers();
  readonly #kernel: Kernel;
  readonly #access: AccessControl;
  readonly #webhooks: Webhooks;
  readonly #kubelet: DeclaredKubelet;
  readonly #reviewer: Reviewer;
  #registry = new Registry(BUILT_IN);
  /** The time of the current request. If the request runs again, the time stays the same. */
  #attemptTime: string | undefined;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#store = new Store(options.historyMax ?? HISTORY_MAX);
    this.#access = new AccessControl(options.authorization ?? 'allow-all', this.#store);
    this.#webhooks = new Webhooks(this.#store);
    this.#kubelet = new DeclaredKubelet(options.kubelet, options.emptyLogs);
    this.#kernel = this.#makeKernel();
    this.#reviewer = {
      authorizer: this.#access.authorizer,
      tokenOwner: (token, audiences) => this.#tokenOwner(token, audiences),
      timestamp: () => this.#kernel.timestamp(),
    };
    for (const name of BOOT_NAMESPACES) this.#putAsServer('namespaces', bootNamespace(name) as KubeObject);
    if (options.authorization === 'rbac') for (const role of bootstrapRoles()) this.#boot(role);
  }

  /** Returns the revision of the latest change. */
  get revision(): number {
    return this.#store.revision;
  }

  /**
   * Handles one request synchronously: calls `answer`, or `open` and the first events, before it returns. Later commits send events to open
   * watches in revision order. The returned function closes a watch from the client's side.
   */
  send(sent: ApiRequest, sink: ResponseSink): () => void {
    const admitted = this.#access.admit(sent);
    if (admitted instanceof Refusal) {
      sink.answer(admitted);
      return NOTHING;
    }
    const route = this.#registry.route(admitted.path);
    const early =
      route === undefined
        ? (this.#kernel.kubelet.outside(admitted) ??
          review(this.#reviewer, admitted) ??
          discover(this.#registry, admitted))
        : (unroutable(route, admitted.method) ?? unstorable(route, admitted.method));
    if (route === undefined || early !== undefined) {
      sink.answer(early ?? UNKNOWN_PATH);
      return NOTHING;
    }
    const request: ApiRequest = admitted.method === 'HEAD' ? { ...admitted, method: 'GET' } : admitted;
    const call: Call = { request, route, warnings: [] };
    const { method, query } = request;
    const wantsWatch = route.watching || asksToWatch(query);
    // A request whose path has a name is a get, except on the legacy watch paths.
    if (method === 'GET' && wantsWatch && (route.name === '' || route.watching)) {
      if (route.version.prepare !== undefined) return this.#attempt(request, sink, true);
      return watch(this.#kernel, this.#watchers, call, sink);
    }
    if (route.version.prepare !== undefined || (method !== 'GET' && this.#webhooks.present))
      return this.#attempt(request, sink, false);
    sink.answer(withWarnings(call, this.#answer(this.#kernel, call)));
    return NOTHING;
  }

  /** Returns the resource that `path` names, if any. */
  routeOf(path: string): Route | undefined {
    return this.#registry.route(path);
  }

  /** Returns the error response if the path names a resource but the method is not routed. */
  refusalOf(route: Route, method: string): ApiResponse | undefined {
    return unroutable(route, method);
  }

  /** Stores the objects that a real server creates at startup, for clients that look for them. `port`: the server's own port. */
  boot(port: number): void {
    const facts = { now: this.#kernel.timestamp(), port, uid: this.#options.newUid() };
    for (const object of bootObjects(facts)) this.#boot(object);
    // A watch cannot start from a version before the boot.
    this.#store.expireBefore(this.#store.revision);
  }

  /** Calls `listener` for every commit, before watches receive it, until the returned function is called. */
  observe(listener: (change: CommittedChange) => void): () => void {
    return this.#observers.add(listener);
  }

  snapshot(): ServerSnapshot {
    return { store: this.#store.snapshot(), registry: this.#registry };
  }

  /** Restores a snapshot. Open watches are dropped without an event. */
  restore(snapshot: ServerSnapshot): void {
    this.#watchers.close(undefined, true);
    this.#store.restore(snapshot.store);
    this.#registry = snapshot.registry;
    this.#access.reset();
    this.#kubelet.forget();
    this.#webhooks.changed();
  }

  /** Returns requests to pods and services without a declared answer, since the start or the last {@link restore}. */
  undeclared(): readonly Undeclared[] {
    return this.#kubelet.undeclared;
  }

  /** Returns the distinct requests that authorization has denied since the start or the last {@link restore}, with counts. */
  deniedRequests(): readonly DeniedRequest[] {
    return this.#access.denied();
  }

  /** Returns the user of a service account token; undefined when it is invalid, has expired, or its account or bound object is gone. */
  serviceAccountOf(token: string): UserInfo | undefined {
    return verifyToken(this.#store, this.#options.now(), token, this.#kernel.tokenKey)?.user;
  }

  /** Returns stored objects in key order: of one resource, or of all resources in resource order. */
  objects(resource?: string): readonly KubeObject[] {
    if (resource !== undefined) return this.#store.list(resource);
    return this.#store.resources().flatMap((one) => this.#store.list(one));
  }

  object(resource: string, namespace: string, name: string): KubeObject | undefined {
    return this.#store.get(resource, rowKey(namespace, name));
  }

  /**
   * Installs a custom resource definition, Established at once. A definition of the same name is replaced.
   *
   * @throws {ApiServerError} MANIFEST_INVALID when `crd` is not a valid definition.
   */
  installCrd(crd: KubeObject): void {
    const name = crd.metadata.name ?? '';
    const answer = this.#putAsServer(CRDS, crd);
    if (answer instanceof Refusal)
      throw new ApiServerError(
        'MANIFEST_INVALID',
        `custom resource definition '${name}' was refused: ${refusalText(answer)}; correct the manifest`,
      );
  }

  resourceKinds(): readonly ResourceKind[] {
    return this.#registry.resourceKinds();
  }

  kindFor(apiVersion: string, kind: string): ResourceKind | undefined {
    return this.#registry.kindFor(apiVersion, kind);
  }

  /** Returns the subresources of a served kind: `status`, `scale`, … */
  subresourcesOf(apiVersion: string, kind: string): ReadonlySet<string> {
    return this.#registry.byKind(apiVersion, kind)?.[1].subresources ?? new Set();
  }

  /**
   * Stores objects without validation; they keep their uid. Each gets a new version and is reported to observers as a change. Definitions
   * must come before their instances.
   */
  seed(objects: readonly KubeObject[]): void {
    for (const object of objects) this.#kernel.commit(this.#registry.storing(object), object, undefined);
  }

  /** Expires the history up to `revision`: older watches, continue tokens and exact lists get 410 from now on. */
  expireBefore(revision: number): void {
    this.#store.expireBefore(revision);
  }

  /** Sends a BOOKMARK at the current revision to every watch with bookmarks. Real servers do so about once a minute. */
  sendBookmarks(): void {
    this.#watchers.bookmarks(this.#store.revision);
  }

  /** Ends every open watch cleanly, as a real server may at any time. */
  closeWatches(): void {
    this.#watchers.close(undefined, false);
  }

  /** Runs a request, or part of a request, until all its webhooks have answered. */
  #attempt(request: ApiRequest, sink: ResponseSink, watches: boolean): () => void {
    const attempt = new Attempt(this.#kernel);
    const present = request.method !== 'GET' && this.#webhooks.present;
    const sources = attempt.sources();
    let close = NOTHING;
    const run = (): ApiResponse => {
      // The definition may have changed since the last run of this request.
      const route = this.#registry.route(request.path);
      if (route === undefined) return UNKNOWN_PATH;
      const call: Call = { request, route, warnings: [] };
      const kernel: Kernel = Object.assign(Object.create(this.#kernel) as Kernel, sources, {
        admission: present ? new Admission(this.#webhooks, attempt) : undefined,
        ...preparing(this.#kernel, this.#watchers, route.version),
      });
      return interruptible(kernel, attempt, () => {
        if (!watches) {
          this.#attemptTime = sources.timestamp();
          try {
            return withWarnings(call, this.#answer(kernel, call));
          } finally {
            this.#attemptTime = undefined;
          }
        }
        prepareWatch(kernel, call);
        close = watch(kernel, this.#watchers, call, sink);
        return WATCHING;
      });
    };
    const giveUp = runAttempt(attempt, this.#options.callOut ?? noCallOut, run, (response) => {
      if (response !== WATCHING) sink.answer(response);
    });
    return () => {
      giveUp();
      close();
    };
  }

  #answer(kernel: Kernel, call: Call): ApiResponse {
    const { route, request } = call;
    if (route.subresource !== '') {
      const answer = answerSubresource(kernel, call);
      if (answer !== undefined) return answer;
    }
    switch (request.method) {
      case 'GET':
        return route.name === '' ? list(kernel, call) : get(kernel, call);
      case 'POST':
        return create(kernel, call);
      case 'PUT':
        return update(kernel, call);
      case 'PATCH':
        return patch(kernel, call);
      case 'DELETE':
        return route.name === '' ? removeCollection(kernel, call) : remove(kernel, call);
      default:
        return NO_METHOD;
    }
  }

  #tokenOwner(token: string, audiences: readonly string[]): TokenOwner | undefined {
    const known = this.#options.tokenUser?.(token);
    if (known === undefined)
      return verifyToken(this.#store, this.#options.now(), token, this.#kernel.tokenKey, audiences);
    // This server is the default audience of tokens.
    return audiences.includes(ISSUER) ? { user: known, audiences: [ISSUER] } : undefined;
  }

  /** Stores an initial object without validation. */
  #boot(object: KubeObject): void {
    const metadata = { ...object.metadata, uid: this.#options.newUid(), creationTimestamp: this.#kernel.timestamp() };
    this.#kernel.commit(this.#registry.storing(object), { ...object, metadata }, undefined);
  }

  /** Creates or replaces an object as the server's own write. */
  #putAsServer(resource: string, object: KubeObject): KubeObject | Refusal {
    const definition = this.#registry.byResource(resource);
    const version = definition?.versions[0];
    if (definition === undefined || version === undefined)
      throw new ApiServerError(
        'MANIFEST_INVALID',
        `unknown resource '${resource}'; expected one that the server serves`,
      );
    const { namespace = '', name = '' } = object.metadata;
    const existing = this.#store.get(resource, rowKey(namespace, name));
    const route: Route = {
      definition,
      version,
      namespace,
      name: existing === undefined ? '' : name,
      subresource: '',
      watching: false,
    };
    const body =
      existing === undefined
        ? object
        : { ...object, metadata: { ...object.metadata, resourceVersion: existing.metadata.resourceVersion ?? '' } };
    const request: ApiRequest = {
      method: existing === undefined ? 'POST' : 'PUT',
      path: '',
      query: {},
      headers: AS_ITSELF,
      body,
    };
    const call: Call = { request, route, warnings: [], internal: true };
    const raw = bodyMap(call);
    if (raw instanceof Refusal) return raw;
    const answer = existing === undefined ? create(this.#kernel, call) : update(this.#kernel, call);
    return answer instanceof Refusal ? answer : (answer.body as KubeObject);
  }

  #makeKernel(): Kernel {
    const { newUid, nameSuffix, now, fieldManagement = 'on-apply' } = this.#options;
    const registry = (): Registry => this.#registry;
    return {
      store: this.#store,
      get registry() {
        return registry();
      },
      newUid,
      nameSuffix,
      tokenKey: this.#options.tokenKey ?? TRIAL_KEY,
      access: this.#access,
      kubelet: this.#kubelet,
      admission: undefined,
      timestamp: timestampsOf(now),
      owners: new Ownership(fieldManagement, () => this.#attemptTime ?? this.#kernel.timestamp()),
      commit: (definition, object, before, by) => {
        const change = this.#store.put(definition.gr, object, before);
        this.#kernel.owners.committed(change.object, before, by);
        this.#notify(definition, change, by);
        return change.object;
      },
      remove: (definition, before) => {
        const change = this.#store.remove(definition.gr, before);
        this.#notify(definition, change);
        if (definition.gr === 'services') deleteEndpoints(this.#kernel, this.#registry.byResource('endpoints'), before);
        return change;
      },
    };
  }

  #notify(definition: ResourceDefinition, change: CommittedChange, by?: Call): void {
    // The change is queued before the observers run, so that their own writes come after it. It is delivered once all of them have run.
    const isFirst = this.#watchers.enqueue(change);
    let thrown = this.#observers.notify(change);
    try {
      this.#access.changed(change.resource);
      this.#webhooks.changed(change.resource);
      if (definition.gr === CRDS) this.#rebuildRegistry(change);
    } finally {
      if (isFirst) thrown = this.#watchers.deliver() ?? thrown;
    }
    if (definition.gr === CRDS || definition.terminating) reactToChange(this.#kernel, definition, change, by);
    if (thrown !== undefined) throw thrown.error;
  }

  #rebuildRegistry(change: CommittedChange): void {
    const served = this.#store.list(CRDS).filter(isEstablished);
    this.#registry = new Registry([...BUILT_IN, ...served.map(definitionOf)]);
    // A changed spec creates a new storage in a real server, so watches on the old one end cleanly.
    if (
      change.before !== undefined &&
      !(change.type === 'MODIFIED' && jsonEqual(change.object['spec'], change.before['spec']))
    )
      this.#watchers.close(change.name, false);
  }
}

/** The return value for an open watch, which has no answer. */
const WATCHING: ApiResponse = { code: 200, body: '' };
