/**
 * The time for shrinking and reproducing one finding.
 *
 * Owns: how a finding's share of a budget is divided. Does not own: enforcing it (`found.ts`). Start at {@link proofTimes}.
 */
import type { ProofPolicy } from '../run/run-mode.ts';

export interface ProofTimesOptions {
  readonly proof: Pick<ProofPolicy, 'isTimed' | 'shrinkMs'>;
  /** When the work on this finding begins. All moments are in real time, in ms. */
  readonly began: number;
  /** The average duration of a run, in ms. */
  readonly usualMs: number;
  /** The limit for shrinking and again for reproducing, in ms; `null` for the defaults of each. */
  readonly limitMs: number | null;
  /** Until when the search continues after this finding; absent if it does not. */
  readonly searchUntil: number | undefined;
  /** By when all findings must be shrunk and reproduced. */
  readonly allProvedBy: number;
  /** The number of findings that share the remaining time, this one included. */
  readonly pending: number;
}

/** Soft limits are checked between two runs; at hard ones, a run that is under way is cut short, where runs are ({@link ProofPolicy}). */
export interface ProofTimes {
  /** Soft: shrinking tries no further form. */
  readonly shrinkUntil: number;
  /** Hard: the end of shrinking. */
  readonly shrinkCutAt: number;
  /** Soft: how long reproducing may take, in ms from when it begins. */
  readonly reproduceMs: number;
  /** Hard: the end of this finding's share of the budget. */
  readonly endsAt: number;
}

/** Real time in ms for reproducing a finding: if each run takes many seconds, fewer runs are made. */
const REPRODUCE_MS = 120_000;
/** The share of a finding's time for shrinking: a large finding that is reproduced is worth more than a small one that is not. */
const SHRINK_SHARE = 0.5;
/** The minimum number of consecutive runs for shrinking: the trial as found, and one smaller form. */
const SHRINK_RUNS_MIN = 3;

/** Divides the time that a finding may take. */
export function proofTimes({
  proof,
  began,
  usualMs,
  limitMs,
  searchUntil,
  allProvedBy,
  pending,
}: ProofTimesOptions): ProofTimes {
  const shareMs = Math.max(0, allProvedBy - began) / pending;
  const shrinkMs = limitMs ?? proof.shrinkMs((searchUntil ?? began) - began);
  // If the share is too short to try even one form, all of it is used for reproducing.
  const isTooShort = proof.isTimed && shareMs * SHRINK_SHARE < usualMs * SHRINK_RUNS_MIN;
  const shrinkCutAt = isTooShort ? began : began + shareMs * SHRINK_SHARE;
  return {
    shrinkUntil: Math.min(began + shrinkMs, shrinkCutAt),
    shrinkCutAt,
    reproduceMs: proof.isTimed ? (limitMs ?? REPRODUCE_MS) : Number.POSITIVE_INFINITY,
    endsAt: began + shareMs,
  };
}
