/**
 * Where the lives of a target run, and what they can reach: a network of their own with loopback only, or the host's.
 *
 * Owns: the choice, and what is said when the host does not permit what was asked for. Does not own: how a namespace is made
 * (`namespace.ts`), a single life (`process-incarnation.ts`). Start at {@link openEnclosure}.
 */
import type { Socket as NameSocket } from 'node:dgram';
import { connect, type Server, type Socket } from 'node:net';
import { freePorts } from 'stalemate-apiserver/http';
import type { FileSystem, Network } from '../../model/counterexample.ts';
import { openNamespace, type Address } from './namespace.ts';
import { processWrapper, type ProcessWrapper } from './process-wrapper.ts';

export interface Enclosure extends ProcessWrapper {
  /** What it has come to: not always what was asked for. */
  readonly network: Network;
  /** What the user has to know when it is not what was asked for. */
  readonly warning: string | null;
  /** Prefix of a command line, so that it runs in its network; one array for each network. */
  readonly enter: readonly string[];
  /** Whether it cannot be used any more. */
  isGone(): boolean;
  /** A listening socket inside, by default on 127.0.0.1; undefined where any socket of ours will do. */
  listen(at?: Address): Promise<Server | undefined>;
  /** A socket on the port where programs inside ask for addresses; undefined where they ask the host's name servers. */
  names(): Promise<NameSocket | undefined>;
  /** Free ports of 127.0.0.1 inside. */
  freePorts(count: number): Promise<readonly number[]>;
  /** A connection to 127.0.0.1 inside: for probes, metrics, webhooks. Rejects when nothing listens there. */
  connect(port: number): Promise<Socket>;
}

/** What a life may reach and see. */
export interface Reach {
  readonly network: Network;
  readonly fileSystem: FileSystem;
}

/** Opens what is asked for, or the closest to it that the host permits. It ends with this thread. */
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
