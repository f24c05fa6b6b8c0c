/**
 * A toxiproxy server of our own, in the network namespace of the client, and what it is configured to do.
 *
 * Owns: the program, its proxies, toxics going in and out. Does not own: which and when (`disturbance.ts`). It ends with us, whatever
 * happens (`control-plane/children.ts`). Start at {@link startToxiproxy}.
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

/** Where it runs: clients connect to it on that loopback interface. */
export interface Place {
  /** Prefix of a command line, so that it runs there. */
  readonly enter: readonly string[];
  freePorts(count: number): Promise<readonly number[]>;
  connect(port: number): Promise<Socket>;
}

/** This host's own loopback. */
export const HERE: Place = {
  enter: [],
  freePorts,
  connect: (port) =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket));
      socket.once('error', reject);
    }),
};

/** Goes between two that talk. */
export interface Between {
  /** What to connect to instead, `127.0.0.1:port`. */
  readonly address: string;
  /** Resolves when it is in force. */
  disturb(trouble: ConnectionTrouble): Promise<void>;
  /** Resolves when all is as it was; what was cut stays cut. */
  restore(): Promise<void>;
  remove(): Promise<void>;
}

export interface Toxiproxy {
  readonly version: string;
  readonly pid: number;
  /** A proxy before `upstream`, `127.0.0.1:port`. */
  between(upstream: string): Promise<Between>;
  stop(): Promise<void>;
}

const READY_MS = 20_000;
const POLL_MS = 5;
/** The client waits for ever; a server on this machine answers within milliseconds, on a busy one within a second. */
const ANSWER_MS = 10_000;

/** @throws {CLUSTER_UNAVAILABLE} when it does not start. */
export async function startToxiproxy(binary: string, place: Place): Promise<Toxiproxy> {
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

/** @throws {CLUSTER_UNAVAILABLE} when it does not start: better said before anything else is started. */
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
    const version = await client.getVersion().catch(() => undefined);
    if (version !== undefined) return versionIn(version);
    const ended = child.ended();
    if (ended !== undefined || realNow() > untilMs) {
      const what = ended === undefined ? `did not answer within ${READY_MS / 1000} s` : `ended with ${ended}`;
      const words = logTail(child);
      throw new HarnessError(
        'CLUSTER_UNAVAILABLE',
        `"${binary}" ${what}, expected a toxiproxy server of version 2; name another one with --toxiproxy PATH${words === '' ? '' : `; its last words:\n${words}`}`,
      );
    }
    await realDelay(POLL_MS);
  }
}

/** `{"version": "2.12.0"}`. */
function versionIn(text: string): string {
  return /\d+(\.\d+)+/.exec(text)?.[0] ?? text.trim();
}

/** Its errors carry neither status nor what the server says, and its calls no time-out. */
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

/** A port here for one elsewhere: its API listens where the target is, which is not where we are. */
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
