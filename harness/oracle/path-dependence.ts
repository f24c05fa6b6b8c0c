/**
 * Differences from a fresh copy that also occur undisturbed. There the target's result depends on the path taken, by design or not, so such
 * a difference says nothing about contention.
 */
import type { History } from '../model/history.ts';
import type { OtherOutcome } from '../model/probe.ts';
import { nearestDifferences, placeOf, probedState, type Difference } from './final-state.ts';

/**
 * Returns the kind under which the differences of two runs are compared. The names of leftover objects may contain values of the spec,
 * which differ between runs: a target that leaves one object of a kind behind undisturbed may leave any of them.
 */
export function kindOf(difference: Difference): string {
  const { what, resource } = difference;
  return what === 'extra-object' ? `${what} ${resource}` : `${what} ${placeOf(difference)}`;
}

/** Returns the kinds of differences with which the workload of a run ends undisturbed. */
export function kindsUndisturbed(history: History, { final, names, expected }: OtherOutcome): ReadonlySet<string> {
  return new Set(nearestDifferences(history, probedState(history, final, names), expected).map(kindOf));
}
