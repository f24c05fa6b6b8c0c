/**
 * The search: generate trials, run and judge them, shrink and confirm each new signature, until the budget ends.
 *
 * Runs in the process where the target lives. Owns: the loop, what is counted, when it ends. Does not own: supervision
 * (`supervisor.ts`), where findings go (`cli`).
 */
import * as fc from 'fast-check';
import { realNow } from '../determinism/real-time.ts';
import { roleOf } from '../model/actor.ts';
import type { Violation } from '../model/check-result.ts';
import { signatureText } from '../model/check-result.ts';
import type { FindingStats } from '../model/finding.ts';
import type { History } from '../model/history.ts';
import type { FaultKind, Schedule } from '../model/schedule.ts';
import type { StrategyName, Trial } from '../model/trial.ts';
import { waivableOf, waiverFor, type Waiver } from '../model/waiver.ts';
import type { Workload } from '../model/workload.ts';
import { checkLegality } from '../oracle/assumptions.ts';
import type { Property } from '../oracle/property.ts';
import { PROCESS_MIX, STRATEGY_MIX, trialArbitrary } from '../schedule/arbitrary.ts';
import { oneByOne, sideBySide } from './batches.ts';
import { firstDivergence } from './fingerprint.ts';
import { judgeRun, runJudged } from './judge.ts';
import { inLanes } from './lanes.ts';
import type { Judged } from './judge.ts';
import { Prober } from './prober.ts';
import type { References } from './references.ts';
import type { TrialRunner } from './runner.ts';
import type { Live } from './trial.ts';
import { confirm, counterfactuals, gradeOf, shrinkFinding } from './shrink-finding.ts';
import type { Attempt, Shrunk } from './shrink-finding.ts';
import { countContention, countOpinions, countWaived, type SearchTally } from './tally.ts';
import { withRun } from './target-use.ts';
import { TrialSource } from './trial-source.ts';
import { Waiting } from './waiting.ts';
import { runWarm } from './warm.ts';

export interface SearchOptions {
  readonly runner: TrialRunner;
  readonly references: References;
  readonly base: Workload;
  readonly properties: readonly Property[];
  readonly workload: fc.Arbitrary<Workload>;
  /** With few who act: what is tried step by step where trials are dear. Absent: all trials are random. */
  readonly calm?: fc.Arbitrary<Workload>;
  readonly faults: readonly FaultKind[];
  readonly strategies?: readonly StrategyName[];
  /** Trials run on one process that lives on; what is suspicious there runs again on a fresh one. */
  readonly warm?: boolean;
  readonly seed: number;
  /** Trials already made by an earlier worker of the same campaign. */
  readonly firstRun: number;
  readonly runsMax: number;
  /** Real time, as `realNow()`, at which to stop. */
  readonly deadline: number;
  readonly stopAfter: number;
  /** Signatures found by earlier workers: counted, not shrunk again. */
  readonly known: readonly string[];
  /** Signatures that are known from elsewhere: counted, no findings of this campaign. */
  readonly expected?: readonly string[];
  /** Violations that are put up with: counted as well. */
  readonly waivers?: readonly Waiver[];
  /** Every n-th trial is run twice and the histories compared; the first few always are. */
  readonly verifyEvery: number;
  /** Real time that shrinking one finding may take; `null` for the default. */
  readonly shrinkMs: number | null;
  /** Before each trial: a heartbeat, and the place to look when the worker dies. */
  readonly onTrial: (run: number, trial: Trial) => void;
  readonly onFinding: (found: Found) => void;
  readonly onPhase: (phase: 'search' | 'shrink' | 'confirm') => void;
  readonly stopped: () => boolean;
}

/** A shrunk and confirmed finding, before it is given files. */
export interface Found {
  readonly trial: Trial;
  readonly history: History;
  readonly violation: Violation;
  readonly stats: FindingStats;
}

/** The first trials are always run twice, to see whether the target is deterministic. */
const VERIFY_FIRST = 5;
/** Later ones now and then. */
export const VERIFY_EVERY = 400;
const CONFIRM_TIMES = 5;
/** A process does not take the same way every time. */
const CONFIRM_PROCESS_TIMES = 10;
const WITHOUT_TIMES = 3;
/** A finding whose every run takes many seconds is proved by as many as there is time for. */
const CONFIRM_PROCESS_MS = 120_000;
/** What fails less often than this is too small: the form before is looked at. */
const STEADY = 0.9;
const STEPS_BACK = 2;
/** A finding that cannot be shrunk in this much real time stays as large as it is. */
const SHRINK_MS = 10_000;
/** The same for a target that is a process, whose every run takes a second. */
const SHRINK_PROCESS_MS = 90_000;

export async function search(options: SearchOptions, tally: SearchTally): Promise<void> {
  const { runner, references, properties } = options;
  const runners = await runner.lanes(Number.POSITIVE_INFINITY);
  const waiting = new Waiting(options.deadline, runners.length);
  const prober = new Prober(
    (trial, variant) => runner.beside(trial, variant),
    options.base,
    references.reference,
    waiting,
  );
  const known = new Set([...options.known, ...(options.expected ?? [])]);
  let findings = options.known.length;
  const again = { ...references.reference, suspectSettleMs: runner.host.pace.againMs };
  const lanes = runners.map((lane) => ({
    runner: lane,
    prober: lane === runner ? prober : prober.elsewhere((trial, variant) => lane.beside(trial, variant)),
  }));
  const attempt: Attempt = (trial, name, times) => {
    const wanted = properties.filter((property) => property.name === name);
    const same = Array.from({ length: times }, () => trial);
    return waiting.unhurried(() =>
      inLanes(lanes, same, async (lane) => {
        const judge = (run: History, live?: Live): Promise<Judged> =>
          judgeRun(trial, run, wanted, again, lane.prober, live);
        return (await runJudged(lane.runner, trial, judge)).judged;
      }),
    );
  };
  const over = (): boolean =>
    options.stopped() ||
    findings >= options.stopAfter ||
    tally.runs >= options.runsMax ||
    realNow() >= options.deadline ||
    tally.divergence !== undefined ||
    tally.faults.length > 0;

  const { waivers = [] } = options;
  const waiverOf = (
    violation: Violation,
    { history }: Pick<Judged, 'history'>,
    { workload }: Trial,
  ): Waiver | undefined =>
    waivers.length === 0 ? undefined : waiverFor(waivers, waivableOf(violation, history, workload));
  const isFresh = (violation: Violation, judged: Judged, trial: Trial): boolean =>
    violation.severity === 'error' &&
    !known.has(signatureText(violation.signature)) &&
    waiverOf(violation, judged, trial) === undefined;
  const trials = trialArbitrary({
    workload: options.workload,
    faults: options.faults,
    strategies: options.strategies ?? (runner.repeatable ? STRATEGY_MIX : PROCESS_MIX),
  });
  const { calm: workloads, faults } = options;
  const source = workloads && new TrialSource({ trials, workloads, faults, seed: options.seed });
  const tryOne = async (lane: TrialRunner, own: Prober, trial: Trial): Promise<Failed | undefined> => {
    options.onTrial(options.firstRun + tally.runs, trial);
    const { judged, schedule } = await runOne(trial, { ...options, runner: lane }, own, tally);
    source?.learn(trial, judged.history);
    for (const violation of judged.violations) {
      const waiver = waiverOf(violation, judged, trial);
      if (waiver !== undefined) countWaived(tally, waiver);
    }
    const isFailed = judged.violations.some((violation) => isFresh(violation, judged, trial));
    return isFailed ? { trial, judged, schedule } : undefined;
  };
  const drawn = (seed: number, size: number): Iterable<Trial> =>
    source?.batch(seed, size) ?? fc.sample(trials, { seed, numRuns: size });
  const tryBatch = runner.repeatable
    ? oneByOne(trials, over, (trial) => tryOne(runner, prober, trial))
    : sideBySide(drawn, over, options.runsMax - tally.runs, lanes, (lane, trial) =>
        tryOne(lane.runner, lane.prober, trial),
      );

  for (let batch = options.firstRun; !over(); batch++) {
    // A fresh seed per batch and after each finding; both follow from the root seed alone.
    const seed = (Math.imul(options.seed, 0x9e3779b1) + Math.imul(batch + tally.runs, 0x85ebca6b)) | 0;
    const failures = await tryBatch(seed);
    if (failures.length === 0) continue;
    options.onPhase('shrink');
    for (const failure of failures) {
      for (const violation of failure.judged.violations) {
        if (findings >= options.stopAfter || !isFresh(violation, failure.judged, failure.trial)) continue;
        known.add(signatureText(violation.signature));
        const found = await shrinkAndConfirm(failure, violation, options, attempt, tally);
        known.add(signatureText(found.violation.signature));
        // Shrinking keeps the signature, and may find that the writer of a waiver is enough.
        const waiver = waiverOf(found.violation, found, found.trial);
        if (waiver !== undefined) {
          countWaived(tally, waiver);
          continue;
        }
        if (!runner.repeatable && found.stats.reproduced.k === 0) {
          neverAgain(found, tally);
          continue;
        }
        findings++;
        options.onFinding(found);
      }
    }
    options.onPhase('search');
  }
}

/** What a process did once and in no run after that proves nothing, and is no success either. */
function neverAgain({ violation: { signature, sentence }, stats: { reproduced } }: Found, tally: SearchTally): void {
  const reason = `${signature.property}: seen once, and in none of ${reproduced.n} runs of the same schedule`;
  tally.inconclusive[reason] = (tally.inconclusive[reason] ?? 0) + 1;
  tally.inconclusiveRuns++;
  tally.warnings.push(`seen once and never again: ${sentence}`);
}

/** A trial that violated something. */
interface Failed {
  readonly trial: Trial;
  readonly judged: Judged;
  /** What the run amounted to, where it cannot be made again. */
  readonly schedule: Schedule | undefined;
}

async function runOne(
  trial: Trial,
  options: SearchOptions,
  prober: Prober,
  tally: SearchTally,
): Promise<Pick<Failed, 'judged' | 'schedule'>> {
  const { runner, references, properties } = options;
  tally.runs++;
  let again = trial;
  if (options.warm === true) {
    const { history, schedule, isSuspicious } = await runWarm(runner, trial, properties, references.reference, prober);
    tally.faults.push(...checkLegality(history));
    tally.use = withRun(tally.use, history);
    if (!isSuspicious) {
      countContention(history, tally);
      const judged: Judged = { history, violations: [], inconclusive: new Map() };
      countOpinions(judged, properties, tally);
      return { judged, schedule };
    }
    // What a process with a past of its own has done proves nothing before a fresh one does it too.
    again = { workload: trial.workload, schedule };
  }
  const {
    run: history,
    schedule,
    judged,
  } = await runJudged(runner, again, (run, live) =>
    judgeRun(again, run, properties, references.reference, prober, live),
  );
  // Of runs that can be made again a sample tells as much as all of them.
  const looked = !runner.repeatable || tally.runs <= VERIFY_FIRST || tally.runs % options.verifyEvery === 0;
  if (looked) tally.faults.push(...checkLegality(history));
  if (looked && runner.repeatable) {
    tally.verified++;
    tally.divergence = firstDivergence(history, await runner.run(trial));
  }
  // What is made again on a fresh process says nothing of the one that lives on.
  if (options.warm !== true) tally.use = withRun(tally.use, judged.history);
  countContention(history, tally);
  countOpinions(judged, properties, tally);
  return { judged, schedule: runner.repeatable ? undefined : schedule };
}

async function shrinkAndConfirm(
  { trial, judged: { history }, schedule: known }: Failed,
  violation: Violation,
  options: SearchOptions,
  attempt: Attempt,
  tally: SearchTally,
): Promise<Found> {
  const { runner } = options;
  const deadline = realNow() + (options.shrinkMs ?? (runner.repeatable ? SHRINK_MS : SHRINK_PROCESS_MS));
  const schedule = known ?? (await runner.derive(trial)).schedule;
  const stored: Trial = { workload: trial.workload, schedule };
  const accepted = await shrinkFinding(stored, violation.signature, {
    attempt,
    outOfTime: () => realNow() >= deadline || options.stopped(),
    repeatable: runner.repeatable,
  });
  if (accepted.length === 0 && runner.repeatable) {
    tally.warnings.push(
      `a run that violated ${violation.signature.property} did not fail again as a stored schedule; it is kept as it was found`,
    );
  }
  options.onPhase('confirm');
  const until = realNow() + (options.shrinkMs ?? CONFIRM_PROCESS_MS);
  const hurried = (): boolean => !runner.repeatable && (realNow() >= until || options.stopped());
  const { final, reproduced } = await steadiest(
    accepted,
    // Where runs differ, what is stored is what has to fail again.
    { trial: runner.repeatable ? trial : stored, history, violation, executions: 1 },
    options,
    attempt,
    hurried,
  );
  tally.faults.push(...checkLegality(final.history));
  if (options.runner.repeatable && !reproduced.identical && reproduced.other !== undefined) {
    tally.divergence = firstDivergence(final.history, reproduced.other);
  }
  const { trial: small } = final;
  return {
    trial: small,
    history: final.history,
    violation: final.violation,
    stats: {
      stepsBefore: history.steps,
      stepsAfter: final.history.steps,
      actorsBefore: actorsOf(history),
      actorsAfter: actorsOf(final.history),
      executions: final.executions,
      preemptions: small.schedule.preemptions.length,
      holds: small.schedule.holds.length,
      faults: small.schedule.faults.length,
      heldItems: heldItems(final.history),
      reproduced: { k: reproduced.k, n: reproduced.n },
      count: 1,
      grade: gradeOf(small.schedule, final.history),
      counterfactuals:
        small.search === undefined
          ? await counterfactuals(final, attempt, runner.repeatable ? 1 : WITHOUT_TIMES, hurried)
          : [],
    },
  };
}

/** The smallest form that fails nearly every time; where runs do not differ that is the smallest. */
async function steadiest(
  accepted: readonly Shrunk[],
  asFound: Shrunk,
  { runner }: SearchOptions,
  attempt: Attempt,
  hurried: () => boolean,
): Promise<{ readonly final: Shrunk; readonly reproduced: Awaited<ReturnType<typeof confirm>> }> {
  const times = runner.repeatable ? CONFIRM_TIMES : CONFIRM_PROCESS_TIMES;
  let final = accepted.at(-1) ?? asFound;
  let reproduced = await confirm(final, attempt, times, hurried);
  if (runner.repeatable) return { final, reproduced };
  for (const earlier of accepted.toReversed().slice(1, 1 + STEPS_BACK)) {
    if (reproduced.k >= reproduced.n * STEADY || hurried()) break;
    const again = await confirm(earlier, attempt, times, hurried);
    if (again.k > reproduced.k) [final, reproduced] = [earlier, again];
  }
  return { final, reproduced };
}

/** Actors that did anything since contention began. */
function actorsOf(history: History): number {
  const since = history.phases.find((mark) => mark.phase === 'contention')?.at ?? 0;
  const actors = new Set<string>();
  for (const operation of history.operations) {
    if (operation.invoked.at >= since)
      actors.add(roleOf(operation.actor) === 'target' ? 'controller' : operation.actor);
  }
  return actors.size;
}

/** Watch events delivered after a hold was lifted that were there before. */
function heldItems(history: History): number {
  const holds = history.decisions.filter((decision) => decision.kind === 'hold');
  let held = 0;
  for (const hold of holds) {
    const released = history.decisions.find(
      (d) => d.kind === 'release' && hold.label.startsWith(`${d.detail}/`) && d.at > hold.at,
    )?.at;
    const heal = history.phases.find((mark) => mark.phase === 'heal')?.at ?? Number.POSITIVE_INFINITY;
    const until = released ?? heal;
    held += history.deliveries.filter(
      (delivery) =>
        hold.label.startsWith(`${delivery.stream}/`) && delivery.available.at < until && delivery.at > until,
    ).length;
  }
  return held;
}
