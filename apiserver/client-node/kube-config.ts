/**
 * The KubeConfig that an in-process target gets: the target's own client-node class, connected to an `Upstream` instead of a socket.
 *
 * All of client-node works on it as long as the target uses the KubeConfig it was given: API clients, `Watch`, informers, health and
 * metrics. Exec, attach and port-forward need a WebSocket and fail.
 */
import type {
  ApiConstructor,
  ApiType,
  Configuration,
  HttpLibrary,
  KubeConfig,
  RequestContext,
} from '@kubernetes/client-node';
import type { Upstream } from '../wire/http.ts';
import type { ClientNode } from './client-node.ts';
import { createDispatcher, type InProcessDispatcher } from './dispatcher.ts';
import { createHttpLibrary } from './http-library.ts';
import type { Transport } from './transport.ts';

/** `.invalid` never resolves (RFC 2606): a target that opens a connection of its own fails at once. */
const SERVER = 'http://stalemate.invalid';
const NAME = 'stalemate';

export interface InProcessKubeConfigOptions {
  /** The copy of client-node that the target imports. */
  readonly clientNode: ClientNode;
  readonly upstream: Upstream;
  readonly transport: Transport;
  /** The current context's namespace. */
  readonly namespace: string;
  /** Sent instead of client-node's own user agent. */
  readonly userAgent?: string;
}

interface Connections {
  readonly dispatcher: InProcessDispatcher;
  /** The HTTP library for API calls; undefined when they go through the dispatcher too. */
  readonly httpApi: HttpLibrary | undefined;
}

type ConnectedKubeConfig = new (connections: Connections) => KubeConfig;

/** One subclass per copy of client-node, so that all incarnations share hidden classes. */
const classes = new WeakMap<ClientNode, ConnectedKubeConfig>();

export function createInProcessKubeConfig(options: InProcessKubeConfigOptions): KubeConfig {
  const { clientNode, upstream, transport, namespace, userAgent } = options;
  let Connected = classes.get(clientNode);
  if (Connected === undefined) {
    Connected = connectedClass(clientNode);
    classes.set(clientNode, Connected);
  }
  const kubeConfig = new Connected({
    dispatcher: createDispatcher(upstream, userAgent),
    httpApi: transport === 'http-library' ? createHttpLibrary(clientNode, upstream, userAgent) : undefined,
  });
  kubeConfig.loadFromOptions({
    clusters: [{ name: NAME, server: SERVER, skipTLSVerify: true }],
    users: [{ name: NAME }],
    contexts: [{ name: NAME, cluster: NAME, user: NAME, namespace }],
    currentContext: NAME,
  });
  return kubeConfig;
}

function connectedClass(clientNode: ClientNode): ConnectedKubeConfig {
  return class extends clientNode.KubeConfig {
    readonly #connections: Connections;

    constructor(connections: Connections) {
      super();
      this.#connections = connections;
    }

    override applySecurityAuthentication(context: RequestContext): Promise<void> {
      context.setDispatcher(this.#connections.dispatcher as unknown as Parameters<RequestContext['setDispatcher']>[0]);
      return Promise.resolve();
    }

    override makeApiClient<T extends ApiType>(apiClientType: ApiConstructor<T>): T {
      const { httpApi } = this.#connections;
      if (httpApi === undefined) return super.makeApiClient(apiClientType);
      // The base class creates the configuration, so that its middleware and user agent are kept.
      return super.makeApiClient(function withHttpApi(configuration: Configuration): T {
        return new apiClientType({ ...configuration, httpApi });
      } as unknown as ApiConstructor<T>);
    }
  };
}
