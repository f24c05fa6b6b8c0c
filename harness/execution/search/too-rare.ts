/** Which violations reproduce too rarely to be reported, where runs of one trial may differ. */
import type { Property } from '../../oracle/property.ts';
import { isComparison } from '../../oracle/undisturbed.ts';
import type { Found } from './found.ts';

/** The minimum share of repetitions that show a difference between runs again. A shrunk form needs two of eight to be accepted at all. */
const COMPARED_RATE_MIN = 0.25;

/**
 * Reports whether a violation reproduces too rarely to be reported. What a single history proves has happened, however rarely. A
 * difference between runs that is rare only shows that the target's runs differ by themselves.
 */
export function isTooRare(
  {
    violation,
    stats: { reproduced },
  }: Pick<Found, 'violation'> & { readonly stats: Pick<Found['stats'], 'reproduced'> },
  properties: readonly Property[],
): boolean {
  const { k, n } = reproduced;
  return k === 0 || (k < n * COMPARED_RATE_MIN && isComparison(violation, properties));
}
