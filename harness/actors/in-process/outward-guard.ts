/**
 * Keeps a module target from using the network and from starting programs: it shares the process with the harness, and reaches the cluster
 * through the KubeConfig that it gets.
 *
 * A guard against accidents, not against malice: code in this process can circumvent it. Install once per worker.
 */
import childProcess, { ChildProcess } from 'node:child_process';
import { Socket as DatagramSocket } from 'node:dgram';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import workerThreads from 'node:worker_threads';
import { Patches } from '../../determinism/patches.ts';
import { shortPath } from '../../determinism/source-path.ts';
import { userFrame } from '../../determinism/user-frame.ts';
import { HarnessError } from '../../model/errors.ts';

export interface OutwardGuard {
  /** @throws {TARGET_UNCONTROLLED} if something was refused, with the line of code that attempted it. */
  readonly check: () => void;
  readonly uninstall: () => void;
}

type Method = (this: { destroy(error: Error): void }, ...args: unknown[]) => unknown;

export function installOutwardGuard(): OutwardGuard {
  const refused: string[] = [];
  const refuse = (what: string): Error => {
    const where = userFrame();
    const text = `${what} at ${where === undefined ? 'an unknown line' : shortPath(where)}`;
    if (!refused.includes(text)) refused.push(text);
    return Object.assign(new Error(`refused by stalemate: ${text}`), { code: 'ECONNREFUSED' });
  };
  const patches = new Patches();
  const connect: Method = function connect(...args) {
    this.destroy(refuse(`a connection to ${addressOf(args)}`));
    return this;
  };
  patches.value(Socket.prototype, 'connect', connect);
  for (const name of ['bind', 'connect', 'send'])
    patches.value(DatagramSocket.prototype, name, () => {
      throw refuse('a datagram socket');
    });
  patches.value(ChildProcess.prototype, 'spawn', (options: { readonly file?: unknown }) => {
    throw refuse(`starting the program "${String(options.file)}"`);
  });
  for (const name of ['spawnSync', 'execFileSync', 'execSync'])
    patches.value(childProcess, name, (program: unknown) => {
      throw refuse(`starting the program "${String(program)}"`);
    });
  // A worker thread would have its own net module, without this guard.
  const guarded = new Proxy(workerThreads.Worker, {
    construct: () => {
      throw refuse('starting a worker thread');
    },
  });
  patches.value(workerThreads, 'Worker', guarded);
  // For modules that import the functions by name.
  syncBuiltinESMExports();
  return {
    check: () => {
      if (refused.length === 0) return;
      throw new HarnessError(
        'TARGET_UNCONTROLLED',
        `the target used what a module may not use: ${refused.join('; ')}; expected it to use only the kubeConfig it was given`,
      );
    },
    uninstall: () => {
      patches.restore();
      syncBuiltinESMExports();
    },
  };
}

/** Returns `example.com:443`, or the path of a socket, from the arguments of `connect` or Node's normalised form of them. */
function addressOf(args: readonly unknown[]): string {
  const [first, second] = Array.isArray(args[0]) ? (args[0] as readonly unknown[]) : args;
  if (typeof first === 'object' && first !== null) {
    const { host, port, path } = first as { readonly host?: string; readonly port?: number; readonly path?: string };
    return port === undefined && path !== undefined ? path : `${host ?? 'localhost'}:${port ?? '?'}`;
  }
  if (typeof first === 'string' && !/^\d+$/.test(first)) return first;
  return `${typeof second === 'string' ? second : 'localhost'}:${String(first)}`;
}
