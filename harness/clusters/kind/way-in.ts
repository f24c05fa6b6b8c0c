/**
 * How a kind cluster reaches this machine: relays for its pods and its API server to servers on loopback.
 *
 * If the engine's network is on this machine, as with docker on Linux, its gateway is this machine; an engine in a virtual machine has a
 * host name for this machine. Owns: detecting which applies, and opening ports on that network that relay to loopback, so that nothing else
 * of this machine is exposed there. Start at {@link findHost}.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { HarnessError } from '../../model/errors.ts';
import type { KindAccess } from '../../model/kind-options.ts';
import { NodeShell } from './node-shell.ts';

export interface HostPlace {
  /** The address of this machine as seen from the node. */
  readonly address: string;
  /** The address to listen on. */
  readonly listen: string;
}

/** A relay to a loopback port, as pods reach it. */
export interface WayIn {
  readonly host: string;
  readonly port: number;
  close(): void;
}

/** Host names for this machine that engines in virtual machines provide. */
const NAMES = ['host.docker.internal', 'host.containers.internal'];
const ASK = [
  `ip -4 route show default | sed -n 's/^default via \\([0-9.]*\\).*/\\1/p'`,
  ...NAMES.map((name) => `getent ahostsv4 ${name} | sed -n '1s/ .*//p'`),
].join('; ');
const LOOPBACK = '127.0.0.1';
/** The time limit for a connection: a refusal is immediate, but a firewall may drop packets. */
const REACH_S = 5;

/**
 * Returns the candidate address (the gateway first) that belongs to this machine.
 *
 * @internal
 */
export function placeAmong(candidates: readonly string[], own: ReadonlySet<string>): HostPlace | undefined {
  const ours = candidates.find((address) => own.has(address));
  if (ours !== undefined) return { address: ours, listen: ours };
  const [, named] = candidates;
  return named === undefined ? undefined : { address: named, listen: LOOPBACK };
}

/**
 * As {@link findHost}, without an existing shell.
 *
 * @throws {CLUSTER_UNAVAILABLE} if the node cannot reach this machine.
 */
export async function findHostOf(access: KindAccess, without: string): Promise<HostPlace> {
  const shell = new NodeShell(access);
  try {
    return await findHost(shell, without);
  } finally {
    shell.close();
  }
}

/**
 * Finds the address of this machine as seen from the node.
 *
 * @param without - What does not work without such an address, and what to do about it, as the end of a sentence.
 * @throws {CLUSTER_UNAVAILABLE} if the node cannot reach this machine.
 */
export async function findHost(shell: NodeShell, without: string): Promise<HostPlace> {
  const candidates = (await shell.ask(ASK)).split('\n').filter((line) => /^[\d.]+$/.test(line));
  const own = new Set(Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address)));
  const place = placeAmong(candidates, own);
  if (place === undefined)
    throw new HarnessError(
      'CLUSTER_UNAVAILABLE',
      `the node of the kind cluster has no address for this machine (its gateway is ${candidates[0] ?? 'unknown'}, and neither ${NAMES.join(' nor ')} resolves there), so that ${without}`,
    );
  const probe = await openWay(place, 0);
  const reached = await shell.ask(
    `timeout ${REACH_S} bash -c 'exec 3<>/dev/tcp/${place.address}/${probe.port}' && echo yes`,
  );
  probe.close();
  if (reached.includes('yes')) return place;
  throw new HarnessError(
    'CLUSTER_UNAVAILABLE',
    `the node of the kind cluster does not reach this machine at ${place.address} (${reached.trim().split('\n').at(-1) ?? ''}; is there a firewall between them?), so that ${without}`,
  );
}

/**
 * Opens a port for pods that relays to a loopback port on this machine. Connections are closed rather than reset: a reset in Node can keep
 * a worker from ending.
 */
export function openWay({ address, listen }: HostPlace, to: number): Promise<WayIn> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((near) => {
    const far = connect(to, LOOPBACK);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroySoon();
      });
    }
    near.pipe(far).pipe(near);
  });
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, listen, () => {
      const { port } = server.address() as AddressInfo;
      const close = (): void => {
        server.close();
        for (const socket of sockets) socket.destroy();
      };
      resolve({ host: address, port, close });
    });
  });
}
