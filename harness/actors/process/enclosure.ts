/**
 * Where the lives of a target run, and what they can reach: a network of their own with loopback only, or the host's.
 *
 * Owns: the choice, and what is said when the host does not permit what was asked for. Does not own: how a namespace is made
 * (`namespace.ts`), a single life (`process-incarnation.ts`). Start at {@link openEnclosure}.
 */
import { connect, type Server, type Socket } from 'node:net';
import { freePorts } from '../../apiserver/http/free-ports.ts';
import type { Network } from '../../model/counterexample.ts';
import { openNamespace } from './namespace.ts';
import { processWrapper } from './process-wrapper.ts';

export interface Enclosure {
  /** What it has come to: not always what was asked for. */
  readonly network: Network;
  /** What the user has to know when it is not what was asked for. */
  readonly warning: string | null;
  /** Stands before a command line, so that it runs in its network; one array for each network. */
  readonly enter: readonly string[];
  /** The same for a life, which nothing that it starts may outlive. */
  readonly wrapper: readonly string[];
  /** Whether all processes of a life end with its first one, whatever they do to get away. */
  readonly endsAll: boolean;
  /** Whether nobody can live there any more. */
  isGone(): boolean;
  /** A listening socket on 127.0.0.1 inside; undefined where any socket of ours will do. */
  listen(): Promise<Server | undefined>;
  /** Ports of 127.0.0.1 inside that nobody listens on. */
  freePorts(count: number): Promise<readonly number[]>;
  /** A connection to 127.0.0.1 inside: for probes, metrics, webhooks. Rejects when nobody listens there. */
  connect(port: number): Promise<Socket>;
}

/** Opens what `network` asks for, or the closest to it that the host permits. It ends with this thread. */
export async function openEnclosure(network: Network): Promise<Enclosure> {
  if (network === 'host') return hostEnclosure(null);
  const namespace = await openNamespace();
  if ('refused' in namespace) {
    return hostEnclosure(
      `the target ran on the host's network, for this host permits no network namespace (${namespace.refused}): ` +
        'had it ignored its kubeconfig, it could have reached another cluster; --network host says that this is meant',
    );
  }
  return {
    network: 'none',
    warning: null,
    enter: namespace.enter,
    ...processWrapper(namespace.enter),
    isGone: () => namespace.isGone,
    listen: () => namespace.listen(),
    freePorts: (count) => Promise.resolve(namespace.ports(count)),
    connect: (port) => namespace.connect(port),
  };
}

function hostEnclosure(warning: string | null): Enclosure {
  return {
    network: 'host',
    warning,
    enter: [],
    ...processWrapper([]),
    isGone: () => false,
    listen: () => Promise.resolve(undefined),
    freePorts,
    connect: reach,
  };
}

function reach(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
