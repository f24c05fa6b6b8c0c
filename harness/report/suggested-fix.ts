/**
 * What usually fixes a finding, by its property and class: the habit to change, not a patch. Careful on purpose: it is said of the
 * kind of bug, by somebody who has not seen the code. The first sentence stands alone in a terminal.
 */
import type { Signature, Violation } from '../model/check-result.ts';
import type { Operation } from '../model/history.ts';
import type { HistoryIndex } from './history-index.ts';
import { isConflict } from './operation-text.ts';

/** By `property/class`, else by property. */
const FIXES: { readonly [propertyAndClass: string]: string } = {
  'no-lost-update':
    'Change only what is yours. Patch your own fields (server-side apply without force, or a JSON patch of that path), or update the object just as it was read.',
  'no-lost-update/carried-back':
    'After a 409, read the object again and work the change out anew on what was read. A fresh resourceVersion on an old body switches the conflict check off. Patching only your own fields needs no retry at all.',
  'no-lost-update/blind-overwrite':
    'Let the server check: send the resourceVersion that you read, or patch only your own fields instead of replacing the whole.',
  'no-lost-update/removed-foreign':
    'Of a list that others use too, add and remove only your own items. A merge patch replaces the whole list: read, change your item and update with the resourceVersion, or apply it as a list with keys.',
  'no-lost-update/rebuilt':
    'Update the object just as it was read, with only your own fields and items changed: what is built anew drops what others have put there. Or patch only your own fields (server-side apply without force).',
  'no-lost-update/own-update-lost':
    'Give each task of the controller fields of its own, or send both through one queue that works on one object at a time.',
  convergence:
    'On each reconcile compare what is wished with what is there, and return errors (a 409 too) so that it is tried again. Do not take a state for granted because of what was just sent or last heard, and look again from time to time.',
  'convergence/extra-object':
    'Give children names that follow from owner and index, so that a stale list makes none twice, and remove on each reconcile those that are not wished for any more. A cache is behind one’s own writes; of a name that is fixed, 409 AlreadyExists says that it is there.',
  'convergence/stopped-watching':
    'When a watch ends (closed, 410, an error in the stream), list again and watch from there. Informers do so by themselves; a watch of your own has to.',
  'convergence/healed-late': 'Retry failures with a back-off that starts small, and reset it when something changes.',
  'bounded-rate':
    'At rest a reconcile should change nothing, and be called for nothing: compare before writing, and requeue only when there is something to wait for.',
  'bounded-rate/self-triggered-writes':
    'Write only when the content differs (no timestamps or counters on each reconcile): it is woken by its own writes. Keep status in the status subresource, and do not reconcile on events that change nothing of interest (generation predicate).',
  'bounded-rate/short-requeue':
    'Requeue for a reason, not always: after success wait for the next event, or look again after minutes rather than at once.',
  'bounded-rate/refused-version':
    'A request refused with 409 never succeeds by sending it again: read the object anew before each retry.',
  'bounded-rate/no-back-off':
    'Let the pauses between retries grow (rate-limited requeue, exponential back-off with a cap), and honour Retry-After.',
  'bounded-rate/outlived-cause':
    'Give up what cannot succeed any more: when the object is gone (404) or has changed, drop the retry and reconcile anew.',
  'bounded-rate/fight':
    'Decide whose the field is: leave it alone once somebody else sets it, or apply without force and report the conflict.',
  cardinality:
    'Give children names that follow from owner and index, or remember what was asked for until the cache shows it (expectations). A cache is behind one’s own writes; of a name that is fixed, 409 AlreadyExists says that it is there.',
  'truthful-status': 'Report the generation of the very object that this reconcile worked on, taken when it was read.',
  'deletion-completes':
    'Take your finalizer off once all is cleaned (404 is success), and return errors so that it is tried again.',
  'no-resurrection':
    'Name the uid or resourceVersion of what was read when you change it: then what was deleted meanwhile is not made anew. Before creating for an owner, look whether it still lives.',
  'no-mistaken-deletion':
    'Delete with preconditions: the uid (and resourceVersion, if it matters) of the object that was looked at. A name may belong to a new object by now.',
  survival:
    'Let every failed request end in a retry, not in an error that nobody catches. An answer of 409, 404, 429 or 500, a refused connection or a closed watch is daily life.',
  'survival/data-race': 'Two threads use one value without a lock: copy what comes out of a cache before changing it.',
  'crash-equivalence':
    'Let each step tell from the cluster’s state alone whether it was done: between any two the process may die. Order them so that a half-done job is found and finished.',
  'idempotent-effects':
    'Note what you are about to make before making it (an id, an idempotency key), and look for it before making it again. The answer may be lost after the deed.',
  'one-active-leader':
    'Stop writing as soon as the lock is not renewed in time (let the process end), and give the lock’s holder a deadline shorter than the lease.',
};

/** Undefined for claims of the user's own. */
export function fixOf(index: HistoryIndex, { signature, operations: [id] }: Violation): string | undefined {
  const guilty = id === undefined ? undefined : index.operation(id);
  const refused = index.history.operations.some(
    (operation) => operation.actor === guilty?.actor && operation.name === guilty.name && isConflict(operation),
  );
  return fixFor(signature, guilty, refused);
}

/** `guilty` is the write that is blamed, `conflicts` whether it was refused before. */
export function fixFor(signature: Signature, guilty?: Operation, conflicts = true): string | undefined {
  const { property } = signature;
  const own = `${property}/${kindOf(signature, guilty, conflicts)}`;
  if (Object.hasOwn(FIXES, own)) return FIXES[own];
  return Object.hasOwn(FIXES, property) ? FIXES[property] : undefined;
}

/** What fits below a story: the first sentence. */
export function inShort(fix: string): string {
  return /^.*?[^.]\.(?= [A-Z]|$)/.exec(fix)?.[0] ?? fix;
}

/** What was carried back by a patch, or without a refusal before, is fixed otherwise than a retry. */
function kindOf({ property, class: kind }: Signature, guilty: Operation | undefined, conflicts: boolean): string {
  if (property !== 'no-lost-update' || kind !== 'carried-back' || guilty === undefined) return kind;
  if (guilty.verb === 'patch') return 'removed-foreign';
  return conflicts ? kind : 'blind-overwrite';
}
