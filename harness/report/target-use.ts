/**
 * Summarises a target process's use of system resources and its reconciles, as figures and as text.
 *
 * Does not own: whether a figure grows (`trend.ts`). Start at {@link summariseUse}.
 */
import { z } from 'zod';
import type { RestSample, TargetUse, TimeSpent } from '../model/finding.ts';
import type { Footprint, Measurement } from '../model/history.ts';
import { countText } from './count-text.ts';
import { medianOf, trendOf, type Least, type Trend } from './trend.ts';

export interface FigureSummary {
  /** Values at rest, over all runs. */
  readonly median: number;
  readonly max: number;
  readonly trend: Trend['verdict'];
  /** Growth per run, if it grows. */
  readonly perRun?: number;
}

export interface UseSummary {
  readonly runs: number;
  readonly processes: number;
  /** Number of runs of the longest-lived process, or of all processes if each run has a fresh one. */
  readonly trendOver: number;
  readonly fileDescriptors: FigureSummary;
  readonly threads: FigureSummary;
  readonly memoryKb: FigureSummary;
  /** Requests per run. */
  readonly requests: FigureSummary;
  /** Average reconciles per run, by the target's own metrics; `null` if the metrics were not read, or had no such counter. */
  readonly reconcilesPerRun: { readonly [result: string]: number } | null;
  /** How a run's time is spent, on average; absent in soaks. */
  readonly secondsPerRun?: SecondsPerRun;
}

export interface SecondsPerRun {
  readonly start: number;
  readonly contention: number;
  readonly rest: number;
  readonly further: number;
  /** The part of the phases above in which the run waited for the target to come to rest between two steps. */
  readonly drain: number;
}

const figure = z.strictObject({
  median: z.number(),
  max: z.number(),
  trend: z.enum(['grows', 'steady', 'too-few-runs']),
  perRun: z.number().exactOptional(),
});

export const useSchema: z.ZodType<UseSummary> = z
  .strictObject({
    runs: z.int(),
    processes: z.int(),
    trendOver: z.int().meta({ description: 'Runs that the trend is read from' }),
    fileDescriptors: figure,
    threads: figure,
    memoryKb: figure,
    requests: figure.meta({ description: 'Requests of the target in a run' }),
    reconcilesPerRun: z.record(z.string(), z.number()).nullable(),
    secondsPerRun: z
      .strictObject({
        start: z.number(),
        contention: z.number(),
        rest: z.number(),
        further: z.number(),
        drain: z.number(),
      })
      .exactOptional()
      .meta({
        description:
          'Real time, on average: until the target had started, in contention, from there until rest, in judging and the further runs it needs; and, of all that, waiting for the target to come to rest between two steps',
      }),
  })
  .meta({ description: 'What a target that is a process takes of the system at rest' });

/**
 * Thresholds for counts: if a count grows by two over the later half of the runs, that is a leak, because file descriptors and threads at
 * rest are counted exactly.
 */
const LEAST_COUNT: Least = { growth: 2, runs: 20 };
/**
 * Thresholds for memory: heaps take long to reach their size, and fluctuate, so growth must be at least a megabyte, and at least a
 * twentieth of the median.
 */
const LEAST_MEMORY = { kb: 1024, share: 0.05, runs: 100 } as const;

/** Minimum growth of requests, as a fraction: the number of requests varies between runs, so growth must be more than a quarter. */
const LEAST_REQUESTS_SHARE = 0.25;

/** Summarises samples; returns undefined if there are none. */
export function summariseUse({ atRest, counted, reconciles, time }: TargetUse): UseSummary | undefined {
  if (atRest.length === 0 && counted === 0) return undefined;
  const lives = groupsOf(atRest, ({ pid }) => pid);
  // Fresh processes are compared with one another: files and caches that outlive them may accumulate on their machine.
  const series = lives.every(({ length }) => length === 1) ? groupsOf(atRest, ({ on }) => on) : lives;
  const figureOf = (of: keyof Footprint | 'requests', least: Least): FigureSummary => {
    const values = atRest.map((one) => one[of]);
    const trend = trendOf(
      series.map((one) => one.map((sample) => sample[of])),
      least,
    );
    return {
      median: medianOf(values),
      max: values.reduce((most, value) => Math.max(most, value), 0),
      trend: trend.verdict,
      ...(trend.verdict === 'grows' ? { perRun: round(trend.perRun) } : {}),
    };
  };
  const requests = medianOf(atRest.map((one) => one.requests));
  const memory = medianOf(atRest.map(({ memoryKb }) => memoryKb));
  return {
    runs: atRest.length,
    processes: lives.length,
    trendOver: Math.max(0, ...series.map(({ length }) => length)),
    fileDescriptors: figureOf('fileDescriptors', LEAST_COUNT),
    threads: figureOf('threads', LEAST_COUNT),
    memoryKb: figureOf('memoryKb', {
      growth: Math.max(LEAST_MEMORY.kb, memory * LEAST_MEMORY.share),
      runs: LEAST_MEMORY.runs,
    }),
    requests: figureOf('requests', {
      growth: Math.max(LEAST_COUNT.growth, requests * LEAST_REQUESTS_SHARE),
      runs: LEAST_COUNT.runs,
    }),
    reconcilesPerRun:
      counted === 0
        ? null
        : Object.fromEntries(Object.entries(reconciles).map(([result, count]) => [result, round(count / counted)])),
    ...(time === undefined ? {} : { secondsPerRun: secondsOf(time) }),
  };
}

function secondsOf({ runs, startMs, contentionMs, restMs, furtherMs, drainMs }: TimeSpent): SecondsPerRun {
  const each = (ms: number): number => Math.round(ms / runs / 10) / 100;
  return {
    start: each(startMs),
    contention: each(contentionMs),
    rest: each(restMs),
    further: each(furtherMs),
    drain: each(drainMs),
  };
}

/** Groups samples, in the order of each group's first sample. */
function groupsOf(samples: readonly RestSample[], keyOf: (sample: RestSample) => unknown): readonly RestSample[][] {
  return [...Map.groupBy(samples, keyOf).values()];
}

/** Returns the lines of a campaign's summary. */
export function useLines(use: UseSummary): readonly string[] {
  const { fileDescriptors, threads, memoryKb, reconcilesPerRun } = use;
  const lines: string[] = [];
  if (use.runs > 0) {
    const size = `${count(fileDescriptors.median)} file descriptors, ${count(threads.median)} threads, ${megabytes(memoryKb.median)}`;
    lines.push(`the target at rest: ${size} · ${trendText(use)}`);
  }
  if (reconcilesPerRun !== null) lines.push(`reconciles a run, by its own metrics: ${countsText(reconcilesPerRun)}`);
  if (use.secondsPerRun !== undefined) lines.push(...timeLines(use.secondsPerRun));
  return lines;
}

/** Duration of a run, in seconds, above which the summary explains the time: such campaigns have few runs. */
const LONG_SECONDS = 5;

function timeLines({ start, contention, rest, further, drain }: SecondsPerRun): readonly string[] {
  const total = Math.round((start + contention + rest + further) * 100) / 100;
  const parts = [`start ${start}`, `contention ${contention}`, `until rest ${rest}`, `judging ${further}`];
  const advice = total < LONG_SECONDS ? '' : '; docs/programs.md says what makes runs long';
  return [`a run took ${total} s (${parts.join(', ')}), ${drain} s of it waiting for the target${advice}`];
}

function trendText({ fileDescriptors, threads, memoryKb, requests, trendOver, processes, runs }: UseSummary): string {
  const over =
    processes === runs
      ? `${runs} fresh ${runs === 1 ? 'process' : 'processes'}`
      : `${countText(trendOver, 'run')} of one process`;
  const grown = [
    ...growth(fileDescriptors, 'file descriptors', count),
    ...growth(threads, 'threads', count),
    ...growth(memoryKb, 'of memory', (kb) => `${Math.round(kb)} kB`),
    ...growth(requests, 'requests', count),
  ];
  if (grown.length > 0) return `grows by ${grown.join(' and ')} a run, over ${over}`;
  if (fileDescriptors.trend === 'steady')
    return `steady over ${over}${memoryKb.trend === 'steady' ? '' : ` (memory: too few, expected ${LEAST_MEMORY.runs})`}`;
  return `too few runs to see a trend: ${over}, expected ${LEAST_COUNT.runs}${processes === runs ? '' : ' (a crash begins another)'}`;
}

function growth({ perRun }: FigureSummary, noun: string, text: (value: number) => string): readonly string[] {
  return perRun === undefined ? [] : [`${text(perRun)} ${noun}`];
}

/** Returns the target's own count of reconciles in one run, for findings about rates; undefined if no metrics were read. */
export function reconcilesBeside(property: string, measurements: readonly Measurement[] = []): string | undefined {
  if (property !== 'bounded-rate') return undefined;
  const rest = measurements.findLast(({ when, reconciles }) => when === 'at-rest' && reconciles !== undefined);
  if (rest?.reconciles === undefined) return undefined;
  const text = `by its own metrics it reconciled ${count(total(rest))} times (${countsText(rest.reconciles)})`;
  const healed = measurements.find(
    ({ when, pid, reconciles }) => when === 'healed' && pid === rest.pid && reconciles !== undefined,
  );
  const spanMs = rest.timeMs - (healed?.timeMs ?? rest.timeMs);
  if (healed === undefined || spanMs < SPAN_MIN_MS) return text;
  const since = count(total(rest) - total(healed));
  return `${text}, ${since} of them in the ${(spanMs / 1000).toFixed(1)} s after the disturbance had ended`;
}

/** Minimum length of a sample: a shorter one does not give a rate. */
const SPAN_MIN_MS = 500;

function total({ reconciles = {} }: Measurement): number {
  return Object.values(reconciles).reduce((sum, one) => sum + one, 0);
}

function countsText(counts: { readonly [result: string]: number }): string {
  const some = Object.entries(counts).filter(([, value]) => value > 0);
  return some.length === 0 ? 'none' : some.map(([result, value]) => `${result} ${count(value)}`).join(', ');
}

function count(value: number): string {
  return String(round(value));
}

function megabytes(kb: number): string {
  return `${(kb / 1024).toFixed(kb < 10_240 ? 1 : 0)} MB`;
}

function round(value: number): number {
  return Number(value.toPrecision(3)) === 0 || Math.abs(value) >= 1000
    ? Math.round(value)
    : Number(value.toPrecision(3));
}
