/**
 * Differences from a fresh copy that also occur in undisturbed runs: the target's result depends on the path taken, by design or not. Such
 * a difference says nothing about contention.
 */
import type { History } from '../model/history.ts';
import type { OtherOutcome } from '../model/probe.ts';
import { nearestDifferences, placeOf, probedState, type Difference } from './final-state.ts';

/**
 * Returns the kind by which differences of two runs are compared. For a leftover object it is only the resource, because the name may
 * contain a value of the spec, which differs between runs: a target that leaves one such object behind undisturbed may leave any.
 */
export function kindOf(difference: Difference): string {
  const { what, resource } = difference;
  return what === 'extra-object' ? `${what} ${resource}` : `${what} ${placeOf(difference)}`;
}

/** Returns the kinds of differences with which an undisturbed run of the same workload ends. */
export function kindsUndisturbed(history: History, { final, names, expected }: OtherOutcome): ReadonlySet<string> {
  return new Set(nearestDifferences(history, probedState(history, final, names), expected).map(kindOf));
}
