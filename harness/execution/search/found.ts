/**
 * Turns a failed trial into a finding: shrunk, reproduced and graded, with the counterfactuals that pass.
 *
 * Owns: which form is kept if runs differ. Does not own: the time limits (`proof-times.ts`), shrinking (`shrink-finding.ts`), what the
 * search does with the finding.
 */
import { realNow } from '../../determinism/real-time.ts';
import { roleOf } from '../../model/actor.ts';
import type { Cause } from '../../model/cause.ts';
import type { Violation } from '../../model/check-result.ts';
import { signatureText } from '../../model/signature.ts';
import type { FindingStats, Neighbour } from '../../model/finding.ts';
import type { History } from '../../model/history.ts';
import type { Schedule } from '../../model/schedule.ts';
import { given } from '../../model/given.ts';
import type { StrategyName, Trial } from '../../model/trial.ts';
import { checkLegality } from '../../oracle/assumptions.ts';
import { causesNamed, causesOf, namedOnceSmall, otherNames, type Causes } from '../../oracle/cause.ts';
import type { Property } from '../../oracle/property.ts';
import type { CutAt } from '../time-plan.ts';
import { firstDivergence } from '../run/fingerprint.ts';
import type { Judged } from '../run/judge.ts';
import type { ProofPolicy } from '../run/run-mode.ts';
import type { TrialRunner } from '../run/runner.ts';
import {
  counterfactuals,
  gradeOf,
  reproduce,
  shrinkFinding,
  type Shrunk,
  type Without,
  type Wanted,
} from './shrink-finding.ts';
import type { Attempt } from './attempt.ts';
import { proofTimes } from './proof-times.ts';
import type { Suspect } from './known-causes.ts';
import type { SearchTally } from './tally.ts';

/** A trial with a violation. */
export interface Failed {
  readonly trial: Trial;
  readonly judged: Judged;
  /** Returns the run as a stored schedule. */
  readonly schedule: () => Promise<Schedule>;
  /** The violations of the run, except waived ones. */
  readonly suspects: readonly Suspect[];
}

/** A failed trial with its stored schedule. */
export type StoredFailure = Omit<Failed, 'schedule'> & { readonly schedule: Schedule };

/** A shrunk and reproduced finding that has not been written to files yet. */
export interface Found {
  readonly trial: Trial;
  readonly history: History;
  readonly violation: Violation & { readonly cause: Cause };
  /** Alternative keys of the finding's cause. */
  readonly also: readonly string[];
  readonly stats: FindingStats;
  readonly neighbour?: Neighbour;
  /** Steps that were skipped for lack of time. */
  readonly left?: readonly ('shrink' | 'proof')[];
}

/** A violation as found, before it is shrunk and reproduced. */
export interface Seen extends Pick<Found, 'trial' | 'history' | 'violation'> {
  /** The strategy of the trial; absent if the trial was not random. */
  readonly strategy?: StrategyName;
}

/** Returns a violation as found in a failed trial with a stored schedule. */
export function seenIn(
  { trial: { workload, search }, judged: { history }, schedule }: StoredFailure,
  { violation, causes }: Suspect,
): Seen {
  return {
    trial: { workload, schedule },
    history,
    violation: { ...violation, cause: causes.candidates[0] },
    ...given({ strategy: search?.strategy }),
  };
}

export interface ProofOptions {
  readonly runner: TrialRunner;
  readonly properties: readonly Property[];
  /** Whether every signature is a finding of its own, regardless of its cause. */
  readonly allSymptoms?: boolean;
  /** Limit for shrinking one finding, in ms of real time; for a program, reproducing it has the same limit. `null` for the defaults. */
  readonly shrinkMs: number | null;
  /** Real time until which the search continues after this finding; absent if it does not. */
  readonly deadline?: number;
  /** Real time by which all findings must be shrunk and reproduced. */
  readonly provedUntil: number;
  readonly cutAt: CutAt;
  readonly onPhase: (phase: 'reproduce') => void;
  readonly stopped: () => boolean;
}

/** If a form fails less often than this, it is too small; the next larger form is then tried. */
const SMALLEST_RATE_MIN = 0.9;

/**
 * Shrinks one violation of a failed trial and measures how often it reproduces. If runs differ, `k` may be 0, which proves nothing.
 *
 * @param pending The number of findings that share the remaining time, including this one.
 */
export async function findingOf(
  { trial, judged: { history }, schedule }: StoredFailure,
  suspect: Suspect,
  options: ProofOptions,
  attempt: Attempt,
  tally: Pick<SearchTally, 'warnings' | 'faults' | 'divergence'>,
  pending = 1,
): Promise<Found> {
  const { runner } = options;
  const { proof, derivesAtOnce, comparesRuns } = runner.mode;
  const { violation } = suspect;
  const wanted = wantedOf(suspect, options.allSymptoms === true);
  const { shrinkUntil, shrinkCutAt, reproduceMs, endsAt } = proofTimes({
    ...{ proof, pending, began: realNow(), usualMs: runner.usualMs },
    ...{ limitMs: options.shrinkMs, searchUntil: options.deadline, allProvedBy: options.provedUntil },
  });
  // If runs are not cut short, the first run of a proof is always made.
  const cutAt: CutAt = proof.isTimed ? options.cutAt : (_, work) => work();
  const stored: Trial = { workload: trial.workload, schedule };
  const outOfTime = (): boolean => realNow() >= shrinkUntil || options.stopped();
  let tried: Shrunk['tried'];
  const accepted = await cutAt(shrinkCutAt, () =>
    shrinkFinding(stored, wanted, {
      attempt,
      outOfTime,
      proof,
      keepHolds: options.properties.some(
        ({ name, countsRounds }) => name === violation.signature.property && countsRounds,
      ),
      onFirst: (made) => (tried = made),
    }),
  );
  const wasHurried = outOfTime();
  if (accepted.length === 0 && !derivesAtOnce) {
    tally.warnings.push(
      `a run that violated ${violation.signature.property} did not fail again as a stored schedule; it is stored as it was found`,
    );
  }
  options.onPhase('reproduce');
  const provedUntil = Math.min(realNow() + reproduceMs, endsAt);
  const hurried = (): boolean => realNow() >= provedUntil || (proof.isTimed && options.stopped());
  const { final, reproduced } = await cutAt(endsAt, () =>
    steadiest(
      accepted,
      // If the schedule was derived at once, the schedule of this very run has to fail again.
      {
        ...{ trial: derivesAtOnce ? stored : trial, history, violation, executions: 1 },
        ...(tried === undefined ? {} : { tried }),
      },
      proof,
      wanted,
      attempt,
      hurried,
    ),
  );
  tally.faults.push(...checkLegality(final.history));
  if (comparesRuns && !reproduced.identical && reproduced.other !== undefined) {
    tally.divergence = firstDivergence(final.history, reproduced.other);
  }
  const { trial: small } = final;
  const candidates = await cutAt(provedUntil, () =>
    causesOfShrunk(final, suspect, wanted, options, hurried() ? () => Promise.resolve([]) : attempt),
  );
  const without: Without =
    small.search === undefined
      ? await cutAt(provedUntil, () => counterfactuals(final, wanted, attempt, proof.timesWithout, hurried))
      : { counterfactuals: [] };
  const deviations = deviationCount(small.schedule);
  const isProved =
    reproduced.n >= proof.times && (small.search !== undefined || without.counterfactuals.length >= deviations);
  const left = [...(wasHurried ? (['shrink'] as const) : []), ...(isProved ? [] : (['proof'] as const))];
  return {
    trial: small,
    history: final.history,
    violation: { ...final.violation, cause: candidates[0] },
    also: otherNames(candidates),
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
      counterfactuals: without.counterfactuals,
    },
    ...(without.neighbour === undefined ? {} : { neighbour: without.neighbour }),
    ...(left.length === 0 ? {} : { left }),
  };
}

function deviationCount({ preemptions, holds, faults }: Schedule): number {
  return preemptions.length + holds.length + faults.length;
}

/**
 * Returns what a run must show to count as the same failure: the same signature and, if the violation names its cause, the same cause. Two
 * requests may lose the same field.
 */
function wantedOf({ violation: { signature }, causes }: Suspect, allSymptoms: boolean): Wanted {
  const text = signatureText(signature);
  const keys = new Set(causes.candidates.map(({ key }) => key));
  const pinned = causes.certain && !allSymptoms;
  return {
    property: signature.property,
    in: ({ history, violations }) => {
      const alike = violations.filter(
        (candidate) =>
          signatureText(candidate.signature) === text &&
          (!pinned || causesNamed(history, candidate).some(({ key }) => keys.has(key))),
      );
      return alike.find(({ severity }) => severity === 'error') ?? alike[0];
    },
  };
}

/**
 * Returns the cause of a shrunk finding. If the violation shows only an outcome, the shrunk run is judged once more with all properties:
 * another violation in it explains the outcome.
 */
async function causesOfShrunk(
  { trial, history, violation }: Shrunk,
  { causes }: Suspect,
  wanted: Wanted,
  { allSymptoms }: ProofOptions,
  attempt: Attempt,
): Promise<Causes['candidates']> {
  if (allSymptoms === true) return causes.candidates;
  if (causes.certain) return namedOnceSmall(causes, causesNamed(history, violation));
  for (const judged of await attempt(trial, undefined, 1)) {
    const again = wanted.in(judged);
    if (again === undefined) continue;
    const at = judged.violations.indexOf(again);
    return causesOf(judged.history, judged.violations)[at]?.candidates ?? causes.candidates;
  }
  return causesOf(history, [violation])[0]?.candidates ?? causes.candidates;
}

/** Returns the smallest form that fails nearly every time; if runs do not differ, that is the smallest form. */
async function steadiest(
  accepted: readonly Shrunk[],
  asFound: Shrunk,
  { times, stepsBack }: ProofPolicy,
  wanted: Wanted,
  attempt: Attempt,
  hurried: () => boolean,
): Promise<{ readonly final: Shrunk; readonly reproduced: Awaited<ReturnType<typeof reproduce>> }> {
  let final = accepted.at(-1) ?? asFound;
  let reproduced = await reproduce(final, wanted, attempt, times, hurried);
  // A warning shows that the violation needs no disturbance at all, so larger forms need not be tried.
  if (final.violation.severity === 'warning') return { final, reproduced };
  for (const earlier of accepted.toReversed().slice(1, 1 + stepsBack)) {
    if (reproduced.k >= reproduced.n * SMALLEST_RATE_MIN || hurried()) break;
    const again = await reproduce(earlier, wanted, attempt, times, hurried);
    if (again.k > reproduced.k) [final, reproduced] = [earlier, again];
  }
  // There was no time for more runs, but the runs in which the form was accepted had this very schedule.
  if (reproduced.n === 0 && final.tried !== undefined) return { final, reproduced: { ...reproduced, ...final.tried } };
  return { final, reproduced };
}

/** Counts the actors that have sent a request since contention began. */
function actorsOf(history: History): number {
  const since = history.phases.find((mark) => mark.phase === 'contention')?.at ?? 0;
  const actors = new Set<string>();
  for (const operation of history.operations) {
    if (operation.invoked.at >= since)
      actors.add(roleOf(operation.actor) === 'target' ? 'controller' : operation.actor);
  }
  return actors.size;
}

/** Counts the watch events that were available during a hold and delivered after it. */
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
