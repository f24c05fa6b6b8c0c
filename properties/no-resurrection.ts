/**
 * P6, nothing deleted comes back: a write that was meant for an object does not create it anew after its deletion.
 *
 * Judges creations by PATCH and PUT. A server-side apply, or a PUT of the few kinds that allow it, creates what is not there; without
 * a uid or a version in the body nobody notices that the object was deleted in between. Objects that the target creates in the
 * references are its own to make again, and a POST says that it means to create: neither is judged.
 */
import { roleOf } from '../harness/model/actor.ts';
import type { CheckResult, Violation } from '../harness/model/check-result.ts';
import { HOLDS } from '../harness/model/check-result.ts';
import type { History, Revision } from '../harness/model/history.ts';
import type { HistoryIndex } from '../harness/oracle/history-index.ts';
import { indexOf } from '../harness/oracle/history-index.ts';
import type { Property } from '../harness/oracle/property.ts';

const NAME = 'no-resurrection';

export const noResurrection: Property = {
  name: NAME,
  id: 'P6',
  kind: 'safety',
  about: 'what others created and deleted is not created anew by a write that was meant to change it',
  check,
};

function check(history: History): CheckResult {
  const index = indexOf(history);
  const violations: Violation[] = [];
  for (const revision of history.revisions) {
    if (revision.type !== 'ADDED' || roleOf(revision.actor) !== 'target') continue;
    const verb = index.operation(revision.op)?.verb;
    if (verb !== 'patch' && verb !== 'update') continue;
    const deletion = lastDeletion(history, revision);
    if (deletion === undefined || !isOfOthers(index, deletion)) continue;
    if (history.reference === undefined)
      return { result: 'inconclusive', reason: 'no reference run says what the target creates by itself' };
    const role = index.role(revision);
    if (history.reference.children.some((child) => child.role === role)) continue;
    violations.push(resurrection(index, deletion, revision, verb));
  }
  return violations.length === 0 ? HOLDS : { result: 'violated', violations };
}

/** The deletion of an object of the same name that came last before the creation. */
function lastDeletion(history: History, creation: Revision): Revision | undefined {
  return history.revisions.findLast(
    ({ type, at, resource, namespace, name }) =>
      type === 'DELETED' &&
      at < creation.at &&
      resource === creation.resource &&
      namespace === creation.namespace &&
      name === creation.name,
  );
}

/** Whether somebody else had made what was deleted. Objects from before the history began are of others. */
function isOfOthers(index: HistoryIndex, deletion: Revision): boolean {
  const [first] = index.chain(deletion.uid);
  return first === undefined || first.type !== 'ADDED' || roleOf(first.actor) !== 'target';
}

function resurrection(
  index: HistoryIndex,
  deletion: Revision,
  creation: Revision,
  verb: 'patch' | 'update',
): Violation {
  const what = verb === 'patch' ? 'server-side apply' : 'update';
  return {
    signature: { property: NAME, class: 'resurrected', actors: ['target'], kind: creation.resource, field: '' },
    sentence:
      `${creation.actor}'s ${what} created ${index.shortName(creation)} anew (version ${creation.revision}) after ` +
      `${deletion.actor} had deleted it (version ${deletion.revision}): ${whatItKnew(index, deletion, creation)}`,
    operations: [deletion.op, creation.op].filter((id) => id >= 0),
    revisions: [deletion.revision, creation.revision],
    at: creation.at,
    severity: 'error',
  };
}

function whatItKnew(index: HistoryIndex, deletion: Revision, creation: Revision): string {
  const since = index.operation(creation.op)?.invoked.at ?? creation.at;
  const { actor } = creation;
  const told = index.history.deliveries.some(
    (delivery) =>
      delivery.actor === actor &&
      delivery.at < since &&
      delivery.type === 'DELETED' &&
      delivery.object?.metadata.uid === deletion.uid,
  );
  if (told) return 'it had been shown the deletion';
  const seen = index.seenBy(actor, deletion.uid, since).at(-1);
  return seen === undefined
    ? 'it had never been shown the object, and named neither uid nor version'
    : `it had last seen version ${seen.revision}, and named neither uid nor version`;
}
