/** What a target makes when it starts, for no object: a part of its installation. */
import { roleOf } from '../model/actor.ts';
import { isWrite, type History } from '../model/history.ts';
import type { Difference } from './final-state.ts';
import { firstAppliedAt } from './first-applied.ts';

/**
 * Reports whether another client deleted an object without an owner that the target had made when it started, before anything was applied,
 * and has not tried to make or change again. Such an object is part of the installation, which a restart repairs. What depends on it
 * differs as well, and is an error.
 */
export function isMadeAtStart(history: History, { what, resource, object }: Difference): boolean {
  if (what !== 'missing-object') return false;
  const name = object.slice(resource.length + 1);
  const all = history.revisions.filter((one) => one.resource === resource && one.name === name);
  const deletion = all.findLast(({ type }) => type === 'DELETED');
  if (deletion === undefined || roleOf(deletion.actor) === 'target') return false;
  const [made, ...again] = all.filter(({ type, namespace }) => type === 'ADDED' && namespace === deletion.namespace);
  if (made === undefined || again.length > 0 || roleOf(made.actor) !== 'target') return false;
  if (made.at > firstAppliedAt(history) || (made.object.metadata.ownerReferences ?? []).length > 0) return false;
  return !history.operations.some(
    (operation) =>
      roleOf(operation.actor) === 'target' &&
      isWrite(operation.verb) &&
      operation.resource === resource &&
      operation.namespace === deletion.namespace &&
      operation.invoked.at > deletion.at &&
      (operation.name === name || operation.name === ''),
  );
}
