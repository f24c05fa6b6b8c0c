/**
 * A running API server for tests of controllers and clients: in process, and on a socket where a client needs one.
 *
 * Owns: the defaults of a server outside of a run (real time, random uids), the initial state that `reset` restores, and the ways to
 * connect. Does not own: answers (`server/server.ts`), sockets (`http.ts`, loaded when first used). Start at {@link startApiServer}.
 */
import type { ClientNode } from './client-node/client-node.ts';
import { createDispatcher, type InProcessDispatcher } from './client-node/dispatcher.ts';
import { createInProcessKubeConfig } from './client-node/kube-config.ts';
import type { Transport } from './client-node/transport.ts';
import { realDate } from './clock.ts';
import { randomKey, randomSuffix, randomUid } from './ids.ts';
import { ApiServerError } from './objects/errors.ts';
import { isMap, textOf } from './objects/json.ts';
import { groupResource, type KubeObject, type ResourceKind } from './objects/object.ts';
import { serviceAccount, serviceAccountGroups } from './server/access/impersonation.ts';
import {
  ApiServer,
  type ApiServerOptions,
  type AuthorizationMode,
  type CommittedChange,
  type ServerSnapshot,
} from './server/server.ts';
import type { ApiResponse, Upstream, UserInfo } from './wire/http.ts';
import { kubeconfigOf } from './wire/kubeconfig.ts';
import { collectionPath } from './wire/path.ts';

/** Options of a server. The options of {@link ApiServer} are all optional here. */
export interface StartOptions extends Partial<ApiServerOptions> {
  /** Custom resource definitions to install at the start. */
  readonly crds?: readonly KubeObject[];
  /** Objects to create at the start, in this order, as a client would; objects without a namespace are created in `default`. */
  readonly objects?: readonly KubeObject[];
}

/** The identity of a client in the same process. */
export interface ClientOptions {
  /** The namespace of the current context; default `default`. */
  readonly namespace?: string;
  readonly userAgent?: string;
  /** The client's user with `authorization: 'rbac'`: a user or `system:serviceaccount:NAMESPACE:NAME`. Default: an administrator. */
  readonly user?: string | UserInfo;
  /** How API calls are sent; default `http-library`, the faster one. */
  readonly transport?: Transport;
}

/** The required part of `@kubernetes/client-node`: any version works. */
export interface ClientNodeModule {
  readonly KubeConfig: new () => object;
}

/** A server on a socket of this machine. */
export interface Listening extends AsyncDisposable {
  /** `https://127.0.0.1:37001`. */
  readonly url: string;
  /** A kubeconfig in JSON, which is valid YAML: for kubectl, and for programs in any language. Its user may do everything. */
  readonly kubeconfig: string;
  /** PEM of its certificate authority. */
  readonly ca: string;
  /** Ends watches, drops connections and frees the port. */
  close(): Promise<void>;
}

const NAME = 'stalemate';
const NAMESPACE = 'default';
const CREATED = 201;
const MODES: readonly AuthorizationMode[] = ['allow-all', 'rbac'];
/** `.invalid` never resolves (RFC 2606). */
const NOWHERE = 'http://stalemate.invalid';
const ADMINISTRATOR = { name: 'admin', groups: ['system:masters'] } as const;

/** Created by {@link startApiServer}. */
export class RunningApiServer implements AsyncDisposable {
  /** The server itself: requests without a client, objects by name, bookmarks, closing of watches. */
  readonly server: ApiServer;
  readonly #clock: { readonly now: () => number; aheadMs: number };
  readonly #initial: ServerSnapshot;
  readonly #listening = new Set<Listening>();
  #dispatcher: InProcessDispatcher | undefined;

  constructor({ crds = [], objects = [], now = () => realDate().getTime(), ...options }: StartOptions) {
    if (options.authorization !== undefined && !MODES.includes(options.authorization))
      throw new ApiServerError('USAGE', `got authorization "${options.authorization}", expected ${MODES.join(' or ')}`);
    const clock = { now, aheadMs: 0 };
    this.#clock = clock;
    this.server = new ApiServer({
      newUid: randomUid,
      nameSuffix: randomSuffix,
      tokenKey: randomKey(),
      fieldManagement: 'eager',
      ...options,
      now: () => clock.now() + clock.aheadMs,
    });
    this.install(...crds);
    for (const object of objects) this.#create(object);
    this.#initial = this.server.snapshot();
  }

  /**
   * Returns a `KubeConfig` whose clients reach the server without a socket: API calls, `Watch`, informers. Exec, attach and port-forward
   * need a WebSocket: {@link listen}.
   *
   * @param clientNode - The module `@kubernetes/client-node` as the code under test imports it.
   */
  kubeConfig<Module extends ClientNodeModule>(
    clientNode: Module,
    options: ClientOptions = {},
  ): InstanceType<Module['KubeConfig']> {
    const { namespace = 'default', transport = 'http-library', userAgent, user } = options;
    return createInProcessKubeConfig({
      clientNode: clientNode as unknown as ClientNode,
      upstream: user === undefined ? this.server : as(this.server, typeof user === 'string' ? userNamed(user) : user),
      transport,
      namespace,
      ...(userAgent === undefined ? {} : { userAgent }),
    }) as InstanceType<Module['KubeConfig']>;
  }

  /** Returns an undici dispatcher without sockets, for clients that accept one; it ignores the host of a request. */
  get dispatcher(): InProcessDispatcher {
    return (this.#dispatcher ??= createDispatcher(this.server, undefined));
  }

  /** Behaves like `fetch`, without a socket. `path` begins with a slash: `/api/v1/pods?watch=true`. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(new URL(path, NOWHERE), { ...init, dispatcher: this.dispatcher } as unknown as RequestInit);
  }

  /** Also serves the API server on 127.0.0.1, over TLS. Port 0 (default) lets the system choose. */
  async listen(port = 0): Promise<Listening> {
    const { CertificateAuthority, serveHttp } = await import('./http.ts');
    const authority = new CertificateAuthority();
    const token = randomKey();
    const http = await serveHttp(this.server, {
      port,
      tls: { identity: authority.issueServer(), clientCa: authority.certificate },
      authentication: {
        tokens: new Map([[token, ADMINISTRATOR]]),
        verifyToken: (of) => this.server.serviceAccountOf(of),
      },
    });
    const ca = authority.certificate;
    const close = async (): Promise<void> => {
      this.#listening.delete(listening);
      await http.close();
    };
    const listening: Listening = {
      url: http.url,
      ca,
      kubeconfig: JSON.stringify(kubeconfigOf({ name: NAME, server: http.url, ca, token })),
      close,
      [Symbol.asyncDispose]: close,
    };
    this.#listening.add(listening);
    return listening;
  }

  /**
   * Installs definitions, Established at once; an installed definition of the same name is replaced.
   *
   * @throws {ApiServerError} MANIFEST_INVALID for a definition that the server refuses.
   */
  install(...crds: readonly KubeObject[]): void {
    for (const crd of crds) {
      if (!isMap(crd))
        throw new ApiServerError('USAGE', `got ${JSON.stringify(crd)}, expected a definition as an object`);
      this.server.installCrd(structuredClone(crd));
    }
  }

  /**
   * Returns an object, or undefined where there is none. Never change it.
   *
   * @param resource - Plural name and group: `pods`, `deployments.apps`.
   * @param namespace - Ignored for cluster-scoped resources.
   * @throws {ApiServerError} USAGE for a resource that is not served.
   */
  object(resource: string, name: string, namespace: string = NAMESPACE): KubeObject | undefined {
    return this.server.object(resource, this.#served(resource).namespaced ? namespace : '', name);
  }

  /** Returns all objects of a resource, in the order of their keys. @throws {ApiServerError} as {@link object}. */
  objects(resource: string): readonly KubeObject[] {
    this.#served(resource);
    return this.server.objects(resource);
  }

  /** Returns the current state, to restore later. Does not copy objects. */
  snapshot(): ServerSnapshot {
    return this.server.snapshot();
  }

  /** Restores a snapshot; by default the state after the start. Open watches stop without an event. The clock is not reset. */
  reset(snapshot: ServerSnapshot = this.#initial): void {
    this.server.restore(snapshot);
  }

  /** Calls `listener` for every commit, before watches receive it, until the returned function is called. */
  onCommit(listener: (change: CommittedChange) => void): () => void {
    return this.server.observe(listener);
  }

  /** Moves the server's clock ahead: affects timestamps and token expiry. */
  advance(ms: number): void {
    this.#clock.aheadMs += ms;
  }

  /**
   * Ends all watches and deletes the history: a client that resumes gets 410 Gone and has to list again. Commits a ConfigMap in
   * kube-system, because a client that has seen the latest change could otherwise resume.
   */
  expireWatches(): void {
    const { revision } = this.server;
    this.server.seed([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'kube-system', name: `expired-${revision}` } },
    ]);
    this.server.closeWatches();
    this.server.expireBefore(this.server.revision);
  }

  #served(resource: string): ResourceKind {
    const kinds = this.server.resourceKinds();
    const found = kinds.find((kind) => groupResource(kind) === resource);
    if (found !== undefined) return found;
    const alike = kinds.filter(
      (kind) => kind.resource === resource || kind.kind.toLowerCase() === resource.toLowerCase(),
    );
    const hint =
      alike.length === 0
        ? 'a plural name and its group, such as deployments.apps'
        : alike.map(groupResource).join(' or ');
    throw new ApiServerError('USAGE', `got resource "${resource}", which is not served; expected ${hint}`);
  }

  #create(object: KubeObject): void {
    const { apiVersion, kind, metadata } = object;
    const served = this.server.kindFor(apiVersion, kind);
    if (served === undefined)
      throw new ApiServerError(
        'MANIFEST_INVALID',
        `got an object of ${apiVersion} ${kind}, which is not served; add its definition to crds`,
      );
    const path = collectionPath(served, served.namespaced ? (metadata.namespace ?? NAMESPACE) : '');
    let answer: ApiResponse | undefined;
    const request = { method: 'POST', path, query: {}, headers: {}, body: structuredClone(object) } as const;
    this.server.send(request, { answer: (given) => (answer = given), open: () => {}, event: () => {}, end: () => {} });
    if (answer?.code === CREATED) return;
    const body = answer?.body;
    const message = isMap(body) ? textOf(body['message']) : 'no answer';
    throw new ApiServerError('MANIFEST_INVALID', `the object ${kind} ${metadata.name ?? ''} was refused: ${message}`);
  }

  /** Closes every socket. A server without sockets does not need to be stopped. */
  async close(): Promise<void> {
    await Promise.all([...this.#listening].map((listening) => listening.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Starts a server in this process.
 *
 * @throws {ApiServerError} MANIFEST_INVALID for a definition that it refuses.
 */
export function startApiServer(options: StartOptions = {}): RunningApiServer {
  return new RunningApiServer(options);
}

/** Returns an upstream whose requests are those of `user`, as if that user had authenticated. */
function as(server: ApiServer, user: UserInfo): Upstream {
  return { send: (request, sink) => server.send({ ...request, user }, sink) };
}

function userNamed(name: string): UserInfo {
  const account = serviceAccount(name);
  return { name, groups: [...(account === undefined ? [] : serviceAccountGroups(account[0])), 'system:authenticated'] };
}
