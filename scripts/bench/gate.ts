/**
 * Measures the overhead of the gate without faults or delays: sends the same requests directly, through a minimal reverse proxy, and
 * through the gate.
 *
 * Arguments: rounds, and `one-server`. Every round measures all three, because the load of the machine varies; the ratio is the median of
 * the rounds' ratios. Prints JSON.
 */
import { fileURLToPath } from 'node:url';
import { median } from '../soak-self/statistics.ts';
import { FAN_OUT, FILL, JOBS, STOCK, type LoadJob, type LoadResult } from './http-jobs.ts';
import { runLoad } from './run-load.ts';
import { cpuMicros, startOurs, startProgram, startReal, type MeasuredServer } from './servers.ts';

const ROUNDS = Number(process.argv[2] ?? '3');
/** Measures with one server only: the real one, or the embedded one if the real one is not built. */
const ONE_SERVER = process.argv[3] === 'one-server';
const ROUND_SECONDS = 0.7;
const WATCHERS = 100;

export interface GateMeasurement {
  /** The server behind the proxies. */
  readonly behind: string;
  readonly name: string;
  readonly connections: number;
  /** Median requests or events per second: direct, through a plain proxy, through the gate. */
  readonly direct: number;
  readonly plain: number;
  readonly gate: number;
  /** The gate's rate divided by the plain proxy's: the median over all rounds. */
  readonly ratio: number;
  /** Latency that each proxy adds to the median latency of direct requests. */
  readonly addedMs: { readonly plain: number; readonly gate: number };
  /** CPU time of each proxy per request or event, in microseconds. */
  readonly plainCpu: number;
  readonly gateCpu: number;
}

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

async function load(url: string, token: string, job: Partial<LoadJob>): Promise<LoadResult> {
  const { result, refused } = await runLoad({ connections: 1, seconds: ROUND_SECONDS, ...job, url, token });
  if (refused !== undefined) throw new Error(refused);
  return result;
}

interface Road {
  readonly url: string;
  readonly pids: readonly number[];
  readonly rates: number[];
  readonly p50s: number[];
  readonly cpus: number[];
}

async function measure(
  behind: string,
  server: MeasuredServer,
  roads: readonly (readonly [string, readonly number[]])[],
): Promise<readonly GateMeasurement[]> {
  await load(server.url, server.token, { ...FILL, connections: 32 });
  const jobs = JOBS.filter(({ name }) => ['get', 'update', 'list of 1,000'].includes(name));
  const cases: readonly { readonly name: string; readonly connections: number; readonly job: Partial<LoadJob> }[] = [
    ...[1, 32].flatMap((connections) => jobs.map(({ name, job }) => ({ name, connections, job }))),
    ...jobs
      .filter(({ name }) => name !== 'list of 1,000')
      .map(({ name, job }) => ({ name: `${name}, HTTP/2`, connections: 32, job: { ...job, http2: true } })),
    { name: 'watch events', connections: WATCHERS, job: { ...FAN_OUT, watchers: WATCHERS } },
  ];
  let turn = 1;
  const measurements: GateMeasurement[] = [];
  for (const { name, connections, job } of cases) {
    const taken = roads.map(([url, pids]): Road => ({ url, pids, rates: [], p50s: [], cpus: [] }));
    // The first round is a warm-up.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const road of round % 2 === 0 ? taken : taken.toReversed()) {
        const before = cpuMicros(road.pids);
        const result = await load(road.url, server.token, { ...job, connections, from: turn++ * 1000 * STOCK });
        if (round === 0) continue;
        road.rates.push(result.perSecond);
        road.p50s.push(result.p50Ms);
        road.cpus.push((cpuMicros(road.pids) - before) / Math.max(1, result.done));
      }
    }
    const [direct, plain, gate] = taken;
    if (direct === undefined || plain === undefined || gate === undefined) continue;
    const added = (road: Road): number => median(road.p50s.map((p50, round) => p50 - (direct.p50s[round] ?? 0)));
    measurements.push({
      behind,
      name,
      connections,
      direct: median(direct.rates),
      plain: median(plain.rates),
      gate: median(gate.rates),
      ratio: median(gate.rates.map((rate, round) => rate / (plain.rates[round] ?? 1))),
      addedMs: { plain: added(plain), gate: added(gate) },
      plainCpu: median(plain.cpus),
      gateCpu: median(gate.cpus),
    });
  }
  return measurements;
}

async function measureBehind(behind: string, server: MeasuredServer): Promise<readonly GateMeasurement[]> {
  try {
    const plain = await startProgram([file('./plain-proxy.ts'), server.url]);
    const gate = await startProgram([file('./gate-proxy.ts'), server.url, server.token]);
    try {
      return await measure(behind, server, [
        [server.url, []],
        [plain.firstLine, plain.pids],
        [gate.firstLine, gate.pids],
      ]);
    } finally {
      await plain.stop();
      await gate.stop();
    }
  } finally {
    await server.stop();
  }
}

const real = await startReal();
const measurements = real === undefined ? [] : [...(await measureBehind('kube-apiserver', real))];
if (real === undefined || !ONE_SERVER) measurements.push(...(await measureBehind('serve', await startOurs())));
process.stdout.write(JSON.stringify(measurements));
