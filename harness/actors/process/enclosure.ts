/**
 * The network of a target's incarnations: their own with loopback only, or the host's.
 *
 * Owns: the choice, and the warning if the host does not permit what was requested. Does not own: how a namespace is created
 * (`namespace.ts`), a single incarnation (`process-incarnation.ts`). Start at {@link openEnclosure}.
 */
import type { Socket as NameSocket } from 'node:dgram';
import { connect, type Server, type Socket } from 'node:net';
import { freePorts } from 'stalemate-apiserver/http';
import type { FileSystem, Network } from '../../model/counterexample.ts';
import { openNamespace, type Address } from './namespace.ts';
import { processWrapper, type ProcessWrapper } from './process-wrapper.ts';

export interface Enclosure extends ProcessWrapper {
  /** The actual network, which may differ from the requested one. */
  readonly network: Network;
  /** A warning for the user if the network differs from the requested one. */
  readonly warning: string | null;
  /** The prefix of a command line that enters its network. Each network has its own array, which identifies it. */
  readonly enter: readonly string[];
  /** Reports whether the enclosure can no longer be used. */
  isGone(): boolean;
  /** Opens a listening socket in its network, by default on 127.0.0.1; undefined if any socket of this process will do. */
  listen(at?: Address): Promise<Server | undefined>;
  /** Opens a socket on the DNS port of its network; undefined if programs use the host's name servers. */
  names(): Promise<NameSocket | undefined>;
  /** Finds free ports on 127.0.0.1 in its network. */
  freePorts(count: number): Promise<readonly number[]>;
  /** Connects to a port on 127.0.0.1 in its network, for probes, metrics and webhooks. Rejects if nothing listens there. */
  connect(port: number): Promise<Socket>;
}

/** The requested isolation of an incarnation. */
export interface Reach {
  readonly network: Network;
  readonly fileSystem: FileSystem;
}

/** Opens the requested enclosure, or the closest one that the host permits. The enclosure ends with this thread. */
export async function openEnclosure({ network, fileSystem }: Reach): Promise<Enclosure> {
  if (network === 'host') return hostEnclosure(fileSystem, null);
  const namespace = await openNamespace();
  if ('refused' in namespace) {
    return hostEnclosure(
      fileSystem,
      `the target ran on the host's network, for this host permits no network namespace (${namespace.refused}): ` +
        'had it ignored its kubeconfig, it could have reached another cluster; use --network host to accept this',
    );
  }
  const wrapper = processWrapper(fileSystem, namespace);
  return {
    network: 'none',
    warning: filesWarning(wrapper),
    enter: namespace.enter,
    ...wrapper,
    isGone: () => namespace.isGone,
    listen: (at) => namespace.listen(at),
    names: () => namespace.names().catch(() => undefined),
    freePorts: (count) => Promise.resolve(namespace.ports(count)),
    connect: (port) => namespace.connect(port),
  };
}

function hostEnclosure(fileSystem: FileSystem, warning: string | null): Enclosure {
  const wrapper = processWrapper(fileSystem);
  return {
    network: 'host',
    warning: [warning, filesWarning(wrapper)].filter((line) => line !== null).join('; ') || null,
    enter: [],
    ...wrapper,
    isGone: () => false,
    listen: () => Promise.resolve(undefined),
    names: () => Promise.resolve(undefined),
    freePorts,
    connect: reach,
  };
}

function filesWarning({ openFiles }: ProcessWrapper): string | null {
  if (openFiles === null) return null;
  return `the target saw the files of this host, which permits no file system of its own (${openFiles}); use --file-system host to accept this`;
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
