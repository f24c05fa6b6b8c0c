/**
 * Labels and annotations that a target copies from one object to another.
 *
 * A target may copy them once, for example from a request to what it makes of it. Whether an entry that a third party adds at any moment is
 * copied depends on that moment by design. Pure.
 */
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../model/actor.ts';
import type { History } from '../model/history.ts';
import { leavesOf } from '../model/leaf.ts';
import type { Difference } from './final-state.ts';

const ENTRY = /(?:^|\.)(metadata\.(?:labels|annotations).+)$/;

/**
 * Reports whether a label or annotation has in each of the two states a value that a writer has set on another object at some time, or is
 * absent there: the target copied it at another moment.
 */
export function isCopiedEntry(history: History, { what, path, uid, expected, actual }: Difference): boolean {
  const [, entry] = ENTRY.exec(path) ?? [];
  if (what !== 'wrong-value' || entry === undefined) return false;
  const values = [expected, actual].filter((value) => value !== undefined);
  return values.length > 0 && values.every((value) => isSetElsewhere(history, entry, value, uid));
}

/** Reports whether a writer has changed an entry of an object other than this one to a value. */
function isSetElsewhere({ revisions }: History, entry: string, value: JsonValue, uid: string | undefined): boolean {
  return revisions.some(
    ({ type, uid: other, actor, object, before = {} }) =>
      // A writer that creates an object again repeats the entries that it had.
      type === 'MODIFIED' &&
      other !== uid &&
      roleOf(actor) === 'writer' &&
      leavesOf(object).get(entry) === value &&
      leavesOf(before).get(entry) !== value,
  );
}
