/**
 * Objects that came and went while a watch was behind.
 *
 * An informer whose watch has expired lists again and compares the list with its cache. If an object was created and deleted in between,
 * both lack it, so that no event reports the deletion to the target, even if the target itself created or deleted the object. Pure.
 */
import { roleOf } from '../model/actor.ts';
import type { History, Operation } from '../model/history.ts';
import type { Difference } from './final-state.ts';
import { indexOf } from './history-index.ts';
import { hasOpenWatch } from './open-watches.ts';

/** Reports whether a missing object was last deleted in such a gap, and the target has listed the resource since. */
export function diedUnseen(history: History, { what, resource, object }: Difference): boolean {
  if (what !== 'missing-object') return false;
  const index = indexOf(history);
  const end = history.revisions.findLast(
    (one) => one.type === 'DELETED' && one.resource === resource && index.shortName(one) === object,
  );
  if (end === undefined) return false;
  const isTargets = ({ actor }: { readonly actor: string }): boolean => roleOf(actor) === 'target';
  const targets = new Set(history.operations.filter(isTargets).map(({ actor }) => actor));
  const wasShown = [...targets].some((actor) =>
    index
      .seenBy(actor, end.uid, Number.POSITIVE_INFINITY)
      .some(({ how, at }) => how === 'watch' || (how === 'list' && !hasOpenWatch(history, { actor, resource }, at))),
  );
  // The cache of an informer does not know what the target reads from the server itself. A target without one may poll.
  const watches = history.operations.some((one) => isTargets(one) && one.verb === 'watch' && one.resource === resource);
  return (
    watches &&
    !wasShown &&
    history.operations.some(
      (one) => isTargets(one) && lists(one) && one.resource === resource && (one.answered?.at ?? -1) > end.at,
    )
  );
}

/** Reports whether the request lists objects: by itself, or as a watch that begins with all of them. */
function lists({ verb, query }: Operation): boolean {
  return verb === 'list' || (verb === 'watch' && query?.['sendInitialEvents'] === 'true');
}
