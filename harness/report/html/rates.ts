/** Counts requests over run time, per actor, in equal buckets, so that charts show request storms and back-off. */
import { isWrite, phaseStartMs, type History } from '../../model/history.ts';
import type { ActorRate, ReportRates } from './document.ts';

const BUCKETS = 60;
/** The distance between two marks of an axis is one of these numbers times a power of ten. */
const NICE = [1, 2, 5] as const;

export function requestRates(history: History, actors: readonly string[]): ReportRates {
  const start = phaseStartMs(history, 'contention');
  const fromMs = Number.isFinite(start) ? start : 0;
  const within = history.operations.filter(({ invoked, verb }) => invoked.timeMs >= fromMs && verb !== 'watch');
  const lastMs = within.reduce((last, { invoked }) => Math.max(last, invoked.timeMs), fromMs);
  const bucketMs = niceStep((lastMs - fromMs + 1) / BUCKETS);
  const buckets = Math.floor((lastMs - fromMs) / bucketMs) + 1;
  const rates = new Map<string, { reads: number[]; writes: number[]; refused: number[] }>();
  const order = [...actors, ...new Set(within.map(({ actor }) => actor))];
  for (const actor of order) {
    if (!rates.has(actor)) rates.set(actor, { reads: zeros(buckets), writes: zeros(buckets), refused: zeros(buckets) });
  }
  for (const { actor, verb, outcome, invoked } of within) {
    const rate = rates.get(actor);
    const bucket = Math.floor((invoked.timeMs - fromMs) / bucketMs);
    const counts = outcome.type === 'fail' ? rate?.refused : isWrite(verb) ? rate?.writes : rate?.reads;
    if (counts !== undefined) counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return {
    fromMs: Math.round(fromMs),
    bucketMs,
    buckets,
    actors: [...rates].map(([actor, counts]): ActorRate => ({ actor, ...counts })).filter(isBusy),
    phases: history.phases.map(({ phase, timeMs }) => ({ phase, timeMs: Math.round(timeMs) })),
  };
}

function isBusy({ reads, writes, refused }: ActorRate): boolean {
  return [reads, writes, refused].some((counts) => counts.some((count) => count > 0));
}

function niceStep(least: number): number {
  for (let scale = 1; ; scale *= 10) {
    for (const step of NICE) if (step * scale >= least) return step * scale;
  }
}

function zeros(count: number): number[] {
  return Array.from({ length: count }, () => 0);
}
