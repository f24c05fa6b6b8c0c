/**
 * The field ledger: which acknowledged change of a leaf was undone by a write that did not mean it.
 *
 * Owns: finding losses on the chains of versions. Judges what the server stored, not what was asked: what it ignored never counts.
 * Does not own: what a write was made from (`base-content.ts`), who owns a field at rest (`drift.ts`), what is said about it
 * (`properties/no-lost-update.ts`). Start at {@link findLosses}.
 */
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../model/actor.ts';
import type { History, Operation, Revision } from '../model/history.ts';
import { leavesOf } from '../model/leaf.ts';
import type { LeafChange } from '../model/leaf.ts';
import { isPutAside } from '../model/waiver.ts';
import { baseContent, touches } from './base-content.ts';
import type { BaseContent } from './base-content.ts';
import { indexOf, names } from './history-index.ts';
import type { HistoryIndex } from './history-index.ts';

/**
 * `carried-back`: the value comes from an older version, and was not meant. `removed-foreign`: what it never wrote
 * is dropped although it had been read; `rebuilt`, by an update that builds that part again. `blind-overwrite`: written on purpose by
 * a writer that had not seen the other's change. `own-update-lost`: two writes of the target in flight at once, the later undoing the
 * earlier.
 */
export type LossClass = 'carried-back' | 'removed-foreign' | 'rebuilt' | 'blind-overwrite' | 'own-update-lost';

export interface Loss extends BaseContent {
  readonly class: LossClass;
  /** The acknowledged write that was lost. */
  readonly victim: Revision;
  readonly guilty: Revision;
  readonly operation: Operation;
  /** A leaf path, or the path of a list item when all of it is gone. */
  readonly field: string;
  /** The leaves of the field, as the guilty write changed them. */
  readonly changes: readonly LeafChange[];
  /** Whether the drift test decides: places shared by convention need none. */
  readonly drift: boolean;
}

/** Lists in which every party keeps items of its own: dropping another's is wrong whatever was read before. */
const SHARED = /^(metadata\.(finalizers|ownerReferences)|status\.conditions)\[/;
const FINALIZERS = 'metadata.finalizers';
/** Put there by a deletion itself, to be removed by the garbage collector: knowing of them, that is. */
const OF_DELETION = new Set([`${FINALIZERS}["foregroundDeletion"]`, `${FINALIZERS}["orphan"]`]);
const KEYED_ITEM = /^[^[]*?(?:\["[^"]*"\][^[]*?)*\[(?:type|uid|name|key)=[^\]]*\]/;

/** All losses of a history in order; empty for nearly every one. */
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

/** Of one write: its changes that undid an earlier one, by the unit of loss; a finding per unit where its writer had not meant it. */
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
    if (!changes.some(({ path }) => touches(operation, path))) continue;
    const own = roleOf(victim.actor) === 'target';
    const kind = classify(base, victim, field, changes, own);
    if (kind === undefined || (OF_DELETION.has(field) && knewOf(victim, kind, base, operation))) continue;
    const drift = !own && !(SHARED.test(field) && isRemoval(changes)) && !isSample(index, victim);
    losses.push({ ...base, class: kind, victim, guilty, operation, field, changes, drift });
  }
}

/**
 * Whose change it undid, if that can be a loss at all. In a field of its own the target undoes no change but that of `rival`, a write
 * of its own under way beside this one; in any other field it may undo everybody's.
 */
function undoneBy(
  index: HistoryIndex,
  guilty: Revision,
  { path, from, to }: LeafChange,
  rival: Revision | undefined,
): Revision | undefined {
  const { reference } = index.history;
  const role = index.role(guilty);
  // The user has said that it has no owner.
  if (isPutAside(reference?.declared, guilty.resource, path)) return undefined;
  const owned = names(reference?.ownedLeaves, role, path) && !isForeignItem(index, guilty, path);
  // The usual case, and looking up who changed it last takes time.
  if (owned && rival === undefined) return undefined;
  // Different in every run by nature.
  if (!owned && names(reference?.volatileLeaves, role, path)) return undefined;
  // An empty map or list says no more than none.
  if (isEmptyContainer(from) || (from === undefined && isEmptyContainer(to))) return undefined;
  // What the target also removes in undisturbed runs is its business.
  if (to === undefined && names(reference?.removedLeaves, role, path)) return undefined;
  const victim = index.lastChange(guilty, path);
  if (victim === undefined) return undefined;
  if (roleOf(victim.actor) === 'target') return victim === rival ? victim : undefined;
  // What was never acknowledged cannot be lost.
  return !owned && isAcknowledged(index, victim) ? victim : undefined;
}

/** Undefined: superseded by a writer that had seen the change and meant to replace it. */
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

/** What the user applied first was there at rest in every reference, which is the drift test made already. */
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

/** A write that empties the finalizers of a terminating object ends it, so the loss shows in no further version. */
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
    if (OF_DELETION.has(field) && knewOf(victim, kind, base, operation)) continue;
    losses.push({ ...base, class: kind, victim, guilty, operation, field, changes, drift: false });
  }
}

/** A patch under a version that has the change says what it says on purpose, even if the outcome looks like an older version. */
function knewOf({ revision }: Revision, kind: LossClass, { carried }: BaseContent, { verb }: Operation): boolean {
  return (
    kind === 'removed-foreign' ||
    kind === 'rebuilt' ||
    (verb === 'patch' && carried !== undefined && carried >= revision)
  );
}

/**
 * The pattern of an owner reference matches any owner: the reference that another writer added is its own all the same. One that took
 * one off has not made it theirs: garbage collection does so again where the target, which does not know yet, puts its own back.
 */
function isForeignItem(index: HistoryIndex, guilty: Revision, path: string): boolean {
  if (!path.includes('[uid=')) return false;
  const removes = (revision: Revision): boolean =>
    index.changes(revision).some((change) => change.path === path && change.to === undefined);
  let writer = index.lastChange(guilty, path);
  while (writer !== undefined && removes(writer)) writer = index.lastChange(writer, path);
  return writer !== undefined && roleOf(writer.actor) !== 'target';
}

/** An actor that received "done" counts on it; after a lost response it cannot. Environment changes without a call are done. */
function isAcknowledged(index: HistoryIndex, victim: Revision): boolean {
  const operation = index.operation(victim.op);
  return operation === undefined || operation.outcome.type === 'ok';
}

/**
 * The target's own acknowledged write just before, if this one was under way already when that one was answered: then it cannot
 * have taken it into account. Only this proves two loops at odds; a sequence of writes by one loop may go back and forth by intent.
 */
function inFlight(index: HistoryIndex, guilty: Revision, operation: Operation): Revision | undefined {
  const before = index.chain(guilty.uid)[index.position(guilty) - 1];
  if (before === undefined || before.type !== 'MODIFIED' || roleOf(before.actor) !== 'target') return undefined;
  const earlier = index.operation(before.op);
  if (earlier?.outcome.type !== 'ok' || earlier.answered === undefined) return undefined;
  const known = earlier.actor === operation.actor ? earlier.answered.at : before.at;
  return operation.invoked.at < known ? before : undefined;
}

/** The item of a keyed list when all of it is gone, or is there again, else the leaf itself. */
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
