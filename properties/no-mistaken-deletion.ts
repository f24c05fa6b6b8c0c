/**
 * P6, no mistaken deletion: the deleted object is the intended one, not another object that has taken its name since.
 *
 * Judges deletions by uid. A DELETE without a uid precondition deletes any object with the name; if the target had never received that
 * object but had received an earlier one with the name, the earlier one was meant. Two cases are not judged: a target that had received
 * neither object deletes by name on purpose, as in a cleanup, and a target may delete any object with a name that it uses for its own
 * objects, even if another client has created the current one.
 */
import { roleOf } from '../harness/model/actor.ts';
import type { CheckResult, Violation } from '../harness/model/check-result.ts';
import { HOLDS } from '../harness/model/check-result.ts';
import type { History, Operation, Revision } from '../harness/model/history.ts';
import type { HistoryIndex } from '../harness/oracle/history-index.ts';
import { indexOf } from '../harness/oracle/history-index.ts';
import type { Property } from '../harness/oracle/property.ts';
import { deletesSomething } from './exercised.ts';

const NAME = 'no-mistaken-deletion';

export const noMistakenDeletion: Property = {
  name: NAME,
  id: 'P6',
  kind: 'safety',
  about: 'a deletion removes the object that it was meant for, not a new one of the same name',
  check,
  exercised: deletesSomething,
};

function check(history: History): CheckResult {
  const index = indexOf(history);
  const violations: Violation[] = [];
  let unread = false;
  for (const operation of history.operations) {
    if (operation.verb !== 'delete' || operation.committed.length === 0 || roleOf(operation.actor) !== 'target')
      continue;
    const taken = index.history.revisions.find(
      ({ op, resource, name }) => op === operation.id && resource === operation.resource && name === operation.name,
    );
    if (taken === undefined || index.hasMade(taken)) continue;
    const before = operation.invoked.at;
    if (wasShown(history, taken.uid, before)) continue;
    const earlier = lastOfName(index, taken, before);
    if (earlier === undefined) continue;
    // An answer that was not recorded as objects may have contained the new object.
    if (hasUnreadAnswer(history, operation)) unread = true;
    else violations.push(violation(index, operation, taken, earlier));
  }
  if (violations.length > 0) return { result: 'violated', violations };
  if (!unread) return HOLDS;
  return {
    result: 'inconclusive',
    reason:
      'the target received a response that stalemate cannot read, and may have seen in it the object that it deleted',
  };
}

/** Reports whether any incarnation had received an object in any way: one incarnation may have stored it for the next. */
function wasShown({ operations, deliveries }: History, uid: string, before: number): boolean {
  return (
    deliveries.some(
      ({ actor, at, object }) => at < before && object?.metadata.uid === uid && roleOf(actor) === 'target',
    ) ||
    operations.some(({ actor, answered, outcome }) => {
      if (outcome.type !== 'ok' || answered === undefined || answered.at >= before) return false;
      if (roleOf(actor) !== 'target') return false;
      return (outcome.items ?? [outcome.object]).some((object) => object?.metadata?.uid === uid);
    })
  );
}

/** Returns the last object of the same name but with a different uid that the target had received. */
function lastOfName(index: HistoryIndex, taken: Revision, before: number): Revision | undefined {
  let found: Revision | undefined;
  for (const chain of index.chains()) {
    const [first] = chain;
    if (first === undefined || first.uid === taken.uid || first.name !== taken.name) continue;
    if (first.resource !== taken.resource || first.namespace !== taken.namespace) continue;
    if (wasShown(index.history, first.uid, before)) found = chain.at(-1);
  }
  return found;
}

function hasUnreadAnswer({ operations }: History, { resource, invoked }: Operation): boolean {
  return operations.some(
    ({ actor, verb, outcome, answered, resource: other }) =>
      other === resource &&
      (verb === 'list' || verb === 'get') &&
      outcome.type === 'ok' &&
      outcome.object === undefined &&
      outcome.items === undefined &&
      (answered?.at ?? Number.POSITIVE_INFINITY) < invoked.at &&
      roleOf(actor) === 'target',
  );
}

function violation(index: HistoryIndex, operation: Operation, taken: Revision, earlier: Revision): Violation {
  const [made] = index.chain(taken.uid);
  const author =
    made?.type === 'ADDED'
      ? `${made.actor} had created in its place (version ${made.revision})`
      : 'had taken its place';
  return {
    signature: { property: NAME, class: 'deleted-another', actors: ['target'], kind: taken.resource, field: '' },
    sentence:
      `${operation.actor} deleted a ${index.shortName(taken)} that ${author} and that it had never seen: its DELETE ` +
      `names no uid, and was meant for the one that was gone by version ${earlier.revision}`,
    operations: [operation.id],
    revisions: [earlier.revision, ...(made?.type === 'ADDED' ? [made.revision] : []), taken.revision],
    at: taken.at,
    severity: 'error',
  };
}
