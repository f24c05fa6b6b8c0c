/**
 * Distinguishes old content from dropped content. If everything that a write undid is gone from the object, either the write was based on
 * an older version, or the writer's code always leaves out that part. What the writer had received, and when, may show which.
 */
import type { History, Operation, Revision } from '../model/history.ts';
import { isWrite } from '../model/history.ts';
import { carriedVersion } from './base-content.ts';
import { indexOf } from './history-index.ts';
import type { HistoryIndex } from './history-index.ts';

/** How a change was lost: the write was based on an old copy, or the code always drops that part. */
export type HowLost = 'old' | 'gone';

/**
 * Returns the possible ways in which a PUT lost a change although its resourceVersion includes that change; the likelier one first.
 *
 * @param revisions - The revision that was lost, then the revision that undid it.
 */
export function lossesOf(history: History, operation: Operation, revisions: readonly number[]): readonly HowLost[] {
  const index = indexOf(history);
  const [victim, guilty] = revisions.map((number) => history.revisions.find(({ revision }) => revision === number));
  if (victim === undefined || guilty === undefined || operation.verb !== 'update') return ['old'];
  if ((carriedVersion(operation) ?? 0) < victim.revision || !isRemoved(index, victim, guilty)) return ['old'];
  // A retry may have kept the copy that was rejected.
  if (isRetry(history, operation)) return ['old', 'gone'];
  return hadSettledSince(history, operation, victim) ? ['gone'] : ['gone', 'old'];
}

/** Reports whether everything that the other writer had set was removed, rather than reset to its old value. */
function isRemoved(index: HistoryIndex, victim: Revision, guilty: Revision): boolean {
  const set = new Set(index.changes(victim).flatMap(({ path, to }) => (to === undefined ? [] : [path])));
  const undone = index.changes(guilty).filter(({ path }) => set.has(path));
  return undone.length > 0 && undone.every(({ to }) => to === undefined);
}

/** Reports whether the actor's previous write of the object was rejected. */
function isRetry({ operations }: History, { actor, resource, namespace, name, invoked }: Operation): boolean {
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
 * Reports whether the actor's watch had delivered the change while the actor was idle, so that no earlier work in progress could have kept
 * an older copy.
 */
function hadSettledSince(
  { deliveries, operations }: History,
  { actor, invoked }: Operation,
  victim: Revision,
): boolean {
  const delivery = deliveries.find(
    (one) => one.actor === actor && one.object?.metadata.uid === victim.uid && one.revision >= victim.revision,
  );
  if (delivery === undefined || delivery.at >= invoked.at) return false;
  return !operations.some(
    (one) =>
      one.actor === actor &&
      one.verb !== 'watch' &&
      one.invoked.at < delivery.at &&
      (one.answered?.at ?? Number.POSITIVE_INFINITY) > victim.at,
  );
}
