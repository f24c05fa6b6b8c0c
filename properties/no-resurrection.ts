/**
 * P6, no resurrection: a write meant for an existing object does not create it again after its deletion, and nothing is created for an
 * owner whose deletion the target has received.
 *
 * Judges creations by PATCH and PUT. A server-side apply, or a PUT of the few kinds that allow it, creates a missing object; without a uid
 * or resourceVersion in the body the server does not notice that the object was deleted in between. This part does not judge objects that
 * the target creates in the references, because it may create them again, nor POSTs, which create on purpose. Requests in flight when the
 * target received the owner's deletion are not judged, only those that it begins after it has been idle.
 */
import { parentOf } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../harness/model/actor.ts';
import type { CheckResult, Violation } from '../harness/model/check-result.ts';
import { HOLDS } from '../harness/model/check-result.ts';
import { isAside } from '../harness/model/aside.ts';
import type { Delivery, History, Revision } from '../harness/model/history.ts';
import type { HistoryIndex } from '../harness/oracle/history-index.ts';
import { indexOf } from '../harness/oracle/history-index.ts';
import type { Property } from '../harness/oracle/property.ts';
import { isLock } from '../harness/oracle/rest.ts';
import { isDeleted } from './exercised.ts';

const NAME = 'no-resurrection';
/**
 * The number of other events that must occur while the target has no request in flight before it counts as idle; a single one
 * may fall between two requests.
 */
const IDLE_MOMENTS = 2;
/**
 * How long, in ms of run time, a program must have sent nothing before it counts as idle. Clients limit their own rate within one
 * reconcile: client-go's default is five requests a second, and a burst of ten.
 */
const THROTTLED_MS = 2_000;

export const noResurrection: Property = {
  name: NAME,
  id: 'P6',
  kind: 'safety',
  about:
    'what another writer deleted is not created again by a write meant to change it, and nothing is created for an owner known to be gone',
  check,
  exercised: isDeleted,
};

function check(history: History): CheckResult {
  const index = indexOf(history);
  const violations: Violation[] = [];
  for (const revision of history.revisions) {
    if (revision.type !== 'ADDED' || roleOf(revision.actor) !== 'target') continue;
    const end = endOfOwner(index, revision);
    if (end !== undefined && wasIdleAfter(index, revision, end.delivered)) {
      violations.push(createdForDeletedOwner(index, revision, end.deletion));
    }
    const verb = index.operation(revision.op)?.verb;
    if (verb !== 'patch' && verb !== 'update') continue;
    const deletion = lastDeletion(history, revision);
    if (deletion === undefined || index.hasMade(deletion)) continue;
    if (history.reference === undefined)
      return {
        result: 'inconclusive',
        reason: 'there are no undisturbed runs to show what the target creates on its own',
      };
    const role = index.role(revision);
    if (history.reference.children.some((child) => child.role === role)) continue;
    violations.push(resurrection(index, deletion, revision, verb));
  }
  return violations.length === 0 ? HOLDS : { result: 'violated', violations };
}

/** Returns the last deletion of an object of the same name before the creation. */
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

function resurrection(
  index: HistoryIndex,
  deletion: Revision,
  creation: Revision,
  verb: 'patch' | 'update',
): Violation {
  const what = verb === 'patch' ? 'server-side apply' : 'update';
  return violation(
    'resurrected',
    deletion,
    creation,
    `${creation.actor}'s ${what} created ${index.shortName(creation)} again (version ${creation.revision}) after ` +
      `${deletion.actor} had deleted it (version ${deletion.revision}): ${knownText(index, deletion, creation)}`,
  );
}

function knownText(index: HistoryIndex, deletion: Revision, creation: Revision): string {
  const since = index.operation(creation.op)?.invoked.at ?? creation.at;
  const { actor } = creation;
  const wasDelivered = index.history.deliveries.some(
    (delivery) =>
      delivery.actor === actor &&
      delivery.at < since &&
      delivery.type === 'DELETED' &&
      delivery.object?.metadata.uid === deletion.uid,
  );
  if (wasDelivered) return 'it had seen the deletion';
  const seen = index.seenBy(actor, deletion.uid, since).at(-1);
  return seen === undefined
    ? 'it had never seen the object, and named neither uid nor version'
    : `it had last seen version ${seen.revision}, and named neither uid nor version`;
}

/**
 * Returns the deletion of a new object's controlling owner, and when the last of the creator's watches that had shown the owner delivered
 * it, if all of this came before the creation was requested. A program may watch a kind twice, and read from the cache that lags behind.
 */
function endOfOwner(
  index: HistoryIndex,
  creation: Revision,
): { readonly deletion: Revision; readonly delivered: Delivery } | undefined {
  const uid = parentOf(creation.object)?.uid;
  const deletion = uid === undefined ? undefined : index.chain(uid).at(-1);
  if (deletion?.type !== 'DELETED' || deletion.at > creation.at) return undefined;
  const since = index.operation(creation.op)?.invoked.at ?? creation.at;
  const { deliveries, streamEnds } = index.history;
  const shown = deliveries.filter(
    ({ actor, at, object }) => actor === creation.actor && at < since && object?.metadata.uid === uid,
  );
  const isBehind = [...Map.groupBy(shown, ({ stream }) => stream)].some(
    ([stream, events]) =>
      !events.some(({ type }) => type === 'DELETED') &&
      !streamEnds.some((end) => end.stream === stream && end.at < since),
  );
  const delivered = isBehind ? undefined : shown.findLast(({ type }) => type === 'DELETED');
  return delivered === undefined ? undefined : { deletion, delivered };
}

/**
 * Reports whether the creator had finished its work after it received the deletion: other events occurred while it had no
 * request in flight and was not stopped.
 */
function wasIdleAfter(index: HistoryIndex, creation: Revision, delivered: Delivery): boolean {
  const { operations, deliveries, revisions, processes, measurements = [], reference } = index.history;
  const { at: until, timeMs: untilMs } = index.operation(creation.op)?.invoked ?? creation;
  const busy = operations.filter(
    ({ actor, verb, invoked, answered }) =>
      actor === creation.actor &&
      verb !== 'watch' &&
      invoked.at < until &&
      (answered?.at ?? Number.POSITIVE_INFINITY) > delivered.at,
  );
  // Lock renewals and Events do not count as work: an idle target sends them too. (A target that polls every second is never idle.)
  const work = busy.filter((operation) => !isAside(operation.resource) && !isLock(operation, reference?.locks ?? []));
  const sinceMs = Math.max(delivered.timeMs, ...work.map(({ answered }) => answered?.timeMs ?? 0));
  // Clients of programs may throttle themselves, so a pause is no proof of idleness; only programs have measurements.
  if (measurements.length > 0 && untilMs - sinceMs < THROTTLED_MS) return false;
  const isStopped = (at: number): boolean =>
    processes.findLast(
      (one) => one.actor === creation.actor && one.at < at && (one.kind === 'paused' || one.kind === 'resumed'),
    )?.kind === 'paused';
  const moments = [...deliveries, ...revisions].filter(
    ({ at }) =>
      at > delivered.at &&
      at < until &&
      !isStopped(at) &&
      !busy.some(({ invoked, answered }) => invoked.at < at && at < (answered?.at ?? Number.POSITIVE_INFINITY)),
  );
  return moments.length >= IDLE_MOMENTS;
}

function createdForDeletedOwner(index: HistoryIndex, creation: Revision, deletion: Revision): Violation {
  return violation(
    'made-for-the-gone',
    deletion,
    creation,
    `${creation.actor} created ${index.shortName(creation)} (version ${creation.revision}) for ${index.shortName(deletion)}, which ` +
      `${deletion.actor} had deleted (version ${deletion.revision}): it had seen the deletion, and had been idle since`,
  );
}

function violation(name: string, deletion: Revision, creation: Revision, sentence: string): Violation {
  return {
    signature: { property: NAME, class: name, actors: ['target'], kind: creation.resource, field: '' },
    sentence,
    operations: [creation.op, deletion.op].filter((id) => id >= 0),
    revisions: [deletion.revision, creation.revision],
    at: creation.at,
    severity: 'error',
  };
}
