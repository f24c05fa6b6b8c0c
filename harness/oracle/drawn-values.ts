/**
 * Values that differ between fresh copies with the same input: random ones, and those out of a pool.
 *
 * A target that picks one of several zones, or the next free address, is right with any of them. Start at {@link withoutDrawn}.
 */
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import { diffContent, leavesOf } from '../model/leaf.ts';
import type { ExpectedState } from '../model/probe.ts';
import { aliases, placeWith, withoutAliased } from './aliases.ts';
import { about, allowedState, placedIn, placeOf, type Difference, type State } from './final-state.ts';

/**
 * Returns the place of a difference that may be random, and whether the value is on one side only: a value that is drawn is there. An item
 * of a list of values is any item of that list.
 */
function drawnPlaceOf(difference: Compared): string {
  const list = listOf(difference);
  if (list !== undefined) return placeOf({ ...difference, place: `${list}[*]` });
  return `${placeOf(difference)}${isOneSided(difference) ? ' on one side' : ''}`;
}

type Compared = Omit<Difference, 'what' | 'resource'>;

function isOneSided({ expected, actual }: Compared): boolean {
  return (expected === undefined) !== (actual === undefined);
}

/** Returns the list of values, without aliases, whose item a difference is: the name of such an item is its value. */
function listOf(difference: Compared): string | undefined {
  const { path, place = path, expected, actual } = difference;
  const item = `[${JSON.stringify(actual ?? expected)}]`;
  return isOneSided(difference) && place.endsWith(item) ? place.slice(0, -item.length) : undefined;
}

/**
 * Returns the differences that are not drawn. An item of a list of values is drawn where the list has as many items as that of a copy, and
 * a value that two objects share is not, unless copies share values there too.
 */
export function withoutDrawn(
  found: readonly Difference[],
  copies: readonly (readonly ExpectedState[])[],
  state: State,
): readonly Difference[] {
  const drawn = new Set(copies.flatMap((group) => [...drawnPlaces(group)]));
  const states = copies.flat().map(allowedState);
  return found.filter((difference) => {
    const place = drawnPlaceOf(difference);
    if (!drawn.has(place)) return true;
    const isItem = listOf(difference) !== undefined;
    if (isItem && !states.some((copy) => itemsAt(copy, difference) === itemsAt(state, difference))) return true;
    return isHeldTwice(state, difference) && !states.some((copy) => hasRepeats(copy, difference));
  });
}

/** Returns the number of leaves in the list of values in which an item differs. */
function itemsAt(state: State, difference: Difference): number {
  const list = difference.path.slice(0, difference.path.lastIndexOf('["'));
  const placed = placedIn(state, difference);
  const paths = placed === undefined ? [] : [...leavesOf(placed.object).keys()];
  return paths.filter((one) => one.startsWith(`${list}[`)).length;
}

/** Reports whether another object of the kind has the same value at this place. */
function isHeldTwice(state: State, difference: Difference): boolean {
  return valuesAt(state, difference).filter((value) => jsonEqual(value, difference.actual)).length > 1;
}

/** Reports whether any two objects of the kind have the same value at this place. */
function hasRepeats(state: State, difference: Difference): boolean {
  const values = valuesAt(state, difference).map((value) => JSON.stringify(value));
  return new Set(values).size < values.length;
}

function valuesAt(state: State, { what, resource, path }: Difference): readonly JsonValue[] {
  const placed = what === 'wrong-value' ? [...state.values()].filter((one) => one.resource === resource) : [];
  return placed.flatMap(({ object }) => leavesOf(object).get(path) ?? []);
}

/** Returns where fresh copies with the same input differ from each other: those values are random. Formatted by {@link drawnPlaceOf}. */
function drawnPlaces([first, ...others]: readonly ExpectedState[]): ReadonlySet<string> {
  const places = new Set<string>();
  if (first === undefined) return places;
  const one = allowedState(first);
  for (const outcome of others) {
    const other = allowedState(outcome);
    const [mine, theirs] = [aliases(one), aliases(other)];
    for (const [key, have] of new Map([...one, ...other])) {
      const [a, b] = [one.get(key), other.get(key)];
      if (a === undefined || b === undefined) places.add(placeOf(about(have, key)));
      else
        for (const change of withoutAliased(diffContent(b.object, a.object), mine, theirs)) {
          const place = placeWith(change, mine, theirs);
          places.add(
            drawnPlaceOf({ ...about(have, key), path: change.path, place, expected: change.from, actual: change.to }),
          );
        }
    }
  }
  return places;
}
