/** Objects that a target creates when it starts, for no applied object: they are part of its installation. */
import { roleOf } from '../model/actor.ts';
import { isWrite, type History } from '../model/history.ts';
import type { Difference } from './final-state.ts';
import { indexOf } from './history-index.ts';
import { firstAppliedAt } from './first-applied.ts';

/**
 * Reports whether the missing object is part of the installation, which a restart repairs: the target created it before anything was
 * applied, no object controlled it (an owner may be the target's own Deployment), another client deleted it, and the target has not tried
 * to create or change it since. Other differences that follow from this are still errors.
 */
export function isMadeAtStart(history: History, { what, resource, object }: Difference): boolean {
  if (what !== 'missing-object') return false;
  const index = indexOf(history);
  const all = history.revisions.filter((one) => one.resource === resource && index.shortName(one) === object);
  const name = all[0]?.name ?? '';
  const deletion = all.findLast(({ type }) => type === 'DELETED');
  if (deletion === undefined || roleOf(deletion.actor) === 'target') return false;
  const [made, ...again] = all.filter(({ type, namespace }) => type === 'ADDED' && namespace === deletion.namespace);
  if (made === undefined || again.length > 0 || roleOf(made.actor) !== 'target') return false;
  const isControlled = (made.object.metadata.ownerReferences ?? []).some(({ controller }) => controller === true);
  if (made.at > firstAppliedAt(history) || isControlled) return false;
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
