/** Decides which violations reproduce too rarely to be reported, if runs of one trial may differ. */
import type { Property } from '../../oracle/property.ts';
import { isComparison } from '../../oracle/undisturbed.ts';
import type { ProofPolicy } from '../run/run-mode.ts';
import type { Found } from './found.ts';

/**
 * Reports whether a violation reproduces too rarely to be reported. A violation that a single history proves has happened, however rarely.
 * A violation found by comparing runs must fail as often as the trial as found has to; a rarer one only shows that the target's runs differ
 * by themselves.
 */
export function isTooRare(
  {
    violation,
    stats: { reproduced },
  }: Pick<Found, 'violation'> & { readonly stats: Pick<Found['stats'], 'reproduced'> },
  properties: readonly Property[],
  { first, reportsUnreproduced }: Pick<ProofPolicy, 'first' | 'reportsUnreproduced'>,
): boolean {
  if (reportsUnreproduced) return false;
  const { k, n } = reproduced;
  return k === 0 || (k * first.of < n * first.need && isComparison(violation, properties));
}
