/**
 * Compares our API server on a socket with a real one over TLS in one run: requests per second by operation, start-up time, memory, idle
 * watches.
 *
 * Prints JSON. If the binaries of a real server are missing (`node scripts/control-plane.ts build`), only ours is measured.
 */
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FAN_OUT, FILL, fillTo, JOBS, type Kind, type LoadJob, type LoadResult } from './http-jobs.ts';
import { runLoad } from './run-load.ts';
import { cpuMicros, firstLine, startOurs, startReal, type MeasuredServer } from './servers.ts';

const SECONDS = Number(process.argv[2] ?? '2');
const OBJECTS = 10_000;
const WATCHES = 5000;
const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export interface HttpMeasurement {
  readonly name: string;
  readonly kind: Kind | 'watch';
  readonly connections: number;
  /** Requests or events per second. */
  readonly ours: number;
  readonly real?: number;
  readonly oursP99Ms: number;
  readonly realP99Ms?: number;
  /** CPU time of the server per request or event: of all figures, it varies least on a busy machine. */
  readonly oursCpuMicros: number;
  readonly realCpuMicros?: number;
}

export interface HttpReport {
  readonly operations: readonly HttpMeasurement[];
  /** Start-up time of each server as a process. */
  readonly startMs: { readonly ours: number; readonly real?: number };
  /**
   * Start-up time until the first response over TLS. Ours starts in a process that has already loaded its modules (trials without sockets
   * take less time); the real one starts as in `startMs`.
   */
  readonly startInsideMs: { readonly ours: number; readonly real?: number };
  /** Resident memory: when idle, and after 10,000 more objects were created. */
  readonly idleMb: { readonly ours: number; readonly real?: number };
  readonly fullMb: { readonly ours: number; readonly real?: number };
  /** Memory per idle watch, measured with 5,000 watches over HTTP/2. */
  readonly watchKb: { readonly ours: number; readonly real?: number };
}

function residentMb({ pids }: MeasuredServer): number {
  const kilobytes = pids.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]));
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024;
}

interface Measured extends LoadResult {
  readonly cpuMicros: number;
}

async function run({ url, token, pids }: MeasuredServer, job: Partial<LoadJob>): Promise<Measured> {
  const before = cpuMicros(pids);
  const { result: measured, refused } = await runLoad({ connections: 32, seconds: SECONDS, ...job, url, token });
  const result = { ...measured, cpuMicros: (cpuMicros(pids) - before) / Math.max(1, measured.done) };
  if (refused === undefined) return result;
  process.stderr.write(`was refused: ${refused}\n`);
  return { ...result, perSecond: 0 };
}

async function measureAll(ours: MeasuredServer, real: MeasuredServer | undefined): Promise<HttpMeasurement[]> {
  const servers = real === undefined ? [ours] : [ours, real];
  for (const server of servers) await run(server, FILL);
  const measurements: HttpMeasurement[] = [];
  let turn = 0;
  const created = new Map<string, number>();
  for (const connections of [1, 32]) {
    for (const { name, kind, job } of JOBS) {
      turn++;
      const results: Measured[] = [];
      for (const server of servers) {
        const key = `${server.url} ${connections}`;
        const body = job.body?.replaceAll('%r', `c${connections}`) ?? '';
        const path = job.path?.replaceAll('%r', `c${connections}`) ?? '';
        const limits =
          name === 'delete'
            ? { countMax: created.get(key) ?? 0 }
            : name === 'create'
              ? {}
              : { from: turn * 10_000_000 };
        const result = await run(server, { ...job, body, path, connections, ...limits });
        if (name === 'create') created.set(key, result.done);
        results.push(result);
      }
      measurements.push(measurement(name, kind, connections, results));
    }
  }
  const events: Measured[] = [];
  for (const server of servers) events.push(await run(server, { ...FAN_OUT, watchers: 100, from: 1_000_000_000 }));
  measurements.push(measurement('watch events', 'watch', 100, events));
  return measurements;
}

function measurement(
  name: string,
  kind: HttpMeasurement['kind'],
  connections: number,
  [ours, real]: readonly Measured[],
): HttpMeasurement {
  return {
    name,
    kind,
    connections,
    ours: ours?.perSecond ?? 0,
    oursP99Ms: ours?.p99Ms ?? 0,
    oursCpuMicros: ours?.cpuMicros ?? 0,
    ...(real === undefined ? {} : { real: real.perSecond, realP99Ms: real.p99Ms, realCpuMicros: real.cpuMicros }),
  };
}

/** Returns the memory per idle watch. The watches are opened by a separate process, 100 per connection, as client-go does. */
async function idleWatchKb(server: MeasuredServer): Promise<number> {
  const before = residentMb(server);
  const child = spawn(process.execPath, [file('./http-watches.ts'), server.url, server.token, String(WATCHES)]);
  await firstLine(child);
  const after = residentMb(server);
  child.removeAllListeners('exit');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill();
  await ended;
  return ((after - before) * 1024) / WATCHES;
}

const ours = await startOurs();
const real = await startReal();
const both = (of: (server: MeasuredServer) => number): { ours: number; real?: number } => ({
  ours: of(ours),
  ...(real === undefined ? {} : { real: of(real) }),
});
try {
  const idleMb = both(residentMb);
  for (const server of real === undefined ? [ours] : [ours, real]) await run(server, fillTo(OBJECTS));
  const fullMb = both(residentMb);
  const watchKb = {
    ours: await idleWatchKb(ours),
    ...(real === undefined ? {} : { real: await idleWatchKb(real) }),
  };
  const operations = await measureAll(ours, real);
  const startMs = both((server) => server.startMs);
  const { stdout } = await promisify(execFile)(process.execPath, [file('./embedded-start.ts')]);
  const startInsideMs = { ...startMs, ours: JSON.parse(stdout) as number };
  const report: HttpReport = { operations, startMs, startInsideMs, idleMb, fullMb, watchKb };
  process.stdout.write(JSON.stringify(report));
} finally {
  await ours.stop();
  await real?.stop();
}
