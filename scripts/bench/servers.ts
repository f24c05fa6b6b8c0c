/** The servers that HTTP benchmarks measure: ours as a process, and a real one if it is built. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram, startControlPlane } from '../../harness/clusters/control-plane.ts';

const TOKEN = 'bench-token';

export interface MeasuredServer {
  readonly url: string;
  readonly token: string;
  /** The pids of all processes of the server, including etcd. */
  readonly pids: readonly number[];
  readonly startMs: number;
  stop(): Promise<void>;
}

/** Starts a real server; returns undefined if its binaries are missing (`node scripts/control-plane.ts build`). */
export async function startReal(): Promise<MeasuredServer | undefined> {
  return findProgram('kube-apiserver') === undefined ? undefined : startControlPlane();
}

/** Starts `stalemate serve`. */
export async function startOurs(): Promise<MeasuredServer> {
  const folder = mkdtempSync(join(tmpdir(), 'stalemate-bench-'));
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, `${TOKEN},admin,admin,"system:masters"\n`);
  const program = fileURLToPath(new URL('../../harness/cli/bin.mjs', import.meta.url));
  const server = await startProgram([program, 'serve', '--controllers', 'none', '--token-file', tokens]);
  return {
    ...server,
    url: server.firstLine.replace('serving on ', ''),
    token: TOKEN,
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface MeasuredProgram {
  /** The line that the program printed when it was ready. */
  readonly firstLine: string;
  readonly pids: readonly number[];
  readonly startMs: number;
  stop(): Promise<void>;
}

/** Starts a Node program that prints a line when it is ready. */
export async function startProgram(args: readonly string[]): Promise<MeasuredProgram> {
  const before = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await firstLine(child);
  return {
    firstLine: line,
    pids: [child.pid ?? 0],
    startMs: performance.now() - before,
    stop: async () => {
      child.removeAllListeners('exit');
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      await ended;
    },
  };
}

export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (piece: Buffer) => resolve(piece.toString().trim()));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
}

/** Returns the user and system CPU time of the processes so far; a tick is 10 ms. */
export function cpuMicros(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, one) => sum + one, 0) * 10_000;
}
