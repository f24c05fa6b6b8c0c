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
import type { KubeObject } from './objects/object.ts';
import { ApiServer, type ApiServerOptions, type CommittedChange, type ServerSnapshot } from './server/server.ts';
import { kubeconfigOf } from './wire/kubeconfig.ts';

/** Options of a server. The options of {@link ApiServer} are all optional here. */
export interface StartOptions extends Partial<ApiServerOptions> {
  /** Custom resource definitions to install at the start. */
  readonly crds?: readonly KubeObject[];
  /** Objects to store at the start unchecked; namespaces first. */
  readonly objects?: readonly KubeObject[];
}

/** Identity of a client in the same process. */
export interface ClientOptions {
  /** The namespace of the current context; default `default`. */
  readonly namespace?: string;
  readonly userAgent?: string;
  /** How API calls travel; default `http-library`, the faster one. */
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
    this.server.seed(objects);
    this.#initial = this.server.snapshot();
  }

  /**
   * A `KubeConfig` whose clients reach the server without a socket: API calls, `Watch`, informers. Exec, attach and port-forward need a
   * WebSocket: {@link listen}.
   *
   * @param clientNode - The module `@kubernetes/client-node` as the code under test imports it.
   */
  kubeConfig<Module extends ClientNodeModule>(
    clientNode: Module,
    options: ClientOptions = {},
  ): InstanceType<Module['KubeConfig']> {
    const { namespace = 'default', transport = 'http-library', userAgent } = options;
    return createInProcessKubeConfig({
      clientNode: clientNode as unknown as ClientNode,
      upstream: this.server,
      transport,
      namespace,
      ...(userAgent === undefined ? {} : { userAgent }),
    }) as InstanceType<Module['KubeConfig']>;
  }

  /** An undici dispatcher without sockets, for clients that accept one; the host of a request does not matter. */
  get dispatcher(): InProcessDispatcher {
    return (this.#dispatcher ??= createDispatcher(this.server, undefined));
  }

  /** `fetch` without a socket. `path` begins with a slash: `/api/v1/pods?watch=true`. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(new URL(path, NOWHERE), { ...init, dispatcher: this.dispatcher } as unknown as RequestInit);
  }

  /** Also serves it on 127.0.0.1, over TLS. Port 0 (default) lets the system choose. */
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
   * Installs definitions, Established at once; one of the same name is replaced.
   *
   * @throws {ApiServerError} MANIFEST_INVALID for one that the server refuses.
   */
  install(...crds: readonly KubeObject[]): void {
    for (const crd of crds) this.server.installCrd(crd);
  }

  /** The current state, to restore later. Costs nothing per object. */
  snapshot(): ServerSnapshot {
    return this.server.snapshot();
  }

  /** Restores a snapshot; by default the state after the start. Open watches stop without an event, the clock goes on. */
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
