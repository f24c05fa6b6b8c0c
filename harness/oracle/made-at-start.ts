/** What a target makes when it starts, for no object: a part of its installation. */
import { roleOf } from '../model/actor.ts';
import type { History } from '../model/history.ts';
import type { Difference } from './final-state.ts';

/**
 * Reports whether another client deleted an object without an owner that the target had made when it started, before anything was applied.
 * Such an object is part of the installation, which a restart repairs. What depends on it differs as well, and is an error.
 */
export function isMadeAtStart({ revisions }: History, { what, object }: Difference): boolean {
  if (what !== 'missing-object') return false;
  const applied = revisions.find(({ type, actor }) => type === 'ADDED' && actor === 'user')?.at ?? 0;
  const own = revisions.filter(({ resource, name }) => `${resource}/${name}` === object);
  const [first] = own;
  if (first === undefined || first.at > applied || (first.object.metadata.ownerReferences ?? []).length > 0)
    return false;
  return (
    roleOf(first.actor) === 'target' && own.some(({ type, actor }) => type === 'DELETED' && roleOf(actor) !== 'target')
  );
}
