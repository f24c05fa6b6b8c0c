/**
 * Differences that are meant: each with its reason, and with the words of DIFFERENCES.md that say so (a test checks that they are
 * there). What matches no entry makes the comparison fail.
 */
import type { Difference } from './run-sequence.ts';

export interface KnownDifference {
  readonly reason: string;
  /** A phrase of harness/apiserver/DIFFERENCES.md. */
  readonly documented: string;
  readonly matches: (difference: Difference) => boolean;
}

export const KNOWN: readonly KnownDifference[] = [];

export function isKnown(difference: Difference): boolean {
  return KNOWN.some(({ matches }) => matches(difference));
}
