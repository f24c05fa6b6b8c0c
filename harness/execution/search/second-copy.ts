/** Whether a second copy of the target may be started: one of a target that should take a lock, and takes none, would only do damage. */
import type { FaultKind } from '../../model/schedule.ts';
import type { StrategyHints } from '../../schedule/strategies/strategy.ts';
import type { SearchSettings } from './search-settings.ts';

/** Returns the faults, without the second copy if that needs a lock and the undisturbed runs showed none. */
export function faultsWithLock(
  { needsLock, faults }: Pick<SearchSettings, 'needsLock' | 'faults'>,
  { lockMs }: Pick<StrategyHints, 'lockMs'>,
): readonly FaultKind[] {
  return needsLock && lockMs === undefined ? faults.filter((kind) => kind !== 'start-replica') : faults;
}
