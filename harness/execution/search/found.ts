/**
 * From a trial that failed to a finding: shrunk, reproduced, graded, with what it would take to pass.
 *
 * Owns: how much time that gets, and which form is kept where runs differ. Does not own: the shrinking (`shrink-finding.ts`), what the
 * search does with it.
 */
import { realNow } from '../../determinism/real-time.ts';
import { roleOf } from '../../model/actor.ts';
import type { Cause } from '../../model/cause.ts';
import type { Violation } from '../../model/check-result.ts';
import { signatureText } from '../../model/signature.ts';
import type { FindingStats, Neighbour } from '../../model/finding.ts';
import type { History } from '../../model/history.ts';
import type { Schedule } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
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
import type { Suspect } from './known-causes.ts';
import type { SearchTally } from './tally.ts';

/** A trial that violated something. */
export interface Failed {
  readonly trial: Trial;
  readonly judged: Judged;
  /** What the run amounted to. */
  readonly schedule: () => Promise<Schedule>;
  /** What it violated, but for what is waived. */
  readonly suspects: readonly Suspect[];
}

/** One whose run is known as a stored schedule. */
export type StoredFailure = Omit<Failed, 'schedule'> & { readonly schedule: Schedule };

/** A shrunk and reproduced finding, before it is given files. */
export interface Found {
  readonly trial: Trial;
  readonly history: History;
  readonly violation: Violation & { readonly cause: Cause };
  /** Other keys of its cause. */
  readonly also: readonly string[];
  readonly stats: FindingStats;
  readonly neighbour?: Neighbour;
  /** What there was no time for. */
  readonly left?: readonly ('shrink' | 'proof')[];
}

/** A violation as it was found, before it is shrunk and proved. */
export type Seen = Pick<Found, 'trial' | 'history' | 'violation'>;

/** What is seen of a failed trial with a stored schedule. */
export function seenIn(
  { trial: { workload }, judged: { history }, schedule }: StoredFailure,
  { violation, causes }: Suspect,
): Seen {
  return { trial: { workload, schedule }, history, violation: { ...violation, cause: causes.candidates[0] } };
}

export interface ProofOptions {
  readonly runner: TrialRunner;
  readonly properties: readonly Property[];
  /** Every signature is a finding of its own, whatever caused it. */
  readonly allSymptoms?: boolean;
  /** Real time that shrinking one finding may take; `null` for the default. */
  readonly shrinkMs: number | null;
  /** Real time until which the search goes on after this finding; absent where it does not. */
  readonly deadline?: number;
  /** Real time at which all findings have been shrunk and proved. */
  readonly provedUntil: number;
  readonly cutAt: CutAt;
  readonly onPhase: (phase: 'reproduce') => void;
  readonly stopped: () => boolean;
}

/** A finding whose every run takes many seconds is proved by as many as there is time for. */
const REPRODUCE_MS = 120_000;
/** What fails less often than this is too small: the form before is looked at. */
const STEADY = 0.9;
/** Of the time that there is for a finding this much is for shrinking: a large one that is proved is worth more than a small one that is not. */
const SHRINK_SHARE = 0.5;
/** As it was found, and one smaller form: so many runs one after the other. */
const SHRINK_RUNS_MIN = 3;

/**
 * Shrinks one violation of a failed trial and measures how often it reproduces. In runs that may differ, `k` may be 0: then it proves nothing.
 *
 * @param pending How many findings share the time that is left, this one included.
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
  const began = realNow();
  const shareMs = Math.max(0, options.provedUntil - began) / pending;
  const shrinkMs = options.shrinkMs ?? proof.shrinkMs((options.deadline ?? began) - began);
  // What a finding gets is over softly, and its share of the budget is not: there, runs are cut short.
  // Where it is too short to try even one form, all of it is for proving.
  const isTooShort = proof.isTimed && shareMs * SHRINK_SHARE < runner.usualMs * SHRINK_RUNS_MIN;
  const shrinkCut = isTooShort ? began : began + shareMs * SHRINK_SHARE;
  const shrinkUntil = Math.min(began + shrinkMs, shrinkCut);
  // Where runs are not cut short, the first one of a proof is always made.
  const cutAt: CutAt = proof.isTimed ? options.cutAt : (_, work) => work();
  const stored: Trial = { workload: trial.workload, schedule };
  const outOfTime = (): boolean => realNow() >= shrinkUntil || options.stopped();
  let tried: Shrunk['tried'];
  const accepted = await cutAt(shrinkCut, () =>
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
  const proveMs = proof.isTimed ? (options.shrinkMs ?? REPRODUCE_MS) : Number.POSITIVE_INFINITY;
  const provedUntil = Math.min(realNow() + proveMs, began + shareMs);
  const hurried = (): boolean => realNow() >= provedUntil || (proof.isTimed && options.stopped());
  const { final, reproduced } = await cutAt(began + shareMs, () =>
    steadiest(
      accepted,
      // What was derived from this very run is what has to fail again.
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
 * What a run must show for it to fail as this one did: the same signature, and, where the violation names its cause, by the same cause.
 * The same field may be lost by two requests.
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
 * The cause of a shrunk finding. One that only sees an outcome is judged once more with all properties: what else is wrong in the shrunk
 * run is why.
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

/** The smallest form that fails nearly every time; where runs do not differ that is the smallest. */
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
  // What comes without any disturbance is not about the larger forms either.
  if (final.violation.severity === 'warning') return { final, reproduced };
  for (const earlier of accepted.toReversed().slice(1, 1 + stepsBack)) {
    if (reproduced.k >= reproduced.n * STEADY || hurried()) break;
    const again = await reproduce(earlier, wanted, attempt, times, hurried);
    if (again.k > reproduced.k) [final, reproduced] = [earlier, again];
  }
  // Where there was no time for more: the runs that it was accepted for were runs of this very schedule.
  if (reproduced.n === 0 && final.tried !== undefined) return { final, reproduced: { ...reproduced, ...final.tried } };
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
