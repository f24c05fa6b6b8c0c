/**
 * Adds up what the runs of a campaign show about the resource use of a target that is a process.
 *
 * Does not own: measuring a process (`actors/process/footprint.ts`), the report (`report/target-use.ts`).
 */
import { loadOf } from '../../model/baseline.ts';
import type { TargetUse, TimeSpent } from '../../model/finding.ts';
import type { History, Measurement } from '../../model/history.ts';
import { given } from '../../model/given.ts';
import type { RunTimes } from '../run/stopwatch.ts';

/** The maximum number of samples: fewer are enough to show a trend. */
const SAMPLES_MAX = 2_000;

export const NO_USE: TargetUse = { atRest: [], counted: 0, reconciles: {} };

/** Adds one run; `times` is how its real time was spent. */
export function withRun(use: TargetUse, history: History, times: RunTimes | undefined): TargetUse {
  const { measurements = [] } = history;
  if (measurements.length === 0) return use;
  const atRest = measurements.filter(({ when }) => when === 'at-rest');
  const [only] = atRest;
  const sample =
    atRest.length === 1 && only?.footprint !== undefined
      ? [{ pid: only.pid, ...only.footprint, requests: loadOf(history).requests }]
      : [];
  const withMetrics = atRest.filter(({ reconciles }) => reconciles !== undefined);
  const failed = atRest.find(({ metricsFailed }) => metricsFailed !== undefined)?.metricsFailed;
  return plus(use, {
    atRest: sample,
    counted: withMetrics.length > 0 ? 1 : 0,
    reconciles: withMetrics.map((one) => reconciledSince(startOf(one, measurements), one)).reduce(added, {}),
    ...given({ metricsFailed: failed, time: times && { runs: 1, ...times } }),
  });
}

/** Adds up two parts of a campaign, the earlier one first. */
export function plus(use: TargetUse, more: TargetUse): TargetUse {
  const metricsFailed = more.metricsFailed ?? use.metricsFailed;
  const time =
    use.time === undefined || more.time === undefined ? (use.time ?? more.time) : summed(use.time, more.time);
  return {
    atRest: more.atRest.length === 0 ? use.atRest : [...use.atRest, ...more.atRest].slice(-SAMPLES_MAX),
    counted: use.counted + more.counted,
    reconciles: added(use.reconciles, more.reconciles),
    ...given({ metricsFailed, time }),
  };
}

function summed(some: TimeSpent, more: TimeSpent): TimeSpent {
  return {
    runs: some.runs + more.runs,
    startMs: some.startMs + more.startMs,
    contentionMs: some.contentionMs + more.contentionMs,
    restMs: some.restMs + more.restMs,
    furtherMs: some.furtherMs + more.furtherMs,
    drainMs: some.drainMs + more.drainMs,
  };
}

type Counts = TargetUse['reconciles'];

/** Returns the counts of the same incarnation before contention; no counts for an incarnation that started later. */
function startOf({ actor, pid }: Measurement, all: readonly Measurement[]): Counts {
  return all.find((one) => one.when === 'start' && one.actor === actor && one.pid === pid)?.reconciles ?? {};
}

function reconciledSince(before: Counts, { reconciles = {} }: Measurement): Counts {
  return Object.fromEntries(
    Object.entries(reconciles).map(([result, count]) => [result, Math.max(0, count - (before[result] ?? 0))]),
  );
}

function added(one: Counts, other: Counts): Counts {
  const sum = { ...one };
  for (const [result, count] of Object.entries(other)) sum[result] = (sum[result] ?? 0) + count;
  return sum;
}
