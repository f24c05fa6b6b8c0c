/**
 * A campaign, seen from outside: workers one after the other until the budget ends, findings as they come.
 *
 * Owns: the budget over all workers, what a lost worker means, the outcome. Does not own: the search itself (`search.ts`).
 */
import { realNow } from '../determinism/real-time.ts';
import { rounded, type Measures } from '../model/baseline.ts';
import { signatureText } from '../model/check-result.ts';
import type { CampaignOutcome, CampaignResult, Finding } from '../model/finding.ts';
import type { StrategyName, Trial } from '../model/trial.ts';
import { waivableOf, waiverFor, waiverText } from '../model/waiver.ts';
import type { CampaignEvents } from './api.ts';
import { counterexampleOf, subjectOf } from './counterexample.ts';
import { emptyHistory } from './empty-history.ts';
import { lostInReference, lostWorkerViolation, workerError } from './lost-worker.ts';
import type { LostWorker } from './lost-worker.ts';
import type { FromWorker, ReplayJob, SearchJob, Subject } from './protocol.ts';
import type { RunConfig } from './run-config.ts';
import { VERIFY_EVERY } from './search.ts';
import type { Found } from './search.ts';
import { addLoad, countWaived, newTally, type SearchTally } from './tally.ts';
import { NO_USE, plus } from './target-use.ts';
import { superviseWorker } from './supervisor.ts';

export interface CampaignOptions {
  /** The module that a worker thread runs: it calls `runWorker` with the registry. */
  readonly workerEntry: URL;
  readonly events?: CampaignEvents;
  readonly signal?: AbortSignal;
  /** Every n-th trial is run twice and the histories compared. */
  readonly verifyEvery?: number;
  /** Real time that shrinking one finding may take, ms. */
  readonly shrinkMs?: number;
  /** Restricts the search to these strategies; for benchmarks. */
  readonly strategies?: readonly StrategyName[];
  /** Signatures that are known from elsewhere: counted, and neither shrunk nor reported as findings. */
  readonly expected?: readonly string[];
}

/** More than this share of trials without an opinion is no result. */
const INCONCLUSIVE_SHARE_MAX = 0.01;
/** A target that takes down this many workers has been understood. */
const LOST_WORKERS_MAX = 3;

/** Runs a campaign to the end of its budget. Aborting the signal ends it early with what it has. */
export async function runCampaign(config: RunConfig, options: CampaignOptions): Promise<CampaignResult> {
  const started = realNow();
  const timeMs = config.budget.unit === 'ms' ? config.budget.timeMs : Number.POSITIVE_INFINITY;
  const runsMax = config.budget.unit === 'runs' ? config.budget.runs : Number.POSITIVE_INFINITY;
  const subject = subjectOf(config);
  const total = newTally();
  const findings: Finding[] = [];
  const warnings: string[] = [...config.warnings];
  let phase = 'load';
  let lost = 0;
  let careful = false;
  let announced: { readonly run: number; readonly trial: Trial } | undefined;
  let tally = newTally();
  let searchStarted: number | undefined;
  let undisturbed: Measures = {};

  const progress = (): void => {
    const runs = total.runs + tally.runs;
    const spent = realNow() - (searchStarted ?? realNow());
    options.events?.onProgress?.({
      runs,
      runsPerSecond: spent > 0 ? (runs / spent) * 1000 : 0,
      findings: findings.length,
      phase,
      ...(Number.isFinite(timeMs) ? { remainingMs: Math.max(0, timeMs - (realNow() - started)) } : {}),
    });
  };
  const keep = (found: Found): void => {
    const finding = toFinding(found, config);
    findings.push(finding);
    options.events?.onFinding?.(finding);
  };

  for (;;) {
    const left = timeMs - (realNow() - started);
    const runsLeft = runsMax - total.runs;
    if (left <= 0 || runsLeft <= 0 || findings.length >= config.stopAfter || options.signal?.aborted === true) break;
    tally = newTally();
    announced = undefined;
    let why: 'budget' | 'recycle' | undefined;
    let error: Extract<FromWorker, { say: 'error' }> | undefined;
    const job: SearchJob = {
      job: 'search',
      subject,
      writers: config.writers,
      faults: config.faults,
      strategies: options.strategies ?? null,
      warm: config.warm,
      seed: config.seed,
      verifyEvery: options.verifyEvery ?? VERIFY_EVERY,
      shrinkMs: options.shrinkMs ?? null,
      firstRun: total.runs,
      runsMax: Math.min(runsLeft, Number.MAX_SAFE_INTEGER),
      timeMs: Math.min(left, 2 ** 40),
      stopAfter: config.stopAfter,
      known: findings.map((finding) => signatureText(finding.violation.signature)),
      expected: options.expected ?? [],
      waivers: config.waivers,
      careful,
    };
    const end = await superviseWorker({
      entry: options.workerEntry,
      job,
      signal: options.signal,
      listen: (message) => {
        if (message.say === 'phase') {
          phase = message.phase;
          if (phase === 'search') searchStarted ??= realNow();
        } else if (message.say === 'measured') undisturbed = message.measures;
        else if (message.say === 'tally') tally = message.tally;
        else if (message.say === 'trial') announced = message;
        else if (message.say === 'found') keep(message.found);
        else if (message.say === 'error') error = message;
        else if (message.say === 'done') {
          tally = message.tally;
          why = message.why;
        }
        progress();
      },
    });
    // Of a lost worker only the careful one is counted: it makes the same trials again, up to the one that did it.
    if (end.end === 'finished' || careful) add(total, tally);
    if (error !== undefined) throw workerError(error, end.output, keptText(findings.length));
    if (end.end === 'finished') {
      if (total.faults.length > 0) throw new Error(`the harness broke a watch guarantee: ${total.faults.join('; ')}`);
      if (why === 'recycle') continue;
      break;
    }
    // The worker is gone. If it happened while loading or in a reference run, there is nothing to search.
    if (searchStarted === undefined || phase === 'references' || phase === 'load') throw lostInReference(end, phase);
    if (!careful) {
      careful = true;
      continue;
    }
    const culprit = announced as { readonly run: number; readonly trial: Trial } | undefined;
    if (culprit !== undefined) {
      // The next worker goes on behind the trial that took this one down.
      total.runs = culprit.run + 1;
      const again = await superviseWorker({
        entry: options.workerEntry,
        job: replayOf(culprit.trial, subject),
        signal: options.signal,
        listen: () => {},
      });
      const found = lostWorkerFinding(culprit.trial, end, culprit.run, again.end === end.end);
      const signature = signatureText(found.violation.signature);
      const isKnown = findings.some((other) => signatureText(other.violation.signature) === signature);
      const waiver = waiverFor(config.waivers, waivableOf(found.violation, found.history, culprit.trial.workload));
      if (waiver !== undefined) countWaived(total, waiver);
      else if (!isKnown && options.expected?.includes(signature) !== true) keep(found);
    }
    careful = false;
    if (++lost >= LOST_WORKERS_MAX) {
      warnings.push(`${lost} workers were lost to the target; the campaign ended early`);
      break;
    }
  }

  const interrupted = options.signal?.aborted === true;
  if (total.divergence !== undefined) {
    warnings.push(`the same workload and schedule gave two different histories: ${total.divergence}`);
  }
  if (total.use.counted === 0 && total.use.metricsFailed !== undefined) {
    warnings.push(
      `no reconciles were counted: ${config.process?.metrics ?? ''} was asked, and ${total.use.metricsFailed}; expected controller_runtime_reconcile_total or another *_reconcile*_total`,
    );
  }
  const counted = findings.map((finding) => ({
    ...finding,
    stats: { ...finding.stats, count: Math.max(1, total.counts[signatureText(finding.violation.signature)] ?? 1) },
  }));
  const besides = outcomeBesides(total, interrupted, config);
  return {
    outcome: outcomeOf(findings, besides),
    besides,
    seed: config.seed,
    runs: total.runs,
    elapsedMs: Math.round(realNow() - started),
    contention: { ...total.contention, distinctBehaviours: total.behaviours.size },
    verified: total.verified,
    findings: counted,
    warnings: [...warnings, ...new Set(total.warnings)],
    inconclusive: { count: total.inconclusiveRuns, reasons: total.inconclusive },
    perProperty: total.perProperty,
    ...(total.use === NO_USE ? {} : { targetUse: total.use }),
    measures: { ...undisturbed, ...averages(total) },
    ...seenAgain(total, options.expected),
    ...(config.waivers.length === 0
      ? {}
      : { waived: config.waivers.map((waiver) => ({ waiver, count: total.waived[waiverText(waiver)] ?? 0 })) }),
  };
}

/** What a campaign comes to with these findings: those that also fail on the base build, and those that need too much, fail nothing. */
export function outcomeOf(findings: readonly Finding[], besides: CampaignOutcome): CampaignOutcome {
  const counts = ({ stats, onBase }: Finding): boolean => stats.grade !== 'pathological' && onBase !== 'fails';
  return findings.some(counts) ? 'violated' : besides;
}

function outcomeBesides(total: SearchTally, interrupted: boolean, config: RunConfig): CampaignOutcome {
  if (interrupted) return 'interrupted';
  if (total.divergence !== undefined) return 'inconclusive';
  if (total.inconclusiveRuns > total.runs * INCONCLUSIVE_SHARE_MAX) return 'inconclusive';
  const contended =
    (total.contention['conflicts'] ?? 0) +
    (total.contention['staleReads'] ?? 0) +
    (total.contention['foreignWritesBetweenReadAndWrite'] ?? 0);
  if (total.runs === 0) return 'inconclusive';
  if (Object.values(total.perProperty).some(({ vacuous }) => vacuous)) return 'vacuous';
  return contended === 0 && config.writers.length + config.faults.length > 0 ? 'vacuous' : 'holds';
}

function averages({ load, runs }: SearchTally): Measures {
  if (runs === 0) return {};
  return {
    requestsPerRun: rounded(load.requests / runs),
    writesPerRun: rounded(load.writes / runs),
    refusedPerRun: rounded(load.refused / runs),
  };
}

function seenAgain({ counts }: SearchTally, expected: readonly string[] = []): Pick<CampaignResult, 'seenAgain'> {
  const seen = expected.flatMap((signature) => {
    const count = counts[signature] ?? 0;
    return count === 0 ? [] : [[signature, count] as const];
  });
  return seen.length === 0 ? {} : { seenAgain: Object.fromEntries(seen) };
}

function keptText(findings: number): string {
  return findings === 0 ? '' : ` (${findings} finding${findings === 1 ? '' : 's'} made before that are kept)`;
}

function toFinding(found: Found, config: RunConfig): Finding {
  const counterexample = counterexampleOf(found.trial, found.violation, config);
  return { violation: found.violation, counterexample, record: found.history, stats: found.stats };
}

function add(total: SearchTally, tally: SearchTally): void {
  total.runs += tally.runs;
  total.verified += tally.verified;
  total.inconclusiveRuns += tally.inconclusiveRuns;
  total.divergence ??= tally.divergence;
  if (tally.use.atRest.length > 0 || tally.use.counted > 0 || tally.use.metricsFailed !== undefined)
    total.use = plus(total.use, tally.use);
  for (const behaviour of tally.behaviours) total.behaviours.add(behaviour);
  addLoad(total.load, tally.load);
  total.warnings.push(...tally.warnings);
  total.faults.push(...tally.faults);
  for (const key of ['contention', 'counts', 'inconclusive', 'waived'] as const) {
    for (const [name, value] of Object.entries(tally[key])) total[key][name] = (total[key][name] ?? 0) + value;
  }
  for (const [name, { holds, violated, inconclusive, vacuous }] of Object.entries(tally.perProperty)) {
    const of = (total.perProperty[name] ??= { holds: 0, violated: 0, inconclusive: 0, vacuous });
    of.vacuous &&= vacuous;
    of.holds += holds;
    of.violated += violated;
    of.inconclusive += inconclusive;
  }
}

/** The trial as it would be stored: its workload in the default order. */
function replayOf(trial: Trial, subject: Subject): ReplayJob {
  return {
    job: 'replay',
    subject,
    trial: { workload: trial.workload, schedule: trial.schedule },
    signature: '',
    property: '',
    times: 1,
  };
}

/**
 * A trial that takes its worker down is a finding of its own. It stays as large as it was found: each attempt to shrink it would cost
 * a worker, and what its strategy did died with the worker, so only its workload is stored.
 */
function lostWorkerFinding(trial: Trial, end: LostWorker, run: number, again: boolean): Found {
  const violation = lostWorkerViolation(end, ` in trial ${run}`);
  return {
    trial,
    history: emptyHistory(violation.sentence),
    violation,
    stats: {
      stepsBefore: 0,
      stepsAfter: 0,
      actorsBefore: trial.workload.programs.length + 1,
      actorsAfter: trial.workload.programs.length + 1,
      executions: 1,
      preemptions: trial.schedule.preemptions.length,
      holds: trial.schedule.holds.length,
      faults: trial.schedule.faults.length,
      heldItems: 0,
      reproduced: { k: again ? 1 : 0, n: 1 },
      count: 1,
      grade: 'everyday',
      counterfactuals: [],
    },
  };
}
