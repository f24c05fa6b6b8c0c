/**
 * Suggests what usually fixes a finding, by its property and class: which coding pattern to change, not a patch. The wording is cautious,
 * because it depends on the type of bug only, without knowledge of the code. A terminal shows the first sentence only.
 */
import type { Violation } from '../model/check-result.ts';
import type { Signature } from '../model/signature.ts';
import { isWrite, type Operation } from '../model/history.ts';
import type { HistoryIndex } from './history-index.ts';
import { carriedVersion, isConflict } from './operation-text.ts';

/** Suggestions by `property/class`, else by property. */
const FIXES: { readonly [propertyAndClass: string]: string } = {
  'no-lost-update':
    'Change only what is yours. Patch your own fields (server-side apply without force, or a JSON patch of that path), or update the object just as it was read.',
  'no-lost-update/carried-back':
    'After a 409, read the object again and compute the change again from what was read. A fresh resourceVersion on an old body disables the conflict check. Patching only your own fields needs no retry.',
  'no-lost-update/old-content':
    'Compute the change from the very read whose resourceVersion you send. A fresh resourceVersion on an old body disables the conflict check.',
  'no-lost-update/patched-back':
    'Send the patch with the resourceVersion that it was made from (an optimistic lock), or let it contain nothing but your own fields and items: a merge patch replaces whole lists. A JSON patch of an item, or apply where the list has keys, needs no version.',
  'no-lost-update/blind-overwrite':
    'Let the server check: send the resourceVersion that you read, or patch only your own fields instead of replacing the whole.',
  'no-lost-update/removed-foreign':
    'In a list that other clients use too, add and remove only your own items. A merge patch replaces the whole list: read, change your item and update with the resourceVersion, or apply it as a list with keys.',
  'no-lost-update/rebuilt':
    'Update the object just as it was read, with only your own fields and items changed: an object built from scratch drops what other clients put there. Or patch only your own fields (server-side apply without force).',
  'no-lost-update/own-update-lost':
    'Give each task of the controller fields of its own, or send both through one queue that works on one object at a time.',
  convergence:
    'On each reconcile compare the desired state with the actual state, and return errors (409 too) so that it is retried. Do not assume a state because of what was just sent or last received, and requeue from time to time.',
  'convergence/extra-object':
    'Derive the names of children from owner and index, so that a stale list creates none twice, and on each reconcile delete those that are no longer wanted. A cache lags behind your own writes; for a fixed name, 409 AlreadyExists means that the child exists.',
  'convergence/released-early':
    'Remove your finalizer only once nothing is left: ask the server, not a cache, for what is still there. What a cache does not show yet is never deleted.',
  'convergence/not-made-again':
    'Let an event of the child trigger a reconcile of its owner (Owns or Watches in controller-runtime), and compare the desired state with the actual one there. Requeue from time to time as well.',
  'convergence/given-up':
    'Return the error of each failed request (409 too), so that it is retried, and record a step as done only after it is done. An error that is only logged is lost once the key leaves the queue.',
  'convergence/stopped-watching':
    'When a watch ends (closed, 410, an error in the stream), list again and watch from there. Informers do this for you; a watch of your own has to do it itself.',
  'convergence/healed-late': 'Retry failures with a back-off that starts small, and reset it when something changes.',
  'bounded-rate':
    'At rest a reconcile should change nothing, and should not be triggered: compare before writing, and requeue only when there is something to wait for.',
  'bounded-rate/self-triggered-writes':
    'Write only when the content differs (no timestamps or counters on each reconcile): the controller is triggered by its own writes. Keep status in the status subresource, and do not reconcile on events that change nothing of interest (generation predicate).',
  'bounded-rate/short-requeue':
    'Requeue for a reason, not always: after success wait for the next event, or requeue after minutes, not immediately.',
  'bounded-rate/refused-version':
    'A request refused with 409 never succeeds by sending it again: read the object again before each retry.',
  'bounded-rate/expired-version':
    'When a watch ends with 410, list again and watch from the version of that list: an older version never comes back. Informers do this for you; a watch of your own has to do it itself.',
  'bounded-rate/no-back-off':
    'Let the pauses between retries grow (rate-limited requeue, exponential back-off with a cap), and honour Retry-After.',
  'bounded-rate/outlived-cause':
    'Drop retries that can no longer succeed: when the object is gone (404) or has changed, reconcile its current state instead.',
  'bounded-rate/fight':
    'Decide who owns the field: leave it alone once another writer sets it, or apply without force and report the conflict.',
  cardinality:
    'Derive the names of children from owner and index, or remember what was created until the cache shows it (expectations). A cache lags behind your own writes; for a fixed name, 409 AlreadyExists means that the child exists.',
  'truthful-status': 'Report the generation of the very object that this reconcile worked on, taken when it was read.',
  'deletion-completes':
    'Remove your finalizer once everything is cleaned up (404 is success), and return errors so that it is retried.',
  'no-resurrection':
    'Send the uid or resourceVersion that you read with each change: then an object deleted in the meantime is not created again. Before creating for an owner, check that the owner still exists.',
  'no-mistaken-deletion':
    'Delete with preconditions: the uid (and resourceVersion, if it matters) of the object that was looked at. A name may belong to a new object by now.',
  survival:
    'Retry every failed request instead of leaving its error uncaught. A 409, 404, 429 or 500, a refused connection or a closed watch is normal.',
  'survival/panic':
    'Let the code that panics expect such a value: the output of the target has its stack trace. Handlers of deletions get a placeholder instead of the object where a watch had to start again.',
  'survival/data-race': 'Two threads use one value without a lock: copy what comes out of a cache before changing it.',
  'crash-equivalence':
    'Let each step detect from the cluster’s state alone whether it was done: the process may crash between any two. Order them so that half-done work is found and finished.',
  'idempotent-effects':
    'Record what you are about to create before creating it (an id, an idempotency key), and look for it before creating it again. The response may be lost after the request has succeeded.',
  'one-active-leader':
    'Stop writing as soon as the lock is not renewed in time (exit the process), and set a renew deadline shorter than the lease duration.',
};

/** What a run shows about the write that is blamed. */
interface Facts {
  readonly refused: boolean;
  readonly isGone: boolean;
}

/** Returns the fix for a violation; undefined for the user's own claims. */
export function fixOf(index: HistoryIndex, { signature, operations: [id] }: Violation): string | undefined {
  const guilty = id === undefined ? undefined : index.operation(id);
  const refused = index.history.operations.some(
    // A create of what exists is refused with 409 too, but was not made from an old version.
    (operation) =>
      guilty !== undefined && operation.verb !== 'create' && isConflict(operation) && isBefore(operation, guilty),
  );
  const made = guilty === undefined ? undefined : index.madeBy(guilty.id).at(-1);
  const isGone = index.history.revisions.some(({ uid, type }) => type === 'DELETED' && uid === made?.uid);
  return fixFor(signature, guilty, { refused, isGone });
}

/**
 * Returns the fix for a signature.
 *
 * @param guilty - The write that is blamed.
 * @param facts - `refused`: whether a write of the same actor was refused with a conflict before. `isGone`: whether what it made was deleted.
 */
export function fixFor(
  signature: Signature,
  guilty?: Operation,
  facts: Facts = { refused: true, isGone: false },
): string | undefined {
  const { property } = signature;
  const own = `${property}/${kindOf(signature, guilty, facts)}`;
  if (Object.hasOwn(FIXES, own)) return FIXES[own];
  return Object.hasOwn(FIXES, property) ? FIXES[property] : undefined;
}

/** Returns the first sentence, which fits below a story. */
export function inShort(fix: string): string {
  return /^.*?[^.]\.(?= [A-Z]|$)/.exec(fix)?.[0] ?? fix;
}

/** Reports whether a request precedes another one by the same actor for the same object. */
function isBefore(one: Operation, other: Operation): boolean {
  return (
    one.actor === other.actor &&
    one.resource === other.resource &&
    one.namespace === other.namespace &&
    one.name === other.name &&
    one.invoked.at < other.invoked.at
  );
}

/**
 * Returns the class that selects the fix. The fix of `carried-back` is for retries after a conflict, so a patch, a write without a version,
 * and a write without an earlier conflict get the fix of another class. So does a wrong final state, by what the blamed write was.
 */
function kindOf(signature: Signature, guilty: Operation | undefined, { refused, isGone }: Facts): string {
  const { property, class: kind } = signature;
  if (guilty === undefined) return kind;
  if (property === 'convergence') return outcomeOf(signature, guilty, isGone);
  if (property !== 'no-lost-update' || kind !== 'carried-back') return kind;
  if (guilty.verb === 'patch') return 'patched-back';
  if (carriedVersion(guilty.body) === '') return 'blind-overwrite';
  return refused ? kind : 'old-content';
}

function outcomeOf({ class: kind, kind: resource }: Signature, guilty: Operation, isGone: boolean): string {
  if (!OUTCOMES.has(kind)) return kind;
  if (isFailedWrite(guilty)) return 'given-up';
  if (kind === 'missing-object' && guilty.verb === 'create' && isGone) return 'not-made-again';
  if (kind === 'extra-object' && isWrite(guilty.verb) && guilty.resource !== resource) return 'released-early';
  return kind;
}

/** The classes of `convergence` that are about a wrong final state. */
const OUTCOMES: ReadonlySet<string> = new Set(['missing-object', 'extra-object', 'wrong-value']);

/**
 * Reports whether a write had no effect or an unknown one. False for a 404 and for a 409 on a create, which need no retry, and for a 403,
 * because a retry does not help without the permission.
 */
function isFailedWrite(operation: Operation | undefined): boolean {
  if (operation === undefined || !isWrite(operation.verb)) return false;
  const { outcome } = operation;
  if (outcome.type !== 'fail') return outcome.type === 'info';
  const { code } = outcome;
  return code !== 404 && code !== 403 && !(code === 409 && operation.verb === 'create');
}
