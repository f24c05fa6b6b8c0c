/** Decides which violations reproduce too rarely to be reported, if runs of one trial may differ. */
import type { Property } from '../../oracle/property.ts';
import { isComparison } from '../../oracle/undisturbed.ts';
import type { ProofPolicy } from '../run/run-mode.ts';
import type { Found } from './found.ts';

/**
 * Reports whether a violation reproduces too rarely to be reported. If a single history proves the violation, one reproduction is enough.
 * If it was found by comparing runs, it must reproduce at the rate that is required of the trial as found; a rarer one only shows that the
 * target's runs differ by themselves.
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
