/**
 * The search: generates trials, runs and judges them, and turns each new cause into a finding, until the budget ends.
 *
 * Runs in the process where the target lives. Owns: the loop, the counters, when it ends. Does not own: the handling of a failure
 * (`found.ts`), supervision (`worker/supervisor.ts`), where findings go (`cli`).
 */
import * as fc from 'fast-check';
import { batchSeed } from '../../determinism/random.ts';
import { annotationToucher } from '../../actors/writers/annotation-toucher.ts';
import { realNow } from '../../determinism/real-time.ts';
import { ownCause, type KnownCause } from '../../model/cause.ts';
import { reasonText, type InconclusiveRun } from '../../model/finding.ts';
import type { Trial } from '../../model/trial.ts';
import type { Workload } from '../../model/workload.ts';
import { checkLegality } from '../../oracle/assumptions.ts';
import { causesOf, type Causes } from '../../oracle/cause.ts';
import type { Property } from '../../oracle/property.ts';
import { withoutItsSecrets } from '../../report/redaction/index.ts';
import { trialArbitrary } from '../../schedule/arbitrary.ts';
import { searchUntil, type CutAt, type TimePlan } from '../time-plan.ts';
import { unlessTimeIsOver } from '../run/cut-short.ts';
import { firstDivergence } from '../run/fingerprint.ts';
import { judgeRun, runJudged, type Judged } from '../run/judge.ts';
import { inLanes } from '../run/lanes.ts';
import type { Prober } from '../run/prober.ts';
import type { References } from '../run/references.ts';
import type { TrialRunner } from '../run/runner.ts';
import { attempting, lanesOf, type Attempt } from './attempt.ts';
import { isEnough, lackOf } from './enough.ts';
import { findingOf, seenIn, type Failed, type Found, type Seen, type StoredFailure } from './found.ts';
import { inOrder, KnownCauses, type Suspect } from './known-causes.ts';
import { exploreUntil, hasExplored, inFull, Postponed } from './postponed.ts';
import type { SearchSettings } from './search-settings.ts';
import { countContention, countOpinions, type SearchTally } from './tally.ts';
import { withRun } from './target-use.ts';
import { Reasons } from './reasons.ts';
import { isTooRare } from './too-rare.ts';
import { countRemarks } from './remarks.ts';
import { TrialSource } from './trial-source.ts';
import { Waivers } from './waivers.ts';
import { Waiting } from './waiting.ts';

/** The part of a job that specifies a worker's search. */
export interface SearchOrder {
  readonly settings: SearchSettings;
  /** The number of trials that earlier workers of the same campaign have made. */
  readonly firstRun: number;
  readonly runsMax: number;
  readonly plan: TimePlan;
  /** Causes found by earlier workers, which are counted but not shrunk again. */
  readonly known: readonly KnownCause[];
}

export interface SearchOptions extends SearchOrder {
  readonly runner: TrialRunner;
  readonly references: References;
  readonly base: Workload;
  readonly properties: readonly Property[];
  readonly workload: fc.Arbitrary<Workload>;
  /** Workloads with few writers, for systematic deviations where trials are expensive; if absent, all trials are random. */
  readonly calm?: fc.Arbitrary<Workload>;
  readonly cutAt: CutAt;
  /** Called before each trial, as a heartbeat and to record the trial in case the worker dies. */
  readonly onTrial: (run: number, trial: Trial) => void;
  /**
   * Called before a violation is shrunk and reproduced, or when that is postponed; {@link onSettled} is called when the violation that was
   * reported last is proved or disproved.
   */
  readonly onSeen: (seen: Seen) => void;
  readonly onSettled: () => void;
  readonly onFinding: (found: Found) => void;
  /** Called with the first run for each reason, for the first few reasons. */
  readonly onInconclusive: (run: InconclusiveRun) => void;
  readonly onPhase: (phase: 'search' | 'shrink' | 'reproduce') => void;
  readonly stopped: () => boolean;
}

/** The number of reasons for which a run is kept. */
export const INCONCLUSIVE_MAX = 5;
/** The number of first trials that are always run twice, to check that the target is deterministic. */
const VERIFY_FIRST = 5;
/** The number of trials in a batch; between batches the budget is checked again. */
const BATCH = 200;

export async function search(options: SearchOptions, tally: SearchTally): Promise<void> {
  const { runner, references, properties, settings, plan } = options;
  const { mode } = runner;
  const deadline = searchUntil(plan, realNow());
  const runners = await runner.lanes(Number.POSITIVE_INFINITY);
  const waiting = new Waiting(plan.trials, runners.length);
  const lanes = lanesOf(runners, options.base, references.reference, waiting);
  const known = new KnownCauses([...options.known, ...settings.expected]);
  const postponed = new Postponed(known);
  const explored = exploreUntil(mode.proof, realNow(), deadline);
  let findings = options.known.length;
  const waivers = new Waivers(settings.waivers);
  const reasons = new Reasons();
  const again = { ...references.reference, suspectSettleMs: runner.host.pace.againMs };
  const tries = attempting(lanes, properties, again, async (made, trial) => {
    const run = await made.catch(unlessTimeIsOver);
    return run === undefined || run.judged.isCut === true ? undefined : waivers.leave(run.judged, trial);
  });
  const attempt: Attempt = (...asked) => waiting.unhurried(() => tries(...asked));
  const over = (): boolean =>
    options.stopped() ||
    findings >= settings.stopAfter ||
    tally.runs >= options.runsMax ||
    realNow() >= deadline ||
    (realNow() >= plan.enough && (findings > 0 || isEnough(tally))) ||
    (findings + postponed.causes > 0 && realNow() >= plan.searchFound) ||
    tally.divergence !== undefined ||
    tally.faults.length > 0;
  /** Reports whether the search should test more before it examines the violations that it has seen. */
  const isExploring = (): boolean =>
    realNow() < explored && !hasExplored(tally) && findings + postponed.causes < settings.stopAfter;
  const isDue = (): boolean => postponed.size > 0 && !isExploring();

  const suspectsOf = (judged: Judged, trial: Trial): readonly Suspect[] => {
    const violations = judged.violations.filter(
      (violation) => violation.severity === 'error' && !waivers.cover(violation, judged, trial),
    );
    if (violations.length === 0) return [];
    const causes: readonly Causes[] = settings.allSymptoms
      ? violations.map((violation) => ({ candidates: [ownCause(violation)], certain: false }))
      : causesOf(judged.history, violations);
    const suspects = violations.flatMap((violation, at) => {
      const of = causes[at];
      return of === undefined ? [] : [{ violation, causes: of }];
    });
    return settings.allSymptoms ? suspects : inOrder(suspects);
  };
  const trials = trialArbitrary({
    workload: options.workload,
    faults: settings.faults,
    strategies: settings.strategies ?? mode.strategies,
  });
  const { calm: workloads } = options;
  const faults = settings.faults.filter((kind) => kind !== 'delay' || runner.hints.mayDelay === true);
  const objects = settings.writers.includes(annotationToucher.name)
    ? references.aim.objects.map(({ target }) => target)
    : [];
  const touching = { objects, waits: !mode.waitsForReal };
  const source =
    workloads &&
    new TrialSource({ trials, workloads, faults, seed: settings.seed, touching, lacks: () => lackOf(tally) });
  /** The number of trials in progress that began during the exploration. */
  let exploring = 0;
  const judgeOne = async (lane: TrialRunner, own: Prober, trial: Trial): Promise<Failed | undefined> => {
    options.onTrial(options.firstRun + tally.runs, trial);
    const run = await runOne(trial, { ...options, runner: lane }, own, tally, reasons).catch(unlessTimeIsOver);
    if (run === undefined) {
      // A run that was cut short does not count.
      tally.runs--;
      tally.left.push({ what: 'runs', count: 1 });
      return undefined;
    }
    const { judged, schedule } = run;
    source?.learn(trial, judged.history);
    // Runs of modules are judged without evidence from other runs, so that a result never depends on its position in the search.
    if (lane.judgesLive) own.learn(trial, judged);
    waivers.count(judged, trial, tally);
    countRemarks(judged.history, waivers.leave(judged, trial).violations, tally);
    const suspects = suspectsOf(judged, trial);
    if (suspects.some((suspect) => known.isNew(suspect))) {
      const failed: Failed = { trial, judged, schedule, suspects };
      if (!isExploring() && exploring === 0) return failed;
      for (const seen of await postponed.add(failed)) options.onSeen(seen);
      return undefined;
    }
    known.count(suspects, tally);
    countDismissed(suspects, known, tally, judged.inconclusive.size > 0);
    return undefined;
  };
  const tryOne = async (lane: TrialRunner, own: Prober, trial: Trial): Promise<Failed | undefined> => {
    const isEarly = isExploring();
    if (isEarly) exploring++;
    try {
      return await judgeOne(lane, own, trial);
    } finally {
      if (isEarly) exploring--;
    }
  };
  const drawn = (seed: number, size: number): Iterable<Trial> =>
    source?.batch(seed, size) ?? fc.sample(trials, { seed, numRuns: size });
  // While one lane is still judging a trial of the exploration, the others run more trials instead of waiting.
  const pauses = (): boolean => over() || (isDue() && exploring === 0);
  const tryBatch = sideBySide(drawn, pauses, options.runsMax - tally.runs, lanes, (lane, trial) =>
    tryOne(lane.runner, lane.runner.judgesLive ? lane.prober.forFirstRuns() : lane.prober, trial),
  );

  for (let batch = options.firstRun; !over() || postponed.size > 0; batch++) {
    // The seed is fresh for each batch and after each finding, and follows from the root seed alone.
    const seed = batchSeed(settings.seed, batch + tally.runs);
    const failures = await options.cutAt(plan.trials, () => tryBatch(seed));
    const sightings = [...(pauses() ? postponed.take() : []), ...failures.map(inFull)];
    if (sightings.length === 0) continue;
    options.onPhase('shrink');
    for (const { suspects, isUnjudged, failure } of sightings) {
      if (failure === undefined) {
        known.count(suspects, tally);
        countDismissed(suspects, known, tally, isUnjudged);
        continue;
      }
      // A run is counted as inconclusive once, however many properties are inconclusive.
      let isCounted = isUnjudged;
      const counted = new Set<Suspect | string>();
      let stored: StoredFailure | undefined;
      for (const suspect of suspects) {
        if (findings >= settings.stopAfter) continue;
        if (!known.isNew(suspect)) {
          if (!postponed.wasFirst(suspect)) continue;
          // It was reported when it was postponed, and a finding has explained it since: report it again and settle it.
          options.onSeen(seenIn({ ...failure, schedule: await failure.schedule() }, suspect));
          options.onSettled();
          continue;
        }
        const before = known.ownerOf(suspect);
        if (before !== undefined) {
          // Another symptom in the run of the pathological example is not a better example.
          if (counted.has(before)) continue;
          known.spend(before);
        }
        stored ??= { ...failure, schedule: await failure.schedule() };
        options.onSeen(seenIn(stored, suspect));
        const found = await findingOf(
          stored,
          suspect,
          { ...options, ...settings, deadline, provedUntil: plan.proved },
          attempt,
          tally,
          known.pendingIn(sightings.flatMap((one) => one.suspects)),
        );
        if (isTooRare(found, properties, mode.proof)) {
          known.lookedInVain(suspect);
          countUnproved(found, stored, options, tally);
          if (!isCounted) tally.inconclusiveRuns++;
          isCounted = true;
        } else if (found.violation.severity === 'warning') {
          tally.warnings.push(withoutItsSecrets(found.violation.sentence, found.history));
          known.dismiss(suspect);
        } else {
          const { key } = found.violation.cause;
          const isFirst = !known.has(key);
          known.learn(suspect, key, found.also);
          known.count([suspect], tally, counted);
          if (known.isToReport(key, { isFirst, isWeak: found.stats.grade === 'pathological' })) {
            if (isFirst) findings++;
            options.onFinding(found);
          }
        }
        // A violation that was never rerun is neither proved nor disproved.
        if (found.stats.reproduced.n > 0 || mode.proof.reportsUnreproduced) options.onSettled();
      }
      known.count(suspects, tally, counted);
      countDismissed(suspects, known, tally, isCounted);
    }
    options.onPhase('search');
  }
}

/**
 * Runs one trial at a time in each lane; trials in progress when the first one fails are still completed. `runsMax` is the limit over all
 * batches.
 */
export function sideBySide<L, F>(
  source: (seed: number, size: number) => Iterable<Trial>,
  over: () => boolean,
  runsMax: number,
  lanes: readonly L[],
  tryOne: (lane: L, trial: Trial) => Promise<F | undefined>,
): (seed: number) => Promise<readonly F[]> {
  let begun = 0;
  return async (seed) => {
    const failures: F[] = [];
    function* due(): Generator<Trial> {
      for (const trial of source(seed, BATCH)) {
        if (over() || failures.length > 0 || begun >= runsMax) return;
        begun++;
        yield trial;
      }
    }
    await inLanes(lanes, due(), async (lane, trial) => {
      const failed = await tryOne(lane, trial);
      if (failed !== undefined) failures.push(failed);
    });
    return failures;
  };
}

/** Counts runs with dismissed suspects as inconclusive: a suspect that also occurs undisturbed neither fails a run nor clears it. */
function countDismissed(
  suspects: readonly Suspect[],
  known: KnownCauses,
  tally: SearchTally,
  isCounted: boolean,
): void {
  const dismissed = suspects.filter((suspect) => known.isDismissed(suspect));
  if (dismissed.length === 0) return;
  for (const property of new Set(dismissed.map(({ violation }) => violation.signature.property))) {
    const text = reasonText({ property, reason: 'two runs without any fault gave different results' });
    tally.inconclusive[text] = (tally.inconclusive[text] ?? 0) + 1;
  }
  if (!isCounted) tally.inconclusiveRuns++;
}

/** Records a violation that did not occur again, or too rarely: it proves nothing, so the run counts as inconclusive. */
function countUnproved(
  { violation: { signature, sentence }, stats: { reproduced } }: Found,
  { judged: { history }, schedule }: StoredFailure,
  options: SearchOptions,
  tally: SearchTally,
): void {
  const { k, n } = reproduced;
  const reason =
    n === 0
      ? 'seen once; the budget ended before it could be reproduced'
      : `seen, and in ${k === 0 ? 'none' : `only ${k}`} of ${n} runs of the same schedule`;
  if (n === 0) tally.left.push({ what: 'unproved', count: 1 });
  const why = { property: signature.property, reason };
  const text = reasonText(why);
  tally.inconclusive[text] = (tally.inconclusive[text] ?? 0) + 1;
  if (isToKeep(text, tally)) options.onInconclusive({ ...why, schedule, history });
  tally.warnings.push(`${reason}: ${withoutItsSecrets(sentence, history)}`);
}

/** Reports whether to keep an inconclusive run: only the first one for each reason is kept, and only for the first few reasons. */
function isToKeep(reason: string, { inconclusive }: SearchTally): boolean {
  return inconclusive[reason] === 1 && Object.keys(inconclusive).length <= INCONCLUSIVE_MAX;
}

async function runOne(
  trial: Trial,
  options: SearchOptions,
  prober: Prober,
  tally: SearchTally,
  reasons: Reasons,
): Promise<Omit<Failed, 'trial' | 'suspects'> | undefined> {
  const { runner, references, properties } = options;
  const { comparesRuns } = runner.mode;
  tally.runs++;
  const {
    run: history,
    schedule,
    judged: opinions,
  } = await runJudged(runner, trial, (run, live) =>
    judgeRun(trial, run, properties, references.reference, prober, live),
  );
  // If the time was over before all probes were made, and nothing is certain yet, the run does not count: most probes clear the target.
  if (opinions.isCut === true && opinions.violations.length === 0) return undefined;
  const { times } = runner;
  const judged = reasons.of(opinions);
  // If runs can be repeated, a sample of them is as informative as all of them.
  const looked = !comparesRuns || tally.runs <= VERIFY_FIRST || tally.runs % options.settings.verifyEvery === 0;
  if (looked) tally.faults.push(...checkLegality(history));
  if (looked && comparesRuns) {
    const second = await runner.run(trial);
    tally.verified++;
    tally.divergence = firstDivergence(history, second);
  }
  tally.use = withRun(tally.use, judged.history, times);
  countContention(history, tally);
  countOpinions(judged, properties, tally);
  for (const [property, reason] of judged.inconclusive) {
    if (!isToKeep(reasonText({ property, reason }), tally)) continue;
    options.onInconclusive({ property, reason, schedule: await schedule(), history: judged.history });
  }
  return { judged, schedule };
}
