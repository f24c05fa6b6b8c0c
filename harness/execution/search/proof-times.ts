/**
 * The time for shrinking and reproducing one finding.
 *
 * Owns: how a finding's share of a budget is divided. Does not own: enforcing it (`found.ts`). Start at {@link proofTimes}.
 */
import type { ProofPolicy } from '../run/run-mode.ts';

export interface ProofTimesOptions {
  readonly proof: Pick<ProofPolicy, 'isTimed' | 'shrinkMs'>;
  /** When the work on this finding begins. All times in this file are real time, in ms. */
  readonly began: number;
  /** The average duration of a run, in ms. */
  readonly usualMs: number;
  /** The limit for shrinking, in ms; reproducing has the same limit. `null` for the defaults. */
  readonly limitMs: number | null;
  /** When the search ends if it continues after this finding; undefined if it does not continue. */
  readonly searchUntil: number | undefined;
  /** The moment by which all findings must be shrunk and reproduced. */
  readonly allProvedBy: number;
  /** The number of findings that share the remaining time, including this one. */
  readonly pending: number;
}

/** Soft limits are checked between runs; hard limits also cut short a run in progress, where {@link ProofPolicy} allows that. */
export interface ProofTimes {
  /** Soft limit: after it, shrinking tries no other form. */
  readonly shrinkUntil: number;
  /** Hard limit: the end of shrinking. */
  readonly shrinkCutAt: number;
  /** Soft limit: how long reproducing may take, in ms from its beginning. */
  readonly reproduceMs: number;
  /** Hard limit: the end of this finding's share of the budget. */
  readonly endsAt: number;
}

/** Real time in ms for reproducing a finding: if each run takes many seconds, fewer runs are made. */
const REPRODUCE_MS = 120_000;
/** The share of a finding's time for shrinking: a large finding that has been reproduced is worth more than a small one that has not. */
const SHRINK_SHARE = 0.5;
/** Shrinking needs the time of at least this many consecutive runs: the trial as found, and one smaller form. */
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
