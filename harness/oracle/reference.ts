/**
 * Derives from reference runs what a target owns, creates, removes and does at rest.
 *
 * Pure: a function of undisturbed histories. Ownership is measured here and nowhere else.
 */
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import { parentOf, type JsonValue, type KubeObject } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../model/actor.ts';
import { isWrite, phaseStart, phaseStartMs } from '../model/history.ts';
import type { History, Operation, Revision } from '../model/history.ts';
import { diffLeaves, isServerLeaf, leafPattern, leavesOf } from '../model/leaf.ts';
import type { Reference, ReferenceChild } from '../model/reference.ts';
import { given } from '../model/given.ts';
import { specHash } from '../model/spec-hash.ts';
import { statusEchoes } from './echoes.ts';
import { roleOfObject } from './history-index.ts';
import { saidIn } from './sent-leaves.ts';
import { workEchoes } from './work-echoes.ts';

/** One reference run and its purpose. */
export interface ReferenceRun {
  readonly history: History;
  /** `base` runs are repetitions: differences between them are volatile. */
  readonly kind: 'base' | 'spec-change' | 'deletion';
}

/** @param later - An undisturbed run over hours: leaves that the target changes after the last `idle` phase began depend on time. */
export function buildReference(
  runs: readonly ReferenceRun[],
  healthySpecs: readonly string[],
  later?: History,
): Reference {
  const owned = new Map<string, Set<string>>();
  const removed = new Map<string, Set<string>>();
  const deletes = new Set<string>();
  const reads = new Set<string>();
  const staleLists = new Set<string>();
  const children = new Map<string, ChildTally>();
  let burstMax = 0;
  const made = runs.map(({ history }) => history);
  const histories = [...made, ...(later === undefined ? [] : [later])];
  for (const history of histories) {
    for (const revision of history.revisions) readRevision(history, revision, owned, removed, deletes);
    for (const operation of history.operations) readOperation(operation, reads, staleLists);
    tallyChildren(history, children);
    burstMax = Math.max(burstMax, longestBurst(history));
  }
  const base = runs.filter((run) => run.kind === 'base');
  return {
    runs: runs.length,
    ownedLeaves: sorted(owned),
    volatileLeaves: sorted(
      volatileLeaves(
        base.map((run) => run.history),
        runs.filter(({ kind }) => kind !== 'base').map((run) => run.history),
        later,
      ),
    ),
    removedLeaves: sorted(removed),
    children: [...children.values()].map(({ owner, role, maxBySpec, surges }): ReferenceChild => ({
      owner,
      role,
      maxBySpec: Object.fromEntries(maxBySpec),
      surges,
    })),
    deletes: [...deletes].toSorted(),
    ...(runs.some(({ kind }) => kind === 'spec-change') ? { updates: updatedRoles(histories) } : {}),
    reads: [...reads].toSorted(),
    staleLists: [...staleLists].toSorted(),
    locks: locks(histories),
    idle: idleRates(base.map(({ history }) => history)),
    burstMax,
    healthySpecs,
    ...given({ echoes: unlessEmpty(statusEchoes(made)), workEchoes: unlessEmpty(workEchoes(made)) }),
  };
}

function updatedRoles(histories: readonly History[]): readonly string[] {
  const roles = histories.flatMap((history) =>
    history.revisions
      .filter(({ actor, type }) => type === 'MODIFIED' && roleOf(actor) === 'target')
      .map((revision) => roleOfObject(history, revision)),
  );
  return [...new Set(roles)].toSorted();
}

/** Few targets have echoes; for the others, nothing is stored. */
function unlessEmpty<T extends object>(byRole: T): T | undefined {
  return Object.keys(byRole).length === 0 ? undefined : byRole;
}

function add(map: Map<string, Set<string>>, key: string, value: string): void {
  const set = map.get(key);
  if (set === undefined) map.set(key, new Set([value]));
  else set.add(value);
}

function sorted(map: ReadonlyMap<string, ReadonlySet<string>>): { readonly [key: string]: readonly string[] } {
  return Object.fromEntries([...map].map(([key, set]) => [key, [...set].toSorted()]));
}

function readRevision(
  history: History,
  revision: Revision,
  owned: Map<string, Set<string>>,
  removed: Map<string, Set<string>>,
  deletes: Set<string>,
): void {
  if (roleOf(revision.actor) !== 'target') return;
  const role = roleOfObject(history, revision);
  if (revision.type === 'DELETED') {
    deletes.add(role);
    return;
  }
  for (const change of diffLeaves(revision.before, revision.object)) {
    if (isServerLeaf(change.path) || (change.to !== undefined && !saidIn(history, revision, change.path))) continue;
    const pattern = leafPattern(change.path);
    if (change.to !== undefined) add(owned, role, pattern);
    else if (owned.get(role)?.has(pattern) === true) continue;
    else add(removed, role, pattern);
  }
}

function readOperation(operation: Operation, reads: Set<string>, staleLists: Set<string>): void {
  if (roleOf(operation.actor) !== 'target' || operation.resource === '') return;
  if (!isWrite(operation.verb)) reads.add(operation.resource);
  if (operation.verb === 'list' && operation.query['resourceVersion'] === '0') staleLists.add(operation.resource);
}

interface ChildTally {
  readonly owner: string;
  readonly role: string;
  readonly maxBySpec: Map<string, number>;
  surges: boolean;
}

/** Tallies the highest number of live children after a creation, by the owner's spec at that time. */
function tallyChildren(history: History, out: Map<string, ChildTally>): void {
  const owners = new Map<string, { role: string; spec: string }>();
  const alive = new Map<string, Set<string>>();
  const peak = new Map<string, { spec: string; count: number; key: string; group: string }>();
  for (const revision of history.revisions) {
    const role = roleOfObject(history, revision);
    owners.set(revision.uid, { role, spec: specHash(revision.object) });
    const controller = parentOf(revision.object);
    const owner = controller === undefined ? undefined : owners.get(controller.uid);
    if (controller === undefined || owner === undefined) continue;
    const group = `${controller.uid} ${role}`;
    let live = alive.get(group);
    if (live === undefined) alive.set(group, (live = new Set()));
    const gone = revision.type === 'DELETED' || revision.object.metadata.deletionTimestamp !== undefined;
    if (gone) live.delete(revision.uid);
    else live.add(revision.uid);
    if (revision.type !== 'ADDED' || roleOf(revision.actor) !== 'target') continue;
    const key = `${owner.role} ${role}`;
    let tally = out.get(key);
    if (tally === undefined) out.set(key, (tally = { owner: owner.role, role, maxBySpec: new Map(), surges: false }));
    tally.maxBySpec.set(owner.spec, Math.max(tally.maxBySpec.get(owner.spec) ?? 0, live.size));
    const before = peak.get(group);
    const count = before?.spec === owner.spec ? Math.max(before.count, live.size) : live.size;
    peak.set(group, { spec: owner.spec, count, key, group });
  }
  for (const { key, group, count } of peak.values()) {
    const tally = out.get(key);
    // More children were alive during the run than at its end, although the spec was not scaled down: the target surges by design.
    if (tally !== undefined && count > (alive.get(group)?.size ?? 0) && !ended(history, group)) tally.surges = true;
  }
}

/**
 * Reports whether the owner of a group of children is deleted, terminating or scaled down; if so, fewer children at the end prove nothing.
 */
function ended(history: History, group: string): boolean {
  const uid = group.slice(0, group.indexOf(' '));
  const chain = history.revisions.filter((revision) => revision.uid === uid);
  const last = chain.at(-1);
  if (last === undefined || last.type === 'DELETED' || last.object.metadata.deletionTimestamp !== undefined)
    return true;
  return new Set(chain.map((revision) => specHash(revision.object))).size > 1;
}

/**
 * Returns the leaves whose value differs between repetitions or changes with time alone.
 *
 * @param settled - Additional runs, which are repetitions until contention begins. If a random value has few possible values, it may be the
 *   same in all repetitions by chance; additional runs make that unlikely.
 */
function volatileLeaves(
  histories: readonly History[],
  settled: readonly History[],
  later: History | undefined,
): Map<string, Set<string>> {
  const out = new Map<string, Set<string>>();
  if (later !== undefined) for (const [role, pattern] of changedByTime(later)) add(out, role, pattern);
  for (const [role, pattern] of differing(histories.map((history) => leavesAt(history)))) add(out, role, pattern);
  const atRest = settled.map((history) => leavesAt(history, phaseStart(history, 'contention')));
  for (const [role, pattern, isInBoth] of differing(atRest)) {
    // A leaf that only one of the runs has does not count: it may have been added later in the other.
    if (isInBoth) add(out, role, pattern);
  }
  return out;
}

type Leaves = ReadonlyMap<string, ReadonlyMap<string, readonly JsonValue[]>>;

/** Yields the leaves that differ between the first run and another one, in objects that exist in both. */
function* differing([first, ...rest]: readonly Leaves[]): Generator<
  readonly [role: string, pattern: string, isInBoth: boolean]
> {
  if (first === undefined) return;
  for (const other of rest) {
    for (const [place, leaves] of first) {
      const theirs = other.get(place);
      if (theirs === undefined) continue;
      const role = place.slice(0, place.indexOf(' '));
      for (const pattern of new Set([...leaves.keys(), ...theirs.keys()])) {
        const mine = leaves.get(pattern) ?? [];
        const their = theirs.get(pattern) ?? [];
        if (!jsonEqual(mine, their)) yield [role, pattern, mine.length === their.length];
      }
    }
  }
}

function* changedByTime(history: History): Generator<readonly [role: string, pattern: string]> {
  const from = history.phases.findLast(({ phase }) => phase === 'idle')?.at ?? Number.POSITIVE_INFINITY;
  for (const revision of history.revisions) {
    if (revision.at < from || roleOf(revision.actor) !== 'target' || revision.type !== 'MODIFIED') continue;
    for (const { path } of diffLeaves(revision.before, revision.object))
      if (!isServerLeaf(path)) yield [roleOfObject(history, revision), leafPattern(path)];
  }
}

/**
 * Returns the values of every object at a given time (by default, the end), by leaf pattern; uids differ between runs, so a pattern may
 * match several leaves.
 */
function leavesAt(history: History, before: number = Number.POSITIVE_INFINITY): Leaves {
  const out = new Map<string, ReadonlyMap<string, readonly JsonValue[]>>();
  for (const revision of history.revisions) {
    if (revision.at >= before) break;
    const place = `${roleOfObject(history, revision)} ${history.names[revision.uid] ?? revision.name}`;
    if (revision.type === 'DELETED') out.delete(place);
    else out.set(place, byPattern(revision.object));
  }
  return out;
}

function byPattern(object: KubeObject): ReadonlyMap<string, readonly JsonValue[]> {
  const out = new Map<string, JsonValue[]>();
  for (const [path, value] of leavesOf(object)) {
    if (isServerLeaf(path)) continue;
    const pattern = leafPattern(path);
    const values = out.get(pattern);
    if (values === undefined) out.set(pattern, [value]);
    else values.push(value);
  }
  return out;
}

/** Matches the lock fields of a Lease, or of the annotation that older clients use on any object. */
const LOCK_LEAF = /renewTime|acquireTime|holderIdentity|leaseTransitions|control-plane\.alpha\.kubernetes\.io\/leader/;

/** Returns the objects that the target keeps rewriting with only the holder and times changing. */
function locks(histories: readonly History[]): readonly string[] {
  const writes = new Map<string, number>();
  for (const history of histories) {
    for (const revision of history.revisions) {
      if (roleOf(revision.actor) !== 'target' || revision.before === undefined) continue;
      const changes = diffLeaves(revision.before, revision.object).filter((change) => !isServerLeaf(change.path));
      const lockLike = changes.length > 0 && changes.every((change) => LOCK_LEAF.test(change.path));
      if (!lockLike) continue;
      const role = roleOfObject(history, revision);
      writes.set(role, (writes.get(role) ?? 0) + 1);
    }
  }
  return [...writes].filter(([, count]) => count >= 2).map(([role]) => role);
}

/** Returns the target's request rates at rest in undisturbed runs. */
export function idleRates(undisturbed: readonly History[]): Reference['idle'] {
  let requestsPerMinute = 0;
  let writesPerMinute = 0;
  for (const history of undisturbed) {
    const since = phaseStartMs(history, 'idle');
    // A busy target ends the idle window early, so use the time that really passed.
    const spanMs = phaseStartMs(history, 'end') - since;
    if (!(spanMs > 0)) continue;
    const late = history.operations.filter(
      ({ actor, verb, invoked }) => roleOf(actor) === 'target' && verb !== 'watch' && invoked.timeMs > since,
    );
    const perMinute = 60_000 / spanMs;
    requestsPerMinute = Math.max(requestsPerMinute, late.length * perMinute);
    writesPerMinute = Math.max(writesPerMinute, late.filter((operation) => isWrite(operation.verb)).length * perMinute);
  }
  return { requestsPerMinute, writesPerMinute };
}

/** Returns the highest number of requests that the target sent between one watch event and the next. */
function longestBurst(history: History): number {
  const since = phaseStart(history, 'contention');
  const marks = [
    ...history.deliveries
      .filter((delivery) => roleOf(delivery.actor) === 'target')
      .map((d) => ({ at: d.at, request: false })),
    ...history.operations
      .filter((operation) => roleOf(operation.actor) === 'target' && operation.verb !== 'watch')
      .map((operation) => ({ at: operation.invoked.at, request: true })),
  ]
    .filter((mark) => mark.at >= since)
    .toSorted((a, b) => a.at - b.at);
  let longest = 0;
  let burst = 0;
  for (const mark of marks) {
    burst = mark.request ? burst + 1 : 0;
    longest = Math.max(longest, burst);
  }
  return longest;
}
