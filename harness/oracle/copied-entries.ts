/**
 * Labels and annotations that a target copies from one object to another.
 *
 * A target may copy them once, for example from a request to what it makes of it. Whether an entry that a third party adds at any moment is
 * copied depends on that moment by design. Pure.
 */
import { roleOf } from '../model/actor.ts';
import type { History } from '../model/history.ts';
import { leavesOf } from '../model/leaf.ts';
import type { Difference } from './final-state.ts';

const ENTRY = /(?:^|\.)(metadata\.(?:labels|annotations).+)$/;

/** Reports whether a label or annotation is only in one of the two states, and a writer has set the same one on another object. */
export function isCopiedEntry(history: History, { what, path, uid, expected, actual }: Difference): boolean {
  const [, entry] = ENTRY.exec(path) ?? [];
  if (what !== 'wrong-value' || entry === undefined || (expected !== undefined && actual !== undefined)) return false;
  const value = expected ?? actual;
  return history.revisions.some(
    ({ type, uid: other, actor, object, before = {} }) =>
      // A writer that creates an object again repeats the entries that it had.
      type === 'MODIFIED' &&
      other !== uid &&
      roleOf(actor) === 'writer' &&
      leavesOf(object).get(entry) === value &&
      leavesOf(before).get(entry) !== value,
  );
}
