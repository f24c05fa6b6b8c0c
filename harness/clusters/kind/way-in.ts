/**
 * How a kind cluster reaches this machine: its pods what listens on loopback, its API server a relay.
 *
 * Where the engine's network is one of this machine's own, as with docker on Linux, its gateway is this machine; where the engine lives in a
 * machine of its own, it has a name for ours. Owns: finding that out, and ports there that lead to ports of loopback, so that nothing else
 * of this machine listens on that network. Start at {@link findHost}.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { HarnessError } from '../../model/errors.ts';
import type { KindAccess } from '../../model/kind-options.ts';
import { NodeShell } from './node-shell.ts';

export interface HostPlace {
  /** What this machine is to the node. */
  readonly address: string;
  /** Where that leads to. */
  readonly listen: string;
}

/** A port of loopback as pods reach it. */
export interface WayIn {
  readonly host: string;
  readonly port: number;
  close(): void;
}

/** Names that engines in machines of their own have for the one that they are on. */
const NAMES = ['host.docker.internal', 'host.containers.internal'];
const ASK = [
  `ip -4 route show default | sed -n 's/^default via \\([0-9.]*\\).*/\\1/p'`,
  ...NAMES.map((name) => `getent ahostsv4 ${name} | sed -n '1s/ .*//p'`),
].join('; ');
const LOOPBACK = '127.0.0.1';
/** A connection that is refused is refused at once; one that a firewall swallows never is. */
const REACH_S = 5;

/** Which of the addresses that the node knows, its gateway first, is this machine. @internal */
export function placeAmong(candidates: readonly string[], own: ReadonlySet<string>): HostPlace | undefined {
  const ours = candidates.find((address) => own.has(address));
  if (ours !== undefined) return { address: ours, listen: ours };
  const [, named] = candidates;
  return named === undefined ? undefined : { address: named, listen: LOOPBACK };
}

/** The same for who needs no shell. @throws {CLUSTER_UNAVAILABLE} */
export async function findHostOf(access: KindAccess, without: string): Promise<HostPlace> {
  const shell = new NodeShell(access);
  try {
    return await findHost(shell, without);
  } finally {
    shell.close();
  }
}

/**
 * This machine as the node knows it.
 *
 * @param without What does not work without it, and what to do then, as the end of a sentence.
 * @throws {CLUSTER_UNAVAILABLE} when the node would not reach this machine.
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

/** A port that pods reach, before one of loopback. What is reset is closed: a reset of Node's can keep a worker from ever ending. */
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
