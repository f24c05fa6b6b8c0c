/**
 * A network namespace with loopback only, kept by a program of ours (`namespace-holder.ts`) that opens sockets in it.
 *
 * Owns: making it with what Linux systems have installed, as root or in a user namespace; talking to the holder. It lasts as long as
 * the thread that opened it. Start at {@link openNamespace}.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket as NameSocket } from 'node:dgram';
import type { Server, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ownModule } from '../../model/own-module.ts';
import type { Answer, Ask } from './namespace-holder.ts';

/** Where to listen, on loopback. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface NetworkNamespace {
  /** Prefix of a command line, so that it runs inside. */
  readonly enter: readonly string[];
  /** The process that holds it. */
  readonly pid: number;
  /** Whether it lies in a user namespace of its own. */
  readonly hasUser: boolean;
  /** Its holder was killed: it cannot be entered any more. */
  readonly isGone: boolean;
  listen(at?: Address): Promise<Server>;
  /** A socket on the port where programs ask for addresses. */
  names(): Promise<NameSocket>;
  connect(port: number): Promise<Socket>;
  /** So many free ports. */
  ports(count: number): readonly number[];
}

const HOLDER = fileURLToPath(ownModule(import.meta.url, './namespace-holder.ts'));
/** Loopback is down at first. Whatever is installed will do; the number is SIOCSIFFLAGS with IFF_UP | IFF_RUNNING. */
const UP = [
  'ip link set lo up',
  'ifconfig lo up',
  'busybox ip link set lo up',
  `perl -e 'socket(S,2,2,0) && ioctl(S,0x8914,pack("a16s",lo,65)) or exit 1'`,
  `python3 -c 'import fcntl,socket,struct; fcntl.ioctl(socket.socket(2,2),0x8914,struct.pack("16sh",b"lo",65))'`,
];
/**
 * Acknowledge at once. Clients that leave Nagle's algorithm on (kube-rs does) send the body of a request only when its head has been
 * acknowledged, and Linux takes 40 ms for that: each write of theirs would take ten times as long. Without "ip" it does.
 */
const QUICK = ['127.0.0.0/8', '127.0.0.1']
  .map((range) => `ip route replace local ${range} dev lo table local proto kernel scope host src 127.0.0.1 quickack 1`)
  .join('; ');
const START = `{ ${UP.join(' || ')}; } 2>/dev/null || { echo "loopback cannot be brought up" >&2; exit 1; }; { ${QUICK}; } 2>/dev/null; exec "$@"`;

/**
 * Within it, one more: a network of its own has a table of connections of its own only where the one around it says so (Linux 6.1), and a
 * small one is read in microseconds. Whether bytes are on their way is asked before each step of virtual time, and the host's table, with
 * a place for each of a quarter of a million connections, takes 4 ms.
 */
const SMALL_TABLE = `{ echo 64 > /proc/sys/net/ipv4/tcp_child_ehash_entries && unshare --net true; } 2>/dev/null && exec unshare --net /bin/sh -c "$0" sh "$@"; exec /bin/sh -c "$0" sh "$@"`;

/** As root, and as anybody else in a user namespace. */
const WAYS = [
  { hasUser: false, unshare: ['--net'], enter: ['--net'] },
  {
    hasUser: true,
    unshare: ['--user', '--map-root-user', '--net'],
    enter: ['--user', '--preserve-credentials', '--net'],
  },
];

/** Opens one, or says why this host permits none. */
export async function openNamespace(): Promise<NetworkNamespace | { readonly refused: string }> {
  if (process.platform !== 'linux') return { refused: `${process.platform} has none` };
  let refused = '';
  for (const way of WAYS) {
    const holder = spawn('unshare', [...way.unshare, '/bin/sh', '-c', SMALL_TABLE, START, process.execPath, HOLDER], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { PATH: process.env['PATH'] },
      // Ctrl-C is for us: it must last until the targets have ended.
      detached: true,
    });
    const trouble = await started(holder);
    if (trouble === null) return new HeldNamespace(holder, way);
    refused = trouble;
  }
  return { refused };
}

/** Resolves with what went wrong, or with null. */
function started(holder: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    let said = '';
    holder.stderr?.on('data', (piece: Buffer) => (said += piece.toString('utf8')));
    holder.once('error', ({ message }) => resolve(message));
    holder.once('close', () => resolve(said.trim().split('\n').at(-1) ?? 'no reason given'));
    holder.once('message', () => resolve(null));
  });
}

/** No other process lives there: ports below those that the system gives out are free until we name them. */
const PORTS = { first: 10_000, last: 29_999 } as const;
/** One count for all namespaces, so that a port says where it is. */
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
    // What waits for it keeps this thread alive; it does not.
    holder.unref();
    holder.channel?.unref();
    (holder.stderr as Socket | null)?.unref();
  }

  async listen(at?: Address): Promise<Server> {
    return (await this.#ask((id) => ({ id, ask: 'listen', ...(at === undefined ? {} : { at }) }))) as Server;
  }

  /** Opened once: it lasts as long as the namespace. */
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

/** With the code that its message names, by which callers know it. */
function errorOf(message: string): Error {
  const [code] = /\bE[A-Z]{3,}\b/.exec(message) ?? [];
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}
