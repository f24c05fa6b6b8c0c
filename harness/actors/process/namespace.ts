/**
 * A network namespace with loopback only, kept alive by a program of ours (`namespace-holder.ts`) that opens sockets in it.
 *
 * Owns: creating it with standard Linux tools, as root or in a user namespace; communicating with the holder. The namespace lasts as long
 * as the thread that opened it. Start at {@link openNamespace}.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket as NameSocket } from 'node:dgram';
import type { Server, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ownModule } from '../../model/own-module.ts';
import type { Answer, Ask } from './namespace-holder.ts';

/** The loopback address to listen on. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface NetworkNamespace {
  /** The prefix with which a command line runs inside. */
  readonly enter: readonly string[];
  /** The pid of the holder. */
  readonly pid: number;
  /** True if it is in a user namespace of its own. */
  readonly hasUser: boolean;
  /** True if its holder was killed, so that it can no longer be entered. */
  readonly isGone: boolean;
  listen(at?: Address): Promise<Server>;
  /** Opens a socket on the DNS port inside. */
  names(): Promise<NameSocket>;
  connect(port: number): Promise<Socket>;
  /** Assigns `count` free ports. */
  ports(count: number): readonly number[];
}

const HOLDER = fileURLToPath(ownModule(import.meta.url, './namespace-holder.ts'));
/**
 * Brings up loopback, which is down at first, with whatever tool is installed; the number is SIOCSIFFLAGS with IFF_UP
 * IFF_RUNNING.
 */
const UP = [
  'ip link set lo up',
  'ifconfig lo up',
  'busybox ip link set lo up',
  `perl -e 'socket(S,2,2,0) && ioctl(S,0x8914,pack("a16s",lo,65)) or exit 1'`,
  `python3 -c 'import fcntl,socket,struct; fcntl.ioctl(socket.socket(2,2),0x8914,struct.pack("16sh",b"lo",65))'`,
];
/**
 * Enables immediate ACKs (quickack). Clients that leave Nagle's algorithm on (kube-rs does) send the body of a request only after its head
 * was acknowledged, which takes Linux 40 ms, so that each of their writes would take ten times as long. Without "ip", their writes do take
 * that long.
 */
const QUICK = ['127.0.0.0/8', '127.0.0.1']
  .map((range) => `ip route replace local ${range} dev lo table local proto kernel scope host src 127.0.0.1 quickack 1`)
  .join('; ');
const START = `{ ${UP.join(' || ')}; } 2>/dev/null || { echo "loopback cannot be brought up" >&2; exit 1; }; { ${QUICK}; } 2>/dev/null; exec "$@"`;

/**
 * Nests one more network namespace, to get a small table of connections: a namespace has a table of its own only if the surrounding
 * namespace requests that (Linux 6.1). Each step of virtual time checks for bytes in transit. Reading a small table takes microseconds; the
 * host's, with a quarter of a million slots, takes 4 ms.
 */
const SMALL_TABLE = `{ echo 64 > /proc/sys/net/ipv4/tcp_child_ehash_entries && unshare --net true; } 2>/dev/null && exec unshare --net /bin/sh -c "$0" sh "$@"; exec /bin/sh -c "$0" sh "$@"`;

/** The ways to create a namespace: as root, or as any other user in a user namespace. */
const WAYS = [
  { hasUser: false, unshare: ['--net'], enter: ['--net'] },
  {
    hasUser: true,
    unshare: ['--user', '--map-root-user', '--net'],
    enter: ['--user', '--preserve-credentials', '--net'],
  },
];

/** Opens a namespace, or returns why this host does not permit one. */
export async function openNamespace(): Promise<NetworkNamespace | { readonly refused: string }> {
  if (process.platform !== 'linux') return { refused: `${process.platform} has none` };
  let refused = '';
  for (const way of WAYS) {
    const holder = spawn('unshare', [...way.unshare, '/bin/sh', '-c', SMALL_TABLE, START, process.execPath, HOLDER], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { PATH: process.env['PATH'] },
      // Ctrl-C is for the harness: the holder must last until the targets have ended.
      detached: true,
    });
    const trouble = await started(holder);
    if (trouble === null) return new HeldNamespace(holder, way);
    refused = trouble;
  }
  return { refused };
}

/** Resolves with null once the holder is ready, or with the error if it has failed. */
function started(holder: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    let said = '';
    holder.stderr?.on('data', (piece: Buffer) => (said += piece.toString('utf8')));
    holder.once('error', ({ message }) => resolve(message));
    holder.once('close', () => resolve(said.trim().split('\n').at(-1) ?? 'no reason given'));
    holder.once('message', () => resolve(null));
  });
}

/** The assigned ports. Nothing else runs inside, so ports below the ephemeral range stay free until we assign them. */
const PORTS = { first: 10_000, last: 29_999 } as const;
/** One counter for all namespaces, so that a port identifies its namespace. */
let nextPort: number = PORTS.first;

type Handed = Server | Socket | NameSocket;

interface Waiting {
  readonly resolve: (socket: Handed) => void;
  readonly reject: (error: Error) => void;
}

class HeldNamespace implements NetworkNamespace {
  readonly enter: readonly string[];
  readonly pid: number;
  readonly hasUser: boolean;
  isGone = false;
  readonly #holder: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;
  #names: Promise<NameSocket> | undefined;

  constructor(holder: ChildProcess, { hasUser, enter }: (typeof WAYS)[number]) {
    this.pid = holder.pid ?? 0;
    this.hasUser = hasUser;
    this.enter = ['nsenter', ...enter, '--target', String(this.pid)];
    this.#holder = holder;
    holder.on('message', ({ id, error }: Answer, socket: unknown) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (socket === undefined) waiting?.reject(errorOf(error ?? 'the connection broke off at once'));
      else waiting?.resolve(socket as Handed);
    });
    holder.on('exit', () => {
      this.isGone = true;
      for (const { reject } of this.#waiting.values()) reject(new Error('the network namespace of the target is gone'));
      this.#waiting.clear();
    });
    // Pending requests keep this thread alive; the holder itself does not.
    holder.unref();
    holder.channel?.unref();
    (holder.stderr as Socket | null)?.unref();
  }

  async listen(at?: Address): Promise<Server> {
    return (await this.#ask((id) => ({ id, ask: 'listen', ...(at === undefined ? {} : { at }) }))) as Server;
  }

  /** Opens the socket once; it lasts as long as the namespace. */
  names(): Promise<NameSocket> {
    this.#names ??= this.#ask((id) => ({ id, ask: 'names' })).then((socket) => (socket as NameSocket).unref());
    return this.#names;
  }

  async connect(port: number): Promise<Socket> {
    return (await this.#ask((id) => ({ id, ask: 'connect', port }))) as Socket;
  }

  ports(count: number): readonly number[] {
    return Array.from({ length: count }, () => {
      const port = nextPort;
      nextPort = port === PORTS.last ? PORTS.first : port + 1;
      return port;
    });
  }

  #ask(make: (id: number) => Ask): Promise<Handed> {
    return new Promise((resolve, reject) => {
      const id = ++this.#asked;
      this.#waiting.set(id, { resolve, reject });
      this.#holder.send(make(id), (error) => {
        if (error === null) return;
        this.#waiting.delete(id);
        reject(error);
      });
    });
  }
}

/** Recreates an error, with its `code` taken from the message, because callers check the code. */
function errorOf(message: string): Error {
  const [code] = /\bE[A-Z]{3,}\b/.exec(message) ?? [];
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}
