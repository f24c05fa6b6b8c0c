/**
 * Objects that came and went while a watch was behind.
 *
 * An informer whose watch has expired lists again and compares the list with its cache. If an object was created and deleted in between,
 * both lack it, so that no event reports the deletion to the target, even if the target itself created or deleted the object. Pure.
 */
import { roleOf } from '../model/actor.ts';
import { isWrite, type History, type Operation, type Revision } from '../model/history.ts';
import { nameIn } from './failures.ts';
import type { Difference } from './final-state.ts';
import { indexOf } from './history-index.ts';
import { hasOpenWatch } from './open-watches.ts';

/**
 * Reports whether a missing object was last deleted in such a gap: the target's informer has never received it, nor an earlier object of its
 * name without the deletion of that, it has listed the resource again since, and the target has not tried to make the object again.
 */
export function diedUnseen(history: History, { what, resource, object }: Difference): boolean {
  if (what !== 'missing-object') return false;
  const index = indexOf(history);
  const lives = history.revisions.filter((one) => one.resource === resource && index.shortName(one) === object);
  const end = lives.findLast(({ type }) => type === 'DELETED');
  if (end === undefined) return false;
  const { namespace } = end;
  const own = history.operations.filter((one) => roleOf(one.actor) === 'target' && one.resource === resource);
  if (own.some((one) => one.invoked.at > end.at && makes(one, end))) return false;
  const uids = new Set(lives.map(({ uid }) => uid));
  const relists = own.filter(
    (one) =>
      lists(one) &&
      (one.answered?.at ?? -1) > end.at &&
      own.some(({ verb, actor, invoked }) => verb === 'watch' && actor === one.actor && invoked.at < one.invoked.at) &&
      !hasOpenWatch(history, { actor: one.actor, resource, namespace }, one.invoked.at),
  );
  return relists.some(({ actor }) =>
    [...uids].every((uid) => {
      const hasEnded = history.deliveries.some(
        (one) => one.actor === actor && one.type === 'DELETED' && one.object?.metadata.uid === uid,
      );
      // The cache of an informer does not know what the target reads from the server itself while a watch is open.
      const wasShown = index
        .seenBy(actor, uid, Number.POSITIVE_INFINITY)
        .some(
          ({ how, at }) =>
            how === 'watch' || (how === 'list' && !hasOpenWatch(history, { actor, resource, namespace }, at)),
        );
      return hasEnded ? uid !== end.uid : !wasShown;
    }),
  );
}

/** Reports whether the request creates or changes the object that was deleted. */
function makes(operation: Operation, { name, namespace }: Revision): boolean {
  const { verb } = operation;
  return isWrite(verb) && verb !== 'delete' && operation.namespace === namespace && nameIn(operation) === name;
}

/** Reports whether the request lists objects: by itself, or as a watch that begins with all of them. */
function lists({ verb, query }: Operation): boolean {
  return verb === 'list' || (verb === 'watch' && query?.['sendInitialEvents'] === 'true');
}
