/**
 * Replays a stored counterexample on a fresh worker, and judges stored histories again.
 *
 * Owns: the exact count k of n runs that reproduce it. Does not own: what a finding is (`search/search.ts`), the supervision of a worker
 * (`worker/supervisor.ts`).
 */
import { realNow } from '../../determinism/real-time.ts';
import { signatureText, type Signature } from '../../model/signature.ts';
import { withCause } from '../../oracle/cause.ts';
import type { ClusterKind } from '../../model/cluster.ts';
import type { Counterexample } from '../../model/counterexample.ts';
import { HarnessError } from '../../model/errors.ts';
import type { CheckReport, Finding, FindingRecord, ReplayResult } from '../../model/finding.ts';
import { judge } from '../../oracle/compose.ts';
import type { Property } from '../../oracle/property.ts';
import { errorWithPrinted, lastLines } from '../../report/last-words.ts';
import type { ReplayOptions } from '../api.ts';
import { SETTLE_WINDOW_MS, SETTLE_WINDOW_WALL_MS } from '../config/resolve-options.ts';
import { emptyHistory } from '../run/empty-history.ts';
import type { Found } from '../search/found.ts';
import { versions } from '../versions.ts';
import { given } from '../../model/given.ts';
import type { FromWorker, ReplayJob } from '../worker/protocol.ts';
import { superviseWorker } from '../worker/supervisor.ts';

/** The share of the worker's time after which runs in progress are cut short; at the end of its time, the worker is stopped. */
export const CUT_SHARE = 0.9;

/** Runs a counterexample `times` times, and reports how many runs reproduce it. */
export async function replayCounterexample(
  counterexample: Counterexample,
  options: ReplayOptions & { readonly workerEntry: URL; readonly configFile?: string | null },
): Promise<ReplayResult> {
  const { signature } = counterexample;
  const job: ReplayJob = {
    job: 'replay',
    subject: {
      ...options.target,
      cluster: options.cluster ?? 'embedded',
      toxiproxy: options.toxiproxy,
      existing: options.existing ?? null,
      ...given({ kindAccess: options.kindAccess, declared: options.declared }),
      crds: counterexample.crds,
      samples: counterexample.workload.sample,
      project: counterexample.project ?? null,
      namespace: counterexample.namespace,
      settings: {
        ...counterexample.config,
        settleWindowMs: settleWindowOf(counterexample, options.cluster, isOfRounds(signature, options.properties)),
      },
      properties: options.properties.map((property) => property.name),
      configFile: options.configFile ?? null,
      reportDir: options.reportDir ?? null,
    },
    trial: { workload: counterexample.workload, schedule: counterexample.schedule },
    signature: signatureText(signature),
    property: signature.property,
    times: options.times,
    shrink: options.shrink === true,
    timeMs: options.timeMs === undefined ? null : options.timeMs * CUT_SHARE,
  };
  let answer: Extract<FromWorker, { say: 'replayed' }> | undefined;
  const end = await superviseWorker({
    entry: options.workerEntry,
    job,
    signal: options.signal,
    until: realNow() + (options.timeMs ?? Number.POSITIVE_INFINITY),
    listen: (message) => {
      if (message.say === 'replayed') answer = message;
      if (message.say === 'phase') options.onPhase?.(message.phase);
    },
  });
  const { error } = end;
  if (error !== undefined) {
    if (error.code !== null) throw new HarnessError(error.code, error.message);
    throw new Error(`${error.message}\n${error.stack}`);
  }
  if (answer === undefined && end.end === 'overdue')
    throw new HarnessError('INTERRUPTED', 'the time was up, or it was stopped, before one run had finished');
  if (answer === undefined) return lost(counterexample, options.times, end);
  const found = answer.violations.find(
    ({ severity, signature: of }) => severity === 'error' && signatureText(of) === job.signature,
  );
  const violation = found && withCause(answer.history, found, counterexample.cause);
  const otherwise =
    violation === undefined ? answer.violations.find(({ severity }) => severity === 'error') : undefined;
  return {
    reproduced: { k: answer.k, n: answer.n },
    missedAnchors: answer.missed,
    ...given({
      ...{ reanchored: answer.reanchored ?? undefined, history: answer.history, violation, otherwise },
      ...{ inconclusive: answer.inconclusive ?? undefined, diverged: answer.diverged ?? undefined },
      ...{ other: answer.other ?? undefined, server: answer.server ?? undefined },
      shrunk: answer.found && shrunkFinding(counterexample, answer.found),
    }),
  };
}

/** Returns the stored finding in its smaller form. The confirmation is dropped, because the real server ran the larger form. */
function shrunkFinding(
  counterexample: Counterexample,
  { trial, violation, history: record, stats, neighbour }: Found,
): Finding {
  const { confirmed: _, ...stored } = counterexample;
  const { cause } = stored;
  return {
    violation: { ...violation, ...(cause === undefined ? {} : { cause }) },
    counterexample: {
      ...stored,
      ...{ sentence: violation.sentence, workload: trial.workload, schedule: trial.schedule, foundWith: versions() },
    },
    record,
    stats,
    ...(neighbour === undefined ? {} : { neighbour }),
  };
}

/**
 * The settle window, in ms of real time, for findings about repeated rounds of requests: a target that retries every second is never silent
 * for that long, so the windows of one run contain the eight rounds that prove the finding.
 */
const ROUNDS_WINDOW_WALL_MS = 2_000;

/**
 * Returns the settle window in ms: the stored one, unless a module is replayed in the other kind of time (virtual on the embedded server,
 * real elsewhere). `ofRounds` is true if the finding is about repeated rounds.
 */
export function settleWindowOf(
  { target, config, cluster: found = 'embedded' }: Counterexample,
  cluster: ClusterKind = 'embedded',
  ofRounds = false,
): number {
  const isSame = (found === 'embedded') === (cluster === 'embedded');
  if ('command' in target || isSame) return config.settleWindowMs;
  if (cluster === 'embedded') return SETTLE_WINDOW_MS;
  return ofRounds ? ROUNDS_WINDOW_WALL_MS : SETTLE_WINDOW_WALL_MS;
}

/** Reports whether the property of a finding counts rounds of requests. */
export function isOfRounds({ property }: Signature, properties: readonly Property[]): boolean {
  return properties.some(({ name, countsRounds }) => name === property && countsRounds === true);
}

/** Returns the result after the worker was lost: the finding is reproduced if it is about this loss; otherwise throws TARGET_FAILED. */
function lost(
  counterexample: Counterexample,
  times: number,
  end: Awaited<ReturnType<typeof superviseWorker>>,
): ReplayResult {
  const { signature, sentence } = counterexample;
  const expected = { blocked: 'blocked-event-loop', died: 'ended-its-process', finished: '', overdue: '' }[end.end];
  if (signature.property !== 'survival' || signature.class !== expected) {
    throw errorWithPrinted(
      'TARGET_FAILED',
      `the target ${end.end === 'blocked' ? 'blocked the event loop' : 'took its process down'} in the replay; expected it to run`,
      lastLines(end.output.split('\n')),
    );
  }
  return {
    reproduced: { k: times, n: times },
    missedAnchors: [],
    history: emptyHistory(sentence),
    violation: { signature, sentence, operations: [], revisions: [], at: 0, severity: 'error' },
  };
}

/** Judges a stored history again, without running anything. */
export function recheckRecord(record: FindingRecord, properties: readonly Property[]): CheckReport {
  const wanted = signatureText(record.counterexample.signature);
  const results = judge(record.history, properties).map(({ property, result }) => ({
    property: property.name,
    result,
  }));
  const violation = results
    .flatMap(({ result }) => (result.result === 'violated' ? result.violations : []))
    .find((candidate) => signatureText(candidate.signature) === wanted);
  if (violation === undefined) return { results };
  return { results, violation: withCause(record.history, violation, record.counterexample.cause) };
}
