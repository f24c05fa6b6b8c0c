/**
 * A toxiproxy server of our own, in the network namespace of the client, and its configuration.
 *
 * Owns: the program, its proxies, adding and removing toxics. Does not own: which toxics, and when (`disturbance.ts`). It always ends with
 * this process (`control-plane/children.ts`). Start at {@link startToxiproxy}.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Toxiproxy as Client } from 'toxiproxy-node-client';
import { freePorts } from 'stalemate-apiserver/http';
import { listenAnywhere } from 'stalemate-apiserver/wire/listen';
import { Children, logTail, type Child } from 'stalemate-apiserver/processes/children';
import { endLeft, scratchFolder, TOXIPROXY } from 'stalemate-apiserver/processes/scratch';
import { realClearTimeout, realDelay, realNow, realSetTimeout } from '../../determinism/real-time.ts';
import type { ConnectionTrouble } from '../../model/connection-fault.ts';
import { HarnessError } from '../../model/errors.ts';
import { toxicsOf } from './toxics.ts';

/** The network in which toxiproxy runs: clients connect to it on the loopback interface of that network. */
export interface ProxyLocation {
  /** The command prefix that enters this network. */
  readonly enter: readonly string[];
  freePorts(count: number): Promise<readonly number[]>;
  connect(port: number): Promise<Socket>;
}

/** The host's own loopback interface. */
export const HERE: ProxyLocation = {
  enter: [],
  freePorts,
  connect: (port) =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket));
      socket.once('error', reject);
    }),
};

/** A proxy between a client and a server. */
export interface Between {
  /** The address that the client connects to instead of the server's, `127.0.0.1:port`. */
  readonly address: string;
  /** Applies a fault; resolves once it is in effect. */
  disturb(trouble: ConnectionTrouble): Promise<void>;
  /** Removes all toxics; resolves once that is done. Connections that were cut stay cut. */
  restore(): Promise<void>;
  remove(): Promise<void>;
}

export interface Toxiproxy {
  readonly version: string;
  readonly pid: number;
  /** Creates a proxy for `upstream`, `127.0.0.1:port`. */
  between(upstream: string): Promise<Between>;
  stop(): Promise<void>;
}

const READY_MS = 20_000;
const POLL_MS = 5;
/** After this time without an answer, in ms, the server is looked at, and asked again. */
const ASK_MS = 1_000;
/**
 * The time limit for an answer, as the client library has none; a server on this machine answers within milliseconds, on a busy machine
 * within a second.
 */
const ANSWER_MS = 10_000;

/** Another program may take a free port before toxiproxy listens there. */
const STARTS_MAX = 3;
const PORT_TAKEN = 'address already in use';

/** @throws {CLUSTER_UNAVAILABLE} if it does not start. */
export async function startToxiproxy(binary: string, place: ProxyLocation): Promise<Toxiproxy> {
  for (let left = STARTS_MAX - 1; ; left--) {
    try {
      return await startOnce(binary, place);
    } catch (error) {
      if (left === 0 || !String(error).includes(PORT_TAKEN)) throw error;
    }
  }
}

async function startOnce(binary: string, place: ProxyLocation): Promise<Toxiproxy> {
  const [port = 0] = await place.freePorts(1);
  endLeft(TOXIPROXY);
  const children = new Children(scratchFolder(TOXIPROXY));
  const [enter, ...more] = place.enter;
  const own = ['-host', '127.0.0.1', '-port', String(port)];
  const child = children.start('toxiproxy', enter ?? binary, enter === undefined ? own : [...more, binary, ...own]);
  const api = await forward(() => place.connect(port));
  const stop = async (): Promise<void> => {
    api.close();
    await children.stop();
  };
  try {
    const client = new Client(`http://127.0.0.1:${(api.address() as AddressInfo).port}`);
    const version = await ready(client, child, binary);
    let proxies = 0;
    return {
      version,
      pid: child.pid,
      between: (upstream) => between(client, `link-${++proxies}`, upstream),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Checks that toxiproxy starts, before anything else is started.
 *
 * @throws {CLUSTER_UNAVAILABLE} if it does not.
 */
export async function checkToxiproxy(binary: string): Promise<void> {
  await (await startToxiproxy(binary, HERE)).stop();
}

async function between(client: Client, name: string, upstream: string): Promise<Between> {
  const proxy = await answered(
    'make a proxy',
    client.createProxy({ name, listen: '127.0.0.1:0', upstream, enabled: true }),
  );
  const { listen } = proxy;
  const enable = async (enabled: boolean): Promise<void> => {
    await answered('switch a proxy', proxy.update({ enabled, listen, upstream }));
  };
  let toxics: { readonly name: string; remove(): Promise<void> }[] = [];
  let isDown = false;
  return {
    address: listen,
    disturb: async (trouble) => {
      if (trouble.do === 'down') {
        isDown = true;
        await enable(false);
        return;
      }
      for (const { type, stream, attributes } of toxicsOf(trouble)) {
        const body = { name: `${type}-${stream}`, type, stream, toxicity: 1, attributes };
        toxics.push(await answered(`put in ${type}`, proxy.addToxic(body)));
      }
    },
    restore: async () => {
      const gone = toxics;
      toxics = [];
      for (const toxic of gone) await answered(`take out ${toxic.name}`, toxic.remove());
      if (isDown) await enable(true);
      isDown = false;
    },
    remove: () => answered('remove a proxy', proxy.remove()),
  };
}

async function ready(client: Client, child: Child, binary: string): Promise<string> {
  const untilMs = realNow() + READY_MS;
  for (;;) {
    // Another program that has taken the port may accept the connection and never answer.
    const version = await Promise.race([
      client.getVersion().catch(() => undefined),
      realDelay(ASK_MS).then(() => undefined),
    ]);
    if (version !== undefined) return versionIn(version);
    const ended = child.ended();
    const words = logTail(child);
    if (ended !== undefined || realNow() > untilMs || words.includes(PORT_TAKEN)) {
      const what = ended === undefined ? `did not answer within ${READY_MS / 1000} s` : `ended with ${ended}`;
      throw new HarnessError(
        'CLUSTER_UNAVAILABLE',
        `"${binary}" ${what}, expected a toxiproxy server of version 2; name another one with --toxiproxy PATH${words === '' ? '' : `; its last words:\n${words}`}`,
      );
    }
    await realDelay(POLL_MS);
  }
}

/** Returns the version in `{"version": "2.12.0"}`. */
function versionIn(text: string): string {
  return /\d+(\.\d+)+/.exec(text)?.[0] ?? text.trim();
}

/** Adds a timeout to a call; the library's errors contain neither the status nor the server's message. */
async function answered<T>(what: string, asked: Promise<T>): Promise<T> {
  const failed = (why: string): HarnessError =>
    new HarnessError('CLUSTER_UNAVAILABLE', `toxiproxy could not ${what}: it ${why}`);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = realSetTimeout(() => reject(failed(`did not answer within ${ANSWER_MS / 1000} s`)), ANSWER_MS);
  });
  try {
    return await Promise.race([asked, late]);
  } catch (error) {
    if (error instanceof HarnessError) throw error;
    throw failed(`refused (${error instanceof Error ? error.message : String(error)})`);
  } finally {
    realClearTimeout(timer);
  }
}

/** Forwards a local port, because toxiproxy's API listens in the target's network, not in ours. */
async function forward(reach: () => Promise<Socket>): Promise<Server> {
  const server = createServer((near) => void connectBoth(near, reach));
  server.unref();
  await listenAnywhere(server, '127.0.0.1');
  return server;
}

async function connectBoth(near: Socket, reach: () => Promise<Socket>): Promise<void> {
  near.on('error', () => {});
  let far: Socket;
  try {
    far = await reach();
  } catch {
    near.destroy();
    return;
  }
  far.on('error', () => near.destroy());
  near.on('close', () => far.destroy());
  far.on('close', () => near.destroy());
  near.pipe(far).pipe(near);
}
