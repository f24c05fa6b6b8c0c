/**
 * The benchmark: measures everything in one run and prints medians and ratios. Absolute numbers depend on the machine, ratios do not.
 *
 * Flags: --quick (skips detection, and measures so briefly that the figures are only a smoke test), --section NAME (repeatable: kernel,
 * trials, schedulers, detection, http, gate, clusters, clocks), --json FILE.
 */
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { run } from '../harness/index.ts';
import type { StrategyName } from '../harness/model/trial.ts';
import { expectedProperties, isCorrect, nameOf, optionsFor, selected } from './catalogue.ts';
import { clusterRates } from './bench/clusters.ts';
import { builtFolder } from './controllers/builds.ts';
import type { GateMeasurement } from './bench/gate.ts';
import type { SteeringReport } from './bench/steering.ts';
import type { HttpReport } from './bench/http.ts';
import { median } from './soak-self/statistics.ts';
import { parseFlags } from './run-main.ts';

const { values } = parseFlags({
  options: {
    quick: { type: 'boolean', default: false },
    section: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
  },
});
const record: Record<string, unknown> = {};

function line(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** The V8 flag for the size of the young generation, as the harness sets it for its workers. */
const NURSERY = '--max-semi-space-size=64';

/** Runs one measurement in a separate process, so that no measurement benefits from code that another one has warmed up. */
async function measure<T>(script: string, ...args: readonly string[]): Promise<T> {
  const file = fileURLToPath(new URL(`./bench/${script}`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [NURSERY, file, ...args]);
  return JSON.parse(stdout) as T;
}

function table(rates: { readonly [name: string]: readonly number[] }, baseline: string): void {
  const base = median(rates[baseline] ?? []);
  for (const [name, values] of Object.entries(rates)) {
    const middle = median(values);
    line(`  ${name.padEnd(16)} ${middle.toFixed(0).padStart(9)}/s  ×${(middle / base).toFixed(2)} of ${baseline}`);
  }
}

async function kernel(): Promise<void> {
  line('\n== kernel operations/s, in process, one core');
  const rates = await measure<{ [name: string]: readonly number[] }>('kernel.ts');
  table(rates, 'get');
  record['kernel'] = rates;
}

interface Trials {
  readonly rates: readonly number[];
  readonly cpuMicros: readonly number[];
  readonly items: number;
  readonly violations: number;
  readonly hostMs: number;
  readonly readyMs: number;
}

async function trials(): Promise<void> {
  line('\n== trials/s of the same target, including oracles, one core');
  const seconds = values.quick ? '2' : '8';
  const results: { [kind: string]: Trials } = {};
  for (const kind of ['thin', 'http-library', 'dispatcher'])
    results[kind] = await measure<Trials>('trials.ts', kind, seconds);
  const base = median(results['thin']?.rates ?? []);
  for (const [kind, of] of Object.entries(results)) {
    const middle = median(of.rates);
    line(
      `  ${kind.padEnd(16)} ${middle.toFixed(0).padStart(6)}/s  ×${(middle / base).toFixed(2)} of thin  ${of.items.toFixed(0)} gate items a trial  ` +
        `${((middle * of.items) / 1000).toFixed(0)}k items/s, ${median(of.cpuMicros).toFixed(0)} µs CPU a trial  ready for the first trial after ${of.hostMs.toFixed(0)} ms (import included), ${of.violations} violations`,
    );
  }
  record['trials'] = results;
}

async function schedulers(): Promise<void> {
  line('\n== runs/s of a model of 50 steps');
  const rates = await measure<{ [name: string]: readonly number[] }>('schedulers.ts');
  table(rates, 'fc.scheduler');
  record['schedulers'] = rates;
}

const MIXES: { readonly [name: string]: readonly StrategyName[] | undefined } = {
  'random-walk': ['random-walk'],
  pos: ['pos'],
  'conflict-pct': ['conflict-pct'],
  starvation: ['starvation'],
  mix: undefined,
};

async function detection(): Promise<void> {
  // Trials of some variants have many gate items, so the budget is a time, and the share is that of the trials that finish within it.
  const budget = values.quick ? '1s' : '10s';
  line(`\n== share of trials that violate the expected property, ${budget} per strategy`);
  line(
    `  ${'variant'.padEnd(42)} ${Object.keys(MIXES)
      .map((name) => name.padStart(13))
      .join('')}`,
  );
  const rates: { [variant: string]: { [strategy: string]: number } } = {};
  for (const entry of selected([]).filter((candidate) => !isCorrect(candidate))) {
    const of: { [strategy: string]: number } = {};
    for (const [name, strategies] of Object.entries(MIXES)) {
      const result = await run(optionsFor(entry, { budget, seed: 5 }), strategies === undefined ? {} : { strategies });
      const violated = expectedProperties(entry).map((property) => result.perProperty[property]?.violated ?? 0);
      of[name] = result.runs === 0 ? 0 : Math.max(0, ...violated) / result.runs;
    }
    rates[nameOf(entry)] = of;
    line(
      `  ${nameOf(entry).padEnd(42)} ${Object.values(of)
        .map((rate) => `${(rate * 100).toFixed(1)} %`.padStart(13))
        .join('')}`,
    );
  }
  const all = Object.keys(MIXES).map((name) => median(Object.values(rates).map((of) => of[name] ?? 0)));
  line(`  ${'median'.padEnd(42)} ${all.map((rate) => `${(rate * 100).toFixed(1)} %`.padStart(13)).join('')}`);
  record['detection'] = rates;
}

async function http(): Promise<void> {
  line('\n== the served API server and a real one, over TLS, requests/s (events/s for watches)');
  const report = await measure<HttpReport>('http.ts', values.quick ? '0.5' : '3');
  const against = (ours: number, real: number | undefined): string =>
    real === undefined ? '' : `${real.toFixed(0).padStart(9)}/s real  ×${(ours / real).toFixed(1)}`;
  for (const one of report.operations) {
    const { name, connections, ours, real, oursP99Ms, realP99Ms, oursCpuMicros, realCpuMicros } = one;
    const slowest = realP99Ms === undefined ? '' : `, real ${realP99Ms.toFixed(1)} ms`;
    const cpu = realCpuMicros === undefined ? '' : `, real ${realCpuMicros.toFixed(0)} µs`;
    line(
      `  ${name.padEnd(16)} ${String(connections).padStart(4)} connections ${ours.toFixed(0).padStart(9)}/s ${against(ours, real)}` +
        `  p99 ${oursP99Ms.toFixed(1)} ms${slowest}  CPU ${oursCpuMicros.toFixed(0)} µs${cpu}`,
    );
  }
  const shares: readonly [string, string, { readonly ours: number; readonly real?: number }][] = [
    ['start, a process', 'ms', report.startMs],
    ['start, inside', 'ms', report.startInsideMs],
    ['idle', 'MB', report.idleMb],
    ['10,000 objects', 'MB', report.fullMb],
    ['an idle watch', 'KB', report.watchKb],
  ];
  for (const [name, unit, { ours, real }] of shares)
    line(
      `  ${name.padEnd(16)} ${ours.toFixed(0).padStart(6)} ${unit}${real === undefined ? '' : ` ${real.toFixed(0).padStart(6)} ${unit} real  ×${(ours / real).toFixed(2)}`}`,
    );
  record['http'] = report;
}

async function gate(): Promise<void> {
  line('\n== the idle gate, a plain reverse proxy in Node, and direct access, over TLS');
  line(
    `  ${'behind it'.padEnd(15)} ${'request'.padEnd(16)} conns    direct     plain      gate   gate/plain   added at the median   CPU plain  gate`,
  );
  const measurements = await measure<readonly GateMeasurement[]>(
    'gate.ts',
    ...(values.quick ? ['1', 'one-server'] : ['7']),
  );
  for (const {
    behind,
    name,
    connections,
    direct,
    plain,
    gate: ours,
    ratio,
    addedMs,
    plainCpu,
    gateCpu,
  } of measurements)
    line(
      `  ${behind.padEnd(15)} ${name.padEnd(16)} ${String(connections).padStart(5)} ${direct.toFixed(0).padStart(7)}/s ${plain.toFixed(0).padStart(7)}/s ${ours.toFixed(0).padStart(7)}/s` +
        `        ×${ratio.toFixed(2)}   ${name.startsWith('watch') ? ''.padStart(20) : `${addedMs.plain.toFixed(2).padStart(6)} ms, gate ${addedMs.gate.toFixed(2)} ms`}  ${plainCpu.toFixed(0).padStart(6)} µs ${gateCpu.toFixed(0).padStart(5)} µs`,
    );
  record['gate'] = measurements;
}

async function clusters(): Promise<void> {
  line('\n== runs per hour of a controller in Go, one process per run, whole campaigns');
  if (!existsSync(builtFolder('go'))) {
    line('  skipped: run "node scripts/controllers.ts build go" first');
    return;
  }
  const rates = await clusterRates(values.quick ? 8 : 100);
  const base = rates[0]?.perHour ?? 1;
  for (const { cluster, runs, ms, perHour } of rates)
    line(
      `  ${cluster.padEnd(16)} ${perHour.toFixed(0).padStart(6)}/h  ×${(perHour / base).toFixed(2)} of embedded  ${runs} runs in ${(ms / 1000).toFixed(0)} s`,
    );
  record['clusters'] = rates;
}

async function clocks(): Promise<void> {
  line('\n== a program in Node with a steered clock, and with the clock of the host');
  const report = await measure<SteeringReport>('steering.ts', values.quick ? '1' : '7');
  if (report.refused !== undefined) {
    line(`  skipped: ${report.refused}`);
    return;
  }
  const { readNs, workMs, jumpMs } = report;
  const beside = (name: string, unit: string, { steered, host }: { steered: number; host: number }): void =>
    line(
      `  ${name.padEnd(28)} ${steered.toFixed(0).padStart(6)} ${unit} steered ${host.toFixed(0).padStart(6)} ${unit} host  ×${(steered / host).toFixed(2)}`,
    );
  beside('one read of the clock', 'ns', readNs);
  beside('work with nothing to skip', 'ms', workMs);
  line(
    `  ${'a jump to the next deadline'.padEnd(28)} ${jumpMs.median.toFixed(2)} ms at the median, ${jumpMs.p99.toFixed(2)} ms at p99, of ${jumpMs.count}`,
  );
  record['clocks'] = report;
}

const sections = { kernel, trials, schedulers, detection, http, gate, clusters, clocks };
/** Sections that take minutes (detection runs five strategies on every variant): `--quick` skips them unless they are selected. */
const LONG = ['detection'];
for (const [name, section] of Object.entries(sections)) {
  const wanted = values.section.length === 0 ? !values.quick || !LONG.includes(name) : values.section.includes(name);
  if (wanted) await section();
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(record, null, 2)}\n`);
