/**
 * Labels and annotations that a target copies from one object to another.
 *
 * A target may copy them once, for example from a request to what it makes of it. Whether an entry that a third party adds at any moment is
 * copied depends on that moment by design. Pure.
 */
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../model/actor.ts';
import type { History, Revision } from '../model/history.ts';
import { leavesOf, type LeafChange } from '../model/leaf.ts';
import type { Difference } from './final-state.ts';
import type { HistoryIndex } from './history-index.ts';

const ENTRY = /(?:^|\.)(metadata\.(?:labels|annotations).+)$/;

/**
 * Reports whether a label or annotation has in each of the two states a value that a writer has set on one other object at some time, or is
 * absent there: the target copied it at another moment.
 */
export function isCopiedEntry({ revisions }: History, { what, path, uid, expected, actual }: Difference): boolean {
  const [, entry] = ENTRY.exec(path) ?? [];
  if (what !== 'wrong-value' || entry === undefined) return false;
  const values = [expected, actual].filter((value) => value !== undefined);
  const others = Map.groupBy(
    revisions.filter((revision) => revision.uid !== uid),
    (revision) => revision.uid,
  );
  return (
    values.length > 0 &&
    [...others.values()].some((versions) => values.every((value) => isSetIn(versions, entry, value)))
  );
}

/**
 * Reports whether a write of the target sets a label or annotation to what the target has last received of the object's owner, or of another
 * object of the same name: it keeps the two alike, and has not written older content. It must have set that value itself before.
 */
export function isAsOnOwner(index: HistoryIndex, guilty: Revision, { path, to }: LeafChange): boolean {
  const since = index.operation(guilty.op)?.invoked.at;
  if (to === undefined || since === undefined || !ENTRY.test(path)) return false;
  const hasSet = index
    .chain(guilty.uid)
    .some(
      (one) =>
        one.at < guilty.at &&
        roleOf(one.actor) === 'target' &&
        index.changes(one).some((change) => change.path === path && change.to === to),
    );
  if (!hasSet) return false;
  const owners = new Set((guilty.object.metadata.ownerReferences ?? []).map(({ uid }) => uid));
  return [...index.chains()].some(([first]) => {
    if (first === undefined || first.uid === guilty.uid) return false;
    const isNamesake = first.namespace === guilty.namespace && first.name === guilty.name;
    if (!isNamesake && !owners.has(first.uid)) return false;
    const seen = index.seenBy(guilty.actor, first.uid, since).at(-1);
    return seen?.object !== undefined && leavesOf(seen.object).get(path) === to;
  });
}

/** Reports whether a writer has changed an entry of an object to a value. */
function isSetIn(versions: readonly Revision[], entry: string, value: JsonValue): boolean {
  return versions.some(
    ({ type, actor, object, before = {} }) =>
      // A writer that creates an object again repeats the entries that it had.
      type === 'MODIFIED' &&
      roleOf(actor) === 'writer' &&
      leavesOf(object).get(entry) === value &&
      leavesOf(before).get(entry) !== value,
  );
}
