/**
 * Old content, or content that was dropped? Where all that a write has undone is gone from the object, an older version looks the same as
 * a part that the code leaves out each time. What the writer had received, and when, may decide it.
 */
import type { History, Operation, Revision } from '../model/history.ts';
import { isWrite } from '../model/history.ts';
import { carriedVersion } from './base-content.ts';
import { indexOf } from './history-index.ts';
import type { HistoryIndex } from './history-index.ts';

/** How a change was lost: it is not in the old copy that was written, or it is left out each time. */
export type HowLost = 'old' | 'gone';

/**
 * What a PUT does that lost a change although it names a version which has it: the likelier first, where it can be both.
 *
 * @param revisions The one that was lost, and the one that lost it.
 */
export function lossesOf(history: History, operation: Operation, revisions: readonly number[]): readonly HowLost[] {
  const index = indexOf(history);
  const [victim, guilty] = revisions.map((number) => history.revisions.find(({ revision }) => revision === number));
  if (victim === undefined || guilty === undefined || operation.verb !== 'update') return ['old'];
  if ((carriedVersion(operation) ?? 0) < victim.revision || !isRemoved(index, victim, guilty)) return ['old'];
  // Work that is tried again may keep the copy that was refused.
  if (isTriedAgain(history, operation)) return ['old', 'gone'];
  return knewBefore(history, operation, victim) ? ['gone'] : ['gone', 'old'];
}

/** Whether all that another writer had set is gone, not set back. */
function isRemoved(index: HistoryIndex, victim: Revision, guilty: Revision): boolean {
  const set = new Set(index.changes(victim).flatMap(({ path, to }) => (to === undefined ? [] : [path])));
  const undone = index.changes(guilty).filter(({ path }) => set.has(path));
  return undone.length > 0 && undone.every(({ to }) => to === undefined);
}

/** Whether the last write of the object before was refused. */
function isTriedAgain({ operations }: History, { actor, resource, namespace, name, invoked }: Operation): boolean {
  const before = operations.findLast(
    (one) =>
      one.actor === actor &&
      isWrite(one.verb) &&
      one.resource === resource &&
      one.namespace === namespace &&
      one.name === name &&
      one.invoked.at < invoked.at,
  );
  return before !== undefined && before.outcome.type !== 'ok';
}

/**
 * Whether its watch had delivered a change while it had nothing else to do: then no work of an earlier time was under way that could
 * have kept an older copy.
 */
function knewBefore({ deliveries, operations }: History, { actor, invoked }: Operation, victim: Revision): boolean {
  const told = deliveries.find(
    (one) => one.actor === actor && one.object?.metadata.uid === victim.uid && one.revision >= victim.revision,
  );
  if (told === undefined || told.at >= invoked.at) return false;
  return !operations.some(
    (one) =>
      one.actor === actor &&
      one.verb !== 'watch' &&
      one.invoked.at < told.at &&
      (one.answered?.at ?? Number.POSITIVE_INFINITY) > victim.at,
  );
}
