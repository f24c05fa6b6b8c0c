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
import type { FindingStats, PropertyTally } from '../model/finding.ts';
import type { History } from '../model/history.ts';
import type { FaultKind, Schedule } from '../model/schedule.ts';
import type { StrategyName, Trial } from '../model/trial.ts';
import type { Workload } from '../model/workload.ts';
import { checkLegality, contention } from '../oracle/assumptions.ts';
import type { Property } from '../oracle/property.ts';
import { trialArbitrary } from '../schedule/arbitrary.ts';
import { firstDivergence } from './fingerprint.ts';
import { judgeRun } from './judge.ts';
import type { Judged } from './judge.ts';
import { Prober } from './prober.ts';
import type { References } from './references.ts';
import type { TrialRunner } from './runner.ts';
import { confirm, counterfactuals, gradeOf, shrinkFinding } from './shrink-finding.ts';
import type { Attempt, Shrunk } from './shrink-finding.ts';

export interface SearchOptions {
  readonly runner: TrialRunner;
  readonly references: References;
  readonly base: Workload;
  readonly properties: readonly Property[];
  readonly workload: fc.Arbitrary<Workload>;
  readonly faults: readonly FaultKind[];
  readonly strategies?: readonly StrategyName[];
  readonly seed: number;
  /** Trials already made by an earlier worker of the same campaign. */
  readonly firstRun: number;
  readonly runsMax: number;
  /** Real time, as `realNow()`, at which to stop. */
  readonly deadline: number;
  readonly stopAfter: number;
  /** Signatures found by earlier workers: counted, not shrunk again. */
  readonly known: readonly string[];
  /** Before each trial: a heartbeat, and the place to look when the worker dies. */
  /** Every n-th trial is run twice and the histories compared; the first few always are. */
  readonly verifyEvery: number;
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

export interface SearchTally {
  runs: number;
  /** Trials that were run twice and gave byte-identical histories (all but the last, if `divergence` is set). */
  verified: number;
  readonly contention: { [counter: string]: number };
  readonly counts: { [signature: string]: number };
  readonly inconclusive: { [reason: string]: number };
  inconclusiveRuns: number;
  readonly perProperty: { [property: string]: { -readonly [K in keyof PropertyTally]: PropertyTally[K] } };
  readonly warnings: string[];
  /** Broken guarantees of the harness itself: exit code 4. */
  readonly faults: string[];
  divergence: string | undefined;
}

/** Trials of one fast-check run; between two the budget is looked at anew. */
const BATCH = 200;
/** The first trials are always run twice, to see whether the target is deterministic. */
const VERIFY_FIRST = 5;
/** Later ones now and then. */
export const VERIFY_EVERY = 400;
const CONFIRM_TIMES = 5;
/** A process does not take the same way every time. */
const FLICKER_TRIES = 2;
/** A finding that cannot be shrunk in this much real time stays as large as it is. */
const SHRINK_MS = 10_000;
/** The same for a target that is a process, whose every run takes a second. */
const SHRINK_PROCESS_MS = 60_000;

export function newTally(): SearchTally {
  return {
    runs: 0,
    verified: 0,
    contention: {},
    counts: {},
    inconclusive: {},
    inconclusiveRuns: 0,
    perProperty: {},
    warnings: [],
    faults: [],
    divergence: undefined,
  };
}

export async function search(options: SearchOptions, tally: SearchTally): Promise<void> {
  const { runner, references, properties } = options;
  const prober = new Prober((trial, variant) => runner.run(trial, variant), options.base, references.reference);
  const known = new Set(options.known);
  let findings = known.size;
  const attempt: Attempt = async (trial, name) => {
    const history = await runner.run(trial);
    return judgeRun(
      trial,
      history,
      properties.filter((property) => property.name === name),
      references.reference,
      prober,
    );
  };
  const over = (): boolean =>
    options.stopped() ||
    findings >= options.stopAfter ||
    tally.runs >= options.runsMax ||
    realNow() >= options.deadline ||
    tally.divergence !== undefined ||
    tally.faults.length > 0;

  let failed: Failed | undefined;
  const property = fc.asyncProperty(
    trialArbitrary({
      workload: options.workload,
      faults: options.faults,
      ...(options.strategies === undefined ? {} : { strategies: options.strategies }),
    }),
    async (trial) => {
      if (over()) return true;
      options.onTrial(options.firstRun + tally.runs, trial);
      const { judged, schedule } = await runOne(trial, options, prober, tally);
      const fresh = judged.violations.filter(
        (violation) => violation.severity === 'error' && !known.has(signatureText(violation.signature)),
      );
      if (fresh.length === 0) return true;
      failed = { trial, judged, fresh, schedule };
      return false;
    },
  );

  for (let batch = options.firstRun; !over(); batch++) {
    failed = undefined;
    // A fresh seed per batch and after each finding; both follow from the root seed alone.
    const seed = (Math.imul(options.seed, 0x9e3779b1) + Math.imul(batch + tally.runs, 0x85ebca6b)) | 0;
    const checked = await fc.check(property, { seed, numRuns: BATCH, endOnFailure: true });
    const failure = failed as Failed | undefined;
    if (failure === undefined) {
      // The predicate never throws over a violation: this is ours, or a target that cannot be steered.
      if (checked.failed) throw checked.errorInstance;
      continue;
    }
    options.onPhase('shrink');
    for (const violation of failure.fresh) {
      if (findings >= options.stopAfter) break;
      known.add(signatureText(violation.signature));
      const found = await shrinkAndConfirm(failure, violation, options, attempt, tally);
      findings++;
      known.add(signatureText(found.violation.signature));
      options.onFinding(found);
    }
    options.onPhase('search');
  }
}

/** A trial that violated something. */
interface Failed {
  readonly trial: Trial;
  readonly judged: Judged;
  readonly fresh: readonly Violation[];
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
  const { history, schedule } = runner.repeatable
    ? { history: await runner.run(trial), schedule: undefined }
    : await runner.derive(trial);
  tally.runs++;
  // Of runs that can be made again a sample tells as much as all of them.
  const looked = !runner.repeatable || tally.runs <= VERIFY_FIRST || tally.runs % options.verifyEvery === 0;
  if (looked) tally.faults.push(...checkLegality(history));
  if (looked && runner.repeatable) {
    tally.verified++;
    tally.divergence = firstDivergence(history, await runner.run(trial));
  }
  for (const [counter, value] of Object.entries(contention(history))) {
    tally.contention[counter] = (tally.contention[counter] ?? 0) + value;
  }
  const judged = await judgeRun(trial, history, properties, references.reference, prober);
  count(judged, properties, tally);
  return { judged, schedule };
}

function count(judged: Judged, properties: readonly Property[], tally: SearchTally): void {
  const violated = new Set<string>();
  for (const violation of judged.violations) {
    const text = signatureText(violation.signature);
    tally.counts[text] = (tally.counts[text] ?? 0) + 1;
    if (violation.severity === 'error') violated.add(violation.signature.property);
  }
  if (judged.inconclusive.size > 0) tally.inconclusiveRuns++;
  for (const { name } of properties) {
    const of = (tally.perProperty[name] ??= { holds: 0, violated: 0, inconclusive: 0, vacuous: false });
    const reason = judged.inconclusive.get(name);
    if (violated.has(name)) of.violated++;
    else if (reason === undefined) of.holds++;
    else {
      of.inconclusive++;
      tally.inconclusive[`${name}: ${reason}`] = (tally.inconclusive[`${name}: ${reason}`] ?? 0) + 1;
    }
  }
}

async function shrinkAndConfirm(
  { trial, judged: { history }, schedule: known }: Failed,
  violation: Violation,
  options: SearchOptions,
  attempt: Attempt,
  tally: SearchTally,
): Promise<Found> {
  const { runner } = options;
  const deadline = realNow() + (runner.repeatable ? SHRINK_MS : SHRINK_PROCESS_MS);
  const schedule = known ?? (await runner.derive(trial)).schedule;
  const stored: Trial = { workload: trial.workload, schedule };
  const shrunk = await shrinkFinding(
    stored,
    violation.signature,
    attempt,
    () => realNow() >= deadline || options.stopped(),
    runner.repeatable ? 1 : FLICKER_TRIES,
  );
  if (shrunk === undefined) {
    tally.warnings.push(
      `a run that violated ${violation.signature.property} did not fail again as a stored schedule; it is kept as it was found`,
    );
  }
  const final: Shrunk = shrunk ?? { trial, history, violation, executions: 1 };
  tally.faults.push(...checkLegality(final.history));
  options.onPhase('confirm');
  const reproduced = await confirm(final, attempt, CONFIRM_TIMES);
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
      counterfactuals: small.search === undefined ? await counterfactuals(final, attempt) : [],
    },
  };
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
