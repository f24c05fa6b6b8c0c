/**
 * Differences that are meant: each with its reason, and with the words of DIFFERENCES.md that say so (a test checks that they are
 * there). What matches no entry makes the comparison fail.
 */
import { plain } from './compare.ts';
import { OPTIONS } from './operation.ts';
import type { Difference } from './run-sequence.ts';

export interface KnownDifference {
  readonly reason: string;
  /** A phrase of harness/apiserver/DIFFERENCES.md. */
  readonly documented: string;
  readonly matches: (difference: Difference) => boolean;
}

const COLLECTION = /^at-least-/;

export const KNOWN: readonly KnownDifference[] = [
  {
    reason: 'version 0 asks for anything: a real server answers from a cache that may lag, the embedded one has none',
    documented: 'One cache',
    matches: ({ operation, path, ours, real }) =>
      operation?.verb === 'list' &&
      path === 'body.metadata.resourceVersion' &&
      COLLECTION.test(plain(ours)) &&
      COLLECTION.test(plain(real)) &&
      operation.options.some((one) => OPTIONS.list[one % OPTIONS.list.length] === 'resourceVersion=0'),
  },
];

export function isKnown(difference: Difference): boolean {
  return KNOWN.some(({ matches }) => matches(difference));
}
