/**
 * The field ledger: finds acknowledged changes of a leaf that were undone by a write without intent.
 *
 * Owns: finding losses on the chains of versions. It judges what the server stored, not what was requested: what the server ignored never
 * counts. Does not own: the version that a write is based on (`base-content.ts`), who owns a field at rest (`drift.ts`), what is reported
 * (`properties/no-lost-update.ts`). Start at {@link findLosses}.
 */
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../model/actor.ts';
import type { History, Operation, Revision } from '../model/history.ts';
import { isEmptyValue, leavesOf } from '../model/leaf.ts';
import type { LeafChange } from '../model/leaf.ts';
import { isPutAside } from '../model/waiver.ts';
import { baseContent, isUnder, touches } from './base-content.ts';
import type { BaseContent } from './base-content.ts';
import { indexOf, names } from './history-index.ts';
import type { HistoryIndex } from './history-index.ts';

/**
 * `carried-back`: the value comes from an older version, without intent. `removed-foreign`: content that the writer never wrote is dropped
 * although it had been read; `rebuilt`: the same, by an update that rebuilds that part. `blind-overwrite`: written on purpose by a writer
 * that had not received the other writer's change. `own-update-lost`: two writes of the target were in flight at once, and the later one
 * undid the earlier one.
 */
export type LossClass = 'carried-back' | 'removed-foreign' | 'rebuilt' | 'blind-overwrite' | 'own-update-lost';

export interface Loss extends BaseContent {
  readonly class: LossClass;
  /** The acknowledged write that was lost. */
  readonly victim: Revision;
  readonly guilty: Revision;
  readonly operation: Operation;
  /** A leaf path, or the path of a list item if the whole item is gone. */
  readonly field: string;
  /** The leaves of the field that the guilty write changed. */
  readonly changes: readonly LeafChange[];
  /** True if the drift test decides; fields that are shared by convention need no drift test. */
  readonly drift: boolean;
}

/** Lists in which every client keeps its own items: dropping another client's items is wrong, whatever the writer had read before. */
const SHARED = /^(metadata\.(finalizers|ownerReferences)|status\.conditions)\[/;
const FINALIZERS = 'metadata.finalizers';
/** Finalizers that a delete request adds and the garbage collector removes deliberately. */
const OF_DELETION = new Set([`${FINALIZERS}["foregroundDeletion"]`, `${FINALIZERS}["orphan"]`]);
/** Matches a path up to the end of its first item of a list of maps, and the path of that list. */
const LIST_ITEM = /^((?:[^[]|\["[^"]*"\])*?)\[(?:[a-z]+=[^\]]*|\d+)\](?:~\d+)?/;
const KEYED_ITEM = /^[^[]*?(?:\["[^"]*"\][^[]*?)*\[(?:type|uid|name|key)=[^\]]*\]/;

/** Returns all losses of a history in order; almost always empty. */
export function findLosses(history: History): readonly Loss[] {
  const index = indexOf(history);
  const losses: Loss[] = [];
  for (const guilty of history.revisions) {
    if (guilty.type === 'ADDED' || roleOf(guilty.actor) !== 'target') continue;
    const operation = index.operation(guilty.op);
    if (operation === undefined || operation.verb === 'delete' || operation.verb === 'deletecollection') continue;
    if (guilty.type === 'DELETED') lostFinalizers(index, guilty, operation, losses);
    else lostLeaves(index, guilty, operation, losses);
  }
  return losses;
}

/** Finds the losses of one write: unintended changes that undid an earlier change, grouped by field or by list item. */
function lostLeaves(index: HistoryIndex, guilty: Revision, operation: Operation, losses: Loss[]): void {
  const rival = inFlight(index, guilty, operation);
  const units = new Map<string, { victim: Revision; changes: LeafChange[] }>();
  for (const change of index.changes(guilty)) {
    const victim = undoneBy(index, guilty, change, rival);
    if (victim === undefined) continue;
    const field = unitOf(change.path, guilty);
    const unit = units.get(field);
    if (unit === undefined) units.set(field, { victim, changes: [change] });
    else unit.changes.push(change);
  }
  if (units.size === 0) return;
  const base = baseContent(index, guilty, operation);
  for (const [field, { victim, changes }] of units) {
    if (!changes.some(({ path }) => touches(operation, path)) || isReset(index, guilty, field, changes)) continue;
    if (changes.some(({ from }) => from !== undefined) && isStillListed(guilty, field)) continue;
    const own = roleOf(victim.actor) === 'target';
    const kind = classify(base, victim, field, changes, own);
    if (kind === undefined || (OF_DELETION.has(field) && isDeliberate(victim, kind, base, operation))) continue;
    const drift = !own && !(SHARED.test(field) && isRemoval(changes)) && !isSample(index, victim);
    losses.push({ ...base, class: kind, victim, guilty, operation, field, changes, drift });
  }
}

/**
 * Reports whether a field of the status was removed by a write that also empties neighbouring fields, which the target had set: the target
 * resets its status, including what other writers added to it.
 */
function isReset(index: HistoryIndex, guilty: Revision, field: string, lost: readonly LeafChange[]): boolean {
  if (!field.startsWith('status.') || SHARED.test(field) || !isRemoval(lost)) return false;
  const parent = field.slice(0, field.lastIndexOf('.') + 1);
  return index
    .changes(guilty)
    .some(
      (change) =>
        change.path.startsWith(parent) &&
        !lost.includes(change) &&
        !isEmptyValue(change.from) &&
        isEmptyValue(change.to) &&
        roleOf(index.lastChange(guilty, change.path)?.actor ?? '') === 'target',
    );
}

/**
 * Returns the revision whose change was undone, if that can be a loss at all. In a field that the target owns, the target can only undo a
 * change of `rival`, another of its own writes in flight at the same time; in any other field, a change by any actor.
 */
function undoneBy(
  index: HistoryIndex,
  guilty: Revision,
  { path, from, to }: LeafChange,
  rival: Revision | undefined,
): Revision | undefined {
  const { reference } = index.history;
  const role = index.role(guilty);
  // The user has declared that the field has no owner.
  if (isPutAside(reference?.declared, guilty.resource, path)) return undefined;
  const owned = names(reference?.ownedLeaves, role, path) && !isForeignItem(index, guilty, path);
  // Checked first because it is the usual case and finding the last change of the leaf takes time.
  if (owned && rival === undefined) return undefined;
  // The leaf differs in every run, so no value of it can be lost.
  if (!owned && names(reference?.volatileLeaves, role, path)) return undefined;
  // An empty map or list is equivalent to an absent one.
  if (isEmptyContainer(from) || (from === undefined && isEmptyContainer(to))) return undefined;
  // The target also removes this in undisturbed runs, so the removal is by design.
  if (to === undefined && names(reference?.removedLeaves, role, path)) return undefined;
  if (to === undefined && isOwnerGone(index, guilty, path)) return undefined;
  const victim = index.lastChange(guilty, path);
  if (victim === undefined) return undefined;
  if (roleOf(victim.actor) === 'target') return victim === rival ? victim : undefined;
  // A write that was never acknowledged cannot be lost.
  return !owned && isAcknowledged(index, victim) ? victim : undefined;
}

/** Reports whether a leaf is part of a reference to an owner that was gone, which any client may remove. */
function isOwnerGone(index: HistoryIndex, guilty: Revision, path: string): boolean {
  const [, uid] = /^metadata\.ownerReferences\[uid=([^\]]*)\]/.exec(path) ?? [];
  const last = uid === undefined ? undefined : index.chain(uid).at(-1);
  return last?.type === 'DELETED' && last.at < guilty.at;
}

/** Returns how the change was lost; undefined if a writer that had received the change replaced it on purpose. */
function classify(
  { base, rebuilt }: BaseContent,
  victim: Revision,
  field: string,
  changes: readonly LeafChange[],
  own: boolean,
): LossClass | undefined {
  const leaves = base === undefined ? undefined : leavesOf(base.object);
  const older = base !== undefined && base.revision < victim.revision;
  const carried = older && changes.every(({ path, to }) => jsonEqual(leaves?.get(path), to));
  if (own) return carried ? 'own-update-lost' : undefined;
  if (carried) return 'carried-back';
  if (base === undefined || older) return 'blind-overwrite';
  if (!isRemoval(changes)) return undefined;
  return rebuilt(field) === undefined ? 'removed-foreign' : 'rebuilt';
}

/**
 * Reports whether the list item that contained a field is still in the list under another name. Items are named by their index if two of
 * them share a key, or if they have none, so other changes of the list rename them.
 */
function isStillListed({ before, object }: Revision, field: string): boolean {
  const [item, list] = LIST_ITEM.exec(field) ?? [];
  if (item === undefined || list === undefined || before === undefined) return false;
  const content = contentOf(before, item);
  if (content.size === 0) return false;
  const names = new Set(
    [...leavesOf(object).keys()].flatMap((path) => {
      const [name, of] = LIST_ITEM.exec(path) ?? [];
      return name !== undefined && of === list ? [name] : [];
    }),
  );
  return [...names].some((name) => {
    const other = contentOf(object, name);
    const isKept = [...content].every(([path, value]) => jsonEqual(other.get(path), value));
    // An encoder of structs adds empty values.
    return isKept && [...other].every(([path, value]) => content.has(path) || isEmptyValue(value));
  });
}

/** Returns the leaves of a list item by their path in the item. */
function contentOf(object: KubeObject, item: string): ReadonlyMap<string, JsonValue> {
  const leaves = [...leavesOf(object)].filter(([path]) => isUnder(path, item));
  return new Map(leaves.map(([path, value]) => [path.slice(item.length), value]));
}

/**
 * Reports whether the victim is part of what the user applied first: it was present at rest in every reference, which amounts to a drift
 * test.
 */
function isSample(index: HistoryIndex, victim: Revision): boolean {
  if (victim.type !== 'ADDED' || victim.actor !== 'user') return false;
  const role = index.role(victim);
  for (const chain of index.chains()) {
    const [first] = chain;
    if (first !== undefined && first.uid !== victim.uid && first.at < victim.at && index.role(first) === role)
      return false;
  }
  return true;
}

/** Finds lost finalizers. Removing the last finalizer of a terminating object deletes the object, so no later version shows the loss. */
function lostFinalizers(index: HistoryIndex, guilty: Revision, operation: Operation, losses: Loss[]): void {
  const { reference } = index.history;
  const role = index.role(guilty);
  const finalizers = (guilty.before ?? guilty.object).metadata.finalizers ?? [];
  for (const finalizer of finalizers) {
    const field = `${FINALIZERS}[${JSON.stringify(finalizer)}]`;
    if (isPutAside(reference?.declared, guilty.resource, field)) continue;
    if (names(reference?.ownedLeaves, role, field) || names(reference?.removedLeaves, role, field)) continue;
    const victim = index.lastChange(guilty, field);
    if (victim === undefined || roleOf(victim.actor) === 'target' || !isAcknowledged(index, victim)) continue;
    const base = baseContent(index, guilty, operation);
    const older = base.base !== undefined && base.base.revision < victim.revision;
    const kind: LossClass = base.base === undefined ? 'blind-overwrite' : older ? 'carried-back' : 'removed-foreign';
    const changes: readonly LeafChange[] = [{ path: field, from: finalizer }];
    if (OF_DELETION.has(field) && isDeliberate(victim, kind, base, operation)) continue;
    losses.push({ ...base, class: kind, victim, guilty, operation, field, changes, drift: false });
  }
}

/**
 * Reports whether a finalizer that a delete request had added was removed on purpose: the writer had read the finalizer, or sent a patch
 * with the version of the change, even if the result looks like an older version.
 */
function isDeliberate({ revision }: Revision, kind: LossClass, { carried }: BaseContent, { verb }: Operation): boolean {
  return (
    kind === 'removed-foreign' ||
    kind === 'rebuilt' ||
    (verb === 'patch' && carried !== undefined && carried >= revision)
  );
}

/**
 * Reports whether a list item is an owner reference of another writer. The pattern of an owner reference matches any owner, but a reference
 * that another writer added is not the target's. Removals do not count: a reference that garbage collection removed, and that the target
 * put back before it knew of the removal, is still the target's.
 */
function isForeignItem(index: HistoryIndex, guilty: Revision, path: string): boolean {
  if (!path.includes('[uid=')) return false;
  const removes = (revision: Revision): boolean =>
    index.changes(revision).some((change) => change.path === path && change.to === undefined);
  let writer = index.lastChange(guilty, path);
  while (writer !== undefined && removes(writer)) writer = index.lastChange(writer, path);
  return writer !== undefined && roleOf(writer.actor) !== 'target' && !isRepeated(index, writer, path);
}

/** Reports whether a client that created an object again repeats what the target had put into the one before. */
function isRepeated(index: HistoryIndex, again: Revision, path: string): boolean {
  return (
    again.type === 'ADDED' &&
    index.history.revisions.some(
      (one) =>
        one.at < again.at &&
        one.uid !== again.uid &&
        one.resource === again.resource &&
        one.namespace === again.namespace &&
        one.name === again.name &&
        roleOf(one.actor) === 'target' &&
        index.changes(one).some((change) => change.path === path && change.to !== undefined),
    )
  );
}

/**
 * Reports whether a change was acknowledged. An actor that received a success may rely on the change; after a lost response it may not.
 * Changes by the environment without a call count as acknowledged.
 */
function isAcknowledged(index: HistoryIndex, victim: Revision): boolean {
  const operation = index.operation(victim.op);
  return operation === undefined || operation.outcome.type === 'ok';
}

/**
 * Returns the target's own acknowledged write just before this one, if this one was already in flight when the earlier one was answered and
 * so cannot have taken it into account. Only this proves that two loops conflict; a single loop may go back and forth on purpose.
 */
function inFlight(index: HistoryIndex, guilty: Revision, operation: Operation): Revision | undefined {
  const before = index.chain(guilty.uid)[index.position(guilty) - 1];
  if (before === undefined || before.type !== 'MODIFIED' || roleOf(before.actor) !== 'target') return undefined;
  const earlier = index.operation(before.op);
  if (earlier?.outcome.type !== 'ok' || earlier.answered === undefined) return undefined;
  const known = earlier.actor === operation.actor ? earlier.answered.at : before.at;
  return operation.invoked.at < known ? before : undefined;
}

/** Returns the path of the item in a keyed list if the whole item was removed or restored, else the path of the leaf itself. */
function unitOf(path: string, { before, object }: Revision): string {
  const item = KEYED_ITEM.exec(path)?.[0];
  if (item === undefined || before === undefined) return path;
  return hasItem(object, item) && hasItem(before, item) ? path : item;
}

function hasItem(object: KubeObject, item: string): boolean {
  for (const leaf of leavesOf(object).keys()) if (leaf.startsWith(item)) return true;
  return false;
}

function isRemoval(changes: readonly LeafChange[]): boolean {
  return changes.every((change) => change.to === undefined);
}

function isEmptyContainer(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || typeof value !== 'object') return false;
  return Object.keys(value).length === 0;
}
