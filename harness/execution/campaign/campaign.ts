/**
 * Runs a campaign's workers one after the other until the budget is used up, and reports findings as they arrive.
 *
 * Owns: the budget over all workers, the reaction to a lost worker. Does not own: the search itself (`search.ts`), the counters
 * (`tally.ts`), the result (`campaign-result.ts`).
 */
import { realClearInterval, realMoment, realNow, realSetInterval } from '../../determinism/real-time.ts';
import type { Measures } from '../../model/baseline.ts';
import { causeKey, type KnownCause } from '../../model/cause.ts';
import { signatureText } from '../../model/signature.ts';
import { reasonText, type CampaignResult, type Finding, type InconclusiveRun } from '../../model/finding.ts';
import type { Trial } from '../../model/trial.ts';
import { waivableOf, waiverFor } from '../../model/waiver.ts';
import { lastLines, printedIn } from '../../report/last-words.ts';
import type { CampaignEvents } from '../api.ts';
import { counterexampleOf, subjectOf } from '../search/counterexample.ts';
import {
  lostInReference,
  lostWorkerFinding,
  lostWorkerViolation,
  workerError,
  type LostWorker,
} from '../worker/lost-worker.ts';
import type { FromWorker, ReplayJob, SearchJob } from '../worker/protocol.ts';
import type { Subject } from '../subject.ts';
import { searchUntil, shifted, timePlan, type TimePlan } from '../time-plan.ts';
import type { RunConfig } from '../config/run-config.ts';
import { INCONCLUSIVE_MAX } from '../search/search.ts';
import { searchSettings, type SearchSettings, type SearchTuning } from '../search/search-settings.ts';
import type { Found } from '../search/found.ts';
import { countWaived, newTally, type SearchTally } from '../search/tally.ts';
import { addTally } from '../search/tally-sum.ts';
import { superviseWorker } from '../worker/supervisor.ts';
import { given } from '../../model/given.ts';
import { campaignResult } from './campaign-result.ts';

export interface CampaignOptions {
  /** The module that a worker thread runs, which calls `runWorker` with the registry. */
  readonly workerEntry: URL;
  /** Search settings that the configuration does not contain. */
  readonly tuning?: SearchTuning;
  readonly events?: CampaignEvents;
  readonly signal?: AbortSignal;
  /** How long a target inside the harness may block its worker, in ms. */
  readonly blockedMs?: number;
  /** The division of the campaign's time, if another step preceded the campaign; if absent, the budget begins now. */
  readonly plan?: TimePlan;
}

/** How often progress is reported even if the worker sends nothing, in ms. */
const BEAT_MS = 5_000;
/** A worker that has sent no sign of life for this many ms when its time is over may have been blocked. */
const SILENT_MS = 2_000;
/** The number of lost workers after which a campaign ends. */
const LOST_WORKERS_MAX = 3;

/** Runs a campaign to the end of its budget. Aborting the signal ends it early with the results so far. */
export async function runCampaign(config: RunConfig, options: CampaignOptions): Promise<CampaignResult> {
  const campaign = new Campaign(config, options);
  const broken = await campaign.search();
  const result = campaign.result(broken);
  if (broken === undefined) return result;
  options.events?.onBroken?.(result);
  throw broken;
}

type SearchEnd =
  | { readonly end: 'enough' }
  /** The worker asked to be replaced: there is budget for another one. */
  | { readonly end: 'recycled' }
  /** The search cannot continue. */
  | { readonly end: 'broken'; readonly error: Error }
  | { readonly end: 'lost'; readonly how: LostWorker };

/** State kept after a worker was lost. */
interface Suspicion {
  readonly how: LostWorker;
  /** The lost worker's tally, until the worker that repeats its trials has counted something itself. */
  uncounted: SearchTally | undefined;
}

class Campaign {
  readonly #config: RunConfig;
  readonly #options: CampaignOptions;
  readonly #settings: SearchSettings;
  readonly #subject: Subject;
  readonly #started = realNow();
  readonly #plan: TimePlan;
  readonly #runsMax: number;
  readonly #total = newTally();
  readonly #findings: Finding[] = [];
  readonly #warnings: string[];
  /** The output of a target that was stopped before anything was searched. */
  #printed: readonly string[] = [];
  /** The inconclusive reasons already reported; kept here because each worker starts counting from zero. */
  readonly #reportedReasons = new Set<string>();
  #undisturbed: Measures = {};
  /** When the search began, and when it ends. */
  #searchStarted: number | undefined;
  #until: number;
  /** The phase of the current worker; its other state is in the fields below. */
  #phase = 'load';
  #undisturbedRun = 0;
  #tally = newTally();
  #announced: { readonly run: number; readonly trial: Trial } | undefined;
  /** Set if a worker was lost: the next worker repeats that worker's trials, and announces each trial before it runs. */
  #suspicion: Suspicion | undefined;
  /** The known causes that were passed to the current worker, which affect which trials come next. */
  #known: readonly KnownCause[] = [];

  constructor(config: RunConfig, options: CampaignOptions) {
    const { budget, warnings } = config;
    this.#config = config;
    this.#options = options;
    this.#settings = searchSettings(config, options.tuning);
    this.#subject = subjectOf(config);
    this.#plan =
      options.plan ?? timePlan(budget.unit === 'ms' ? budget.timeMs : Number.POSITIVE_INFINITY, this.#started);
    this.#runsMax = budget.unit === 'runs' ? budget.runs : Number.POSITIVE_INFINITY;
    this.#until = this.#plan.search;
    this.#warnings = [...warnings];
  }

  /** Searches until the budget ends. Returns the error that ended it, if any. */
  async search(): Promise<Error | undefined> {
    let lost = 0;
    while (!this.#isOver()) {
      const ended = await this.#searchOnce();
      if (ended.end === 'enough') return undefined;
      if (ended.end === 'broken') return ended.error;
      if (ended.end === 'recycled') {
        this.#learn();
        continue;
      }
      if (this.#suspicion === undefined) {
        this.#suspicion = { how: ended.how, uncounted: this.#tally };
        continue;
      }
      if (this.#options.signal?.aborted === true) return undefined;
      this.#suspicion = undefined;
      await this.#blameTrial(ended.how);
      this.#learn();
      if (++lost < LOST_WORKERS_MAX) continue;
      this.#warnings.push(`${lost} workers were lost to the target; the campaign ended early`);
      return undefined;
    }
    return undefined;
  }

  result(broken: Error | undefined): CampaignResult {
    const total = this.#total;
    if (this.#suspicion?.uncounted !== undefined) addTally(total, this.#suspicion.uncounted);
    if (broken !== undefined) {
      this.#warnings.push(`the search stopped: ${broken.message.split('\n', 1)[0] ?? ''}`);
    } else if (this.#suspicion !== undefined) {
      const { sentence } = lostWorkerViolation(this.#suspicion.how, '');
      this.#warnings.push(`${sentence}, once: no second run of the same trials showed it; give it more (--budget 10m)`);
    }
    return campaignResult({
      config: this.#config,
      findings: this.#findings,
      total,
      undisturbed: this.#undisturbed,
      warnings: this.#warnings,
      printed: broken === undefined ? this.#printed : printedIn(broken),
      interrupted: broken !== undefined || this.#options.signal?.aborted === true,
      elapsedMs: realNow() - this.#started,
      expected: this.#settings.expected,
    });
  }

  #isOver(): boolean {
    return (
      realNow() >= (this.#findings.length > 0 ? Math.min(this.#until, this.#plan.searchFound) : this.#until) ||
      this.#total.runs >= this.#runsMax ||
      this.#findings.length >= this.#settings.stopAfter ||
      this.#options.signal?.aborted === true
    );
  }

  /** Runs one worker to its end. */
  async #searchOnce(): Promise<SearchEnd> {
    this.#tally = newTally();
    this.#announced = undefined;
    const careful = this.#suspicion !== undefined;
    let why: 'budget' | 'recycle' | undefined;
    // One run may take minutes to be judged, during which the worker has nothing to report.
    const beat = realSetInterval(() => this.#progress(), BEAT_MS);
    const how = await superviseWorker({
      entry: this.#options.workerEntry,
      job: this.#job(careful),
      signal: this.#options.signal,
      until: this.#plan.work,
      blockedMs: this.#options.blockedMs,
      listen: (message) => {
        if (message.say === 'done') why = message.why;
        this.#receive(message);
      },
    }).finally(() => realClearInterval(beat));
    // After a loss, only the careful worker is counted: it repeats the lost worker's trials, up to the trial that caused the loss.
    if (how.end === 'finished' || how.end === 'overdue' || careful) addTally(this.#total, this.#tally);
    if (this.#suspicion !== undefined && this.#tally.runs > 0) this.#suspicion.uncounted = undefined;
    if (how.error !== undefined) return { end: 'broken', error: workerError(how.error, how.output) };
    if (how.end === 'finished') {
      const { faults } = this.#total;
      if (faults.length > 0)
        return { end: 'broken', error: new Error(`the harness broke a watch guarantee: ${faults.join('; ')}`) };
      return { end: why === 'recycle' ? 'recycled' : 'enough' };
    }
    if (how.end === 'overdue') {
      if (this.#searchStarted === undefined) this.#printed = lastLines(how.output.split('\n'));
      this.#noteOverdue(how.silentMs);
      return { end: 'enough' };
    }
    // A worker was lost while loading or in a reference run: there is nothing to search.
    if (this.#searchStarted === undefined || this.#phase === 'references' || this.#phase === 'load')
      return { end: 'broken', error: lostInReference(how, this.#phase) };
    return { end: 'lost', how };
  }

  /**
   * Records that the worker was stopped in the middle of its work: a violation that it was shrinking or reproducing is neither confirmed
   * nor ruled out.
   */
  #noteOverdue(silentMs: number): void {
    const before = this.#searchStarted === undefined;
    const isStopped = this.#options.signal?.aborted === true;
    const isSilent = silentMs > SILENT_MS && !isStopped;
    const isUnproved = this.#phase === 'shrink' || this.#phase === 'reproduce' || isSilent;
    this.#total.left.push({ what: before ? 'measuring' : isUnproved ? 'unproved' : 'runs', count: 1 });
    if (isStopped) return;
    if (before)
      this.#warnings.push(
        `the budget ended in phase "${this.#phase}", before anything could be searched; raise it (--budget 10m)`,
      );
    else if (isSilent)
      this.#warnings.push(
        `the budget ended while the target had not let the event loop run for ${(silentMs / 1000).toFixed(1)} s; raise it (--budget 10m) to see whether it blocks`,
      );
    else if (isUnproved)
      this.#warnings.push(
        'a violation was seen, and the budget ended before it could be reproduced; raise it (--budget 10m)',
      );
  }

  #job(careful: boolean): SearchJob {
    return {
      ...{ job: 'search', subject: this.#subject, settings: this.#settings, careful },
      firstRun: this.#total.runs,
      runsMax: Math.min(this.#runsMax - this.#total.runs, Number.MAX_SAFE_INTEGER),
      plan: shifted(this.#searchStarted === undefined ? this.#plan : this.#goingOn(), realMoment() - realNow()),
      known: this.#known,
    };
  }

  /** Returns the plan for another worker: all workers share the search time. */
  #goingOn(): TimePlan {
    return { ...this.#plan, search: this.#until, leastSearchMs: 0 };
  }

  #receive(message: FromWorker): void {
    if (message.say === 'phase') this.#enter(message.phase);
    else if (message.say === 'undisturbed') this.#undisturbedRun = message.run;
    else if (message.say === 'measured') this.#undisturbed = message.measures;
    else if (message.say === 'tally' || message.say === 'done') this.#tally = message.tally;
    else if (message.say === 'trial') this.#announced = message;
    else if (message.say === 'seen')
      this.#options.events?.onSeen?.({
        violation: message.violation,
        counterexample: counterexampleOf(message.trial, message.violation, this.#config),
        record: message.history,
        ...given({ strategy: message.strategy }),
      });
    else if (message.say === 'settled') this.#options.events?.onSettled?.();
    else if (message.say === 'found') this.#keep(message.found);
    else if (message.say === 'inconclusive') this.#keepRun(message.run);
    this.#progress();
  }

  #enter(phase: string): void {
    this.#phase = phase;
    this.#undisturbedRun = 0;
    if (phase !== 'search' || this.#searchStarted !== undefined) return;
    this.#searchStarted = realNow();
    this.#until = searchUntil(this.#plan, this.#searchStarted);
  }

  #keep(found: Found): void {
    const key = causeKey(found.violation);
    const at = this.#findings.findIndex(
      (other) => causeKey(other.violation) === key || other.also?.includes(key) === true,
    );
    const before = this.#findings[at];
    if (before !== undefined && !(isWeak(before) && !isWeak(found))) return;
    const finding = toFinding(found, this.#config, namesOf(before, key));
    const signature = signatureText(found.violation.signature);
    for (const what of found.left ?? []) this.#total.left.push({ what, count: 1, signature });
    // A pathological example must not represent a cause that also occurs every day.
    if (before === undefined) this.#findings.push(finding);
    else this.#findings[at] = finding;
    this.#options.events?.onFinding?.(finding);
  }

  #learn(): void {
    this.#known = this.#findings.map((finding) => {
      const { violation } = finding;
      const key = causeKey(violation);
      // Other symptoms are left out: each was assigned by evidence from its own run, and a similar run may have another cause.
      const signatures = [signatureText(violation.signature)];
      const { also = [] } = finding;
      return { key, signatures, also, ...(isWeak(finding) ? { weak: true as const } : {}) };
    });
  }

  #keepRun(run: InconclusiveRun): void {
    const reason = reasonText(run);
    if (this.#reportedReasons.has(reason) || this.#reportedReasons.size >= INCONCLUSIVE_MAX) return;
    this.#reportedReasons.add(reason);
    this.#options.events?.onInconclusive?.(run);
  }

  #progress(): void {
    const runs = this.#total.runs + this.#tally.runs;
    const spent = realNow() - (this.#searchStarted ?? realNow());
    this.#options.events?.onProgress?.({
      runs,
      runsPerSecond: spent > 0 ? (runs / spent) * 1000 : 0,
      findings: this.#findings.length,
      phase: this.#phase,
      ...(this.#phase === 'references' ? { undisturbed: this.#undisturbedRun } : {}),
      ...(Number.isFinite(this.#until) ? { remainingMs: Math.max(0, this.#until - realNow()) } : {}),
    });
  }

  /** Reports the trial that took down two workers as a finding; the next worker continues after that trial. */
  async #blameTrial(how: LostWorker): Promise<void> {
    const culprit = this.#announced;
    if (culprit === undefined) return;
    this.#total.runs = culprit.run + 1;
    const again = await superviseWorker({
      entry: this.#options.workerEntry,
      job: replayOf(culprit.trial, this.#subject),
      until: this.#plan.work,
      blockedMs: this.#options.blockedMs,
      signal: this.#options.signal,
    });
    const found = lostWorkerFinding(culprit.trial, how, culprit.run, again.end === how.end);
    const names = [causeKey(found.violation), signatureText(found.violation.signature)];
    const waiver = waiverFor(this.#config.waivers, waivableOf(found.violation, found.history, culprit.trial.workload));
    if (waiver !== undefined) countWaived(this.#total, waiver);
    else if (!this.#settings.expected.some(({ key }) => names.includes(key))) this.#keep(found);
  }
}

/** Reports whether a finding's example is pathological. */
function isWeak({ stats: { grade } }: Pick<Finding, 'stats'>): boolean {
  return grade === 'pathological';
}

/** Returns the keys of the finding that is replaced, without `key`, which is the new finding's own. */
function namesOf(before: Finding | undefined, key: string): readonly string[] {
  if (before === undefined) return [];
  return [causeKey(before.violation), ...(before.also ?? [])].filter((name) => name !== key);
}

/** @param known - Other keys of the finding's cause, from an earlier example. */
function toFinding(found: Found, config: RunConfig, known: readonly string[] = []): Finding {
  const counterexample = counterexampleOf(found.trial, found.violation, config);
  const { violation, history: record, stats, neighbour } = found;
  const also = [...new Set([...known, ...found.also])];
  return {
    ...{ violation, counterexample, record, stats },
    ...given({ also: also.length === 0 ? undefined : also, neighbour }),
  };
}

/** Returns the job that replays a trial as if it had been stored: `search`, which only a search needs, is left out. */
function replayOf(trial: Trial, subject: Subject): ReplayJob {
  return {
    job: 'replay',
    subject,
    trial: { workload: trial.workload, schedule: trial.schedule },
    signature: '',
    property: '',
    times: 1,
    shrink: false,
    timeMs: null,
  };
}
