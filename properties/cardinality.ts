/**
 * P4, cardinality at every instant: never more children than any spec that the target could have known asks for.
 *
 * Judges creations, not the final state: three children where one was requested are a violation even if two are deleted later. The
 * references show how many a spec asks for; kinds of children that surged in the references are not judged. A target may keep children that
 * record earlier attempts or revisions: as many beyond its spec as it has after the same operations, made one by one at rest, are right.
 */
import { isMap, isRecord } from 'stalemate-apiserver/objects/json';
import { parentOf, type JsonValue, type KubeObject } from 'stalemate-apiserver/objects/object';
import { isAside } from '../harness/model/aside.ts';
import { roleOf, WORKLOADS } from '../harness/model/actor.ts';
import type { CheckResult, Violation } from '../harness/model/check-result.ts';
import { HOLDS } from '../harness/model/check-result.ts';
import type { History, Operation, Revision } from '../harness/model/history.ts';
import type { OtherOutcome } from '../harness/model/probe.ts';
import type { Reference, ReferenceChild } from '../harness/model/reference.ts';
import { specHash } from '../harness/model/spec-hash.ts';
import type { HistoryIndex } from '../harness/oracle/history-index.ts';
import { indexOf, roleOfObject } from '../harness/oracle/history-index.ts';
import { lastProbe } from '../harness/oracle/last-probe.ts';
import type { Property } from '../harness/oracle/property.ts';

const NAME = 'cardinality';
/** Changes by other writers after which a child still counts. */
const HARMLESS = /^metadata\.(annotations|finalizers)\b/;

export const cardinality: Property = {
  name: NAME,
  id: 'P4',
  kind: 'safety',
  about: 'there are never more children than any spec asks for that the target could have seen',
  check,
};

function check(history: History): CheckResult {
  const { reference } = history;
  if (reference === undefined) {
    return {
      result: 'inconclusive',
      reason: 'there are no undisturbed runs to show how many children a spec asks for',
    };
  }
  if (reference.children.length === 0) return HOLDS;
  const index = indexOf(history);
  const suspects: Suspect[] = [];
  for (const revision of history.revisions) {
    if (revision.type !== 'ADDED' || roleOf(revision.actor) !== 'target') continue;
    const owner = ownerOf(index, revision);
    if (owner === undefined) continue;
    const child = childOf(reference, index.role(owner), index.role(revision));
    if (child === undefined || child.surges) continue;
    const siblings = liveSiblings(index, revision, owner);
    // There are fewer children than any spec asks for, so it does not matter which specs existed.
    if (siblings.length < Math.min(...Object.values(child.maxBySpec))) continue;
    const max = maximum(index, child, reference, owner, revision);
    if (max === undefined) continue;
    const violation = judgeCreation(index, revision, owner, siblings, max);
    if (violation !== undefined)
      suspects.push({ violation, creation: revision, owner, child, count: siblings.length + 1, max });
  }
  return suspects.length === 0 ? HOLDS : judgeSuspects(history, suspects);
}

interface Suspect {
  readonly violation: Violation;
  readonly creation: Revision;
  readonly owner: Revision;
  readonly child: ReferenceChild;
  /** The number of live children, the new one included. */
  readonly count: number;
  /** The most that any spec before the creation asks for. */
  readonly max: number;
}

function judgeSuspects(history: History, suspects: readonly Suspect[]): CheckResult {
  const all = suspects.map(({ violation }) => violation);
  const other = lastProbe(history, 'step-by-step');
  if (other === undefined) return { result: 'violated', violations: all, needs: [{ probe: 'step-by-step' }] };
  const violations = suspects
    .filter((suspect) => suspect.count > suspect.max + excessIn(history, other, suspect))
    .map(({ violation }) => violation);
  return violations.length === 0 ? HOLDS : { result: 'violated', violations };
}

/** Returns how many more children than its last spec asks for the same owner has at the end of an undisturbed run. */
function excessIn(history: History, { final, names }: OtherOutcome, { owner, child, creation }: Suspect): number {
  const nameOfOwner = history.names[owner.uid] ?? owner.name;
  const there = final.find(
    ({ kind, metadata: { uid = '', namespace = '' } }) =>
      kind === owner.object.kind && namespace === owner.namespace && names[uid] === nameOfOwner,
  );
  const asked = there === undefined ? undefined : child.maxBySpec[specHash(there)];
  if (there === undefined || asked === undefined) return 0;
  const { resource } = creation;
  const kept = final.filter((object) => {
    const { uid = '', name = '', deletionTimestamp } = object.metadata;
    if (object.kind !== creation.object.kind || roleOfObject({ names }, { resource, uid, name }) !== child.role)
      return false;
    return deletionTimestamp === undefined && parentOf(object)?.uid === there.metadata.uid;
  });
  return Math.max(0, kept.length - asked);
}

function ownerOf(index: HistoryIndex, child: Revision): Revision | undefined {
  const uid = parentOf(child.object)?.uid;
  return uid === undefined ? undefined : index.liveAt(uid, child.at);
}

function childOf(reference: Reference, owner: string, role: string): ReferenceChild | undefined {
  return reference.children.find((child) => child.owner === owner && child.role === role);
}

/**
 * Returns the most that any spec of the owner so far asks for: the target may still be working on an older one, and may already have read
 * a newer one. Undefined if a spec was not tested in the references, because it may ask for any number.
 */
function maximum(
  index: HistoryIndex,
  child: ReferenceChild,
  reference: Reference,
  owner: Revision,
  creation: Revision,
): number | undefined {
  let max: number | undefined;
  for (const version of index.chain(owner.uid)) {
    if (version.at >= creation.at) break;
    const hash = specHash(version.object);
    const most = child.maxBySpec[hash];
    if (most !== undefined) max = Math.max(max ?? 0, most);
    // A healthy spec for which the references created no such child asks for no more than the others.
    else if (!reference.healthySpecs.includes(hash)) return undefined;
  }
  return max;
}

function judgeCreation(
  index: HistoryIndex,
  creation: Revision,
  owner: Revision,
  siblings: readonly Revision[],
  max: number,
): Violation | undefined {
  if (siblings.length < max) return undefined;
  const operation = index.operation(creation.op);
  const since = operation?.invoked.at ?? creation.at;
  const known = siblings.map((sibling) => index.seenBy(creation.actor, sibling.uid, since));
  const unseen = siblings.filter((_, at) => known[at]?.length === 0);
  // Counts the siblings that only the answers to the target's own writes showed: neither its watch nor its reads delivered
  // them.
  const answered = known.filter((seen) => seen.length > 0 && seen.every(({ how }) => how === 'own write')).length;
  const excused = siblings.filter((sibling) => {
    const made = index.operation(sibling.op);
    if (made === undefined || !isUnresolved(made)) return false;
    const decided = decidedAt(index, creation, { after: made.invoked.at, since });
    return index.seenBy(creation.actor, sibling.uid, decided).length === 0;
  }).length;
  if (siblings.length < max + excused) return undefined;
  const count = siblings.length + 1;
  return {
    signature: {
      property: NAME,
      class: 'too-many-children',
      actors: ['target'],
      kind: creation.resource,
      field: '',
    },
    sentence:
      `${creation.actor} created ${index.shortName(creation)} (version ${creation.revision}) as number ${count} of at most ${max} ` +
      `for ${index.shortName(owner)}: ${knownText(siblings, unseen, answered, creation)}`,
    operations: [creation.op, ...siblings.map((sibling) => sibling.op)].filter((id) => id >= 0),
    revisions: [...siblings.map((sibling) => sibling.revision), creation.revision],
    at: creation.at,
    severity: 'error',
  };
}

/**
 * Returns the children of the same owner and role that the target created and that were alive and not terminating when the new
 * one was created.
 */
function liveSiblings(index: HistoryIndex, creation: Revision, owner: Revision): readonly Revision[] {
  const role = index.role(creation);
  const siblings: Revision[] = [];
  for (const chain of index.chains()) {
    const [first] = chain;
    if (first === undefined || first === creation || first.at > creation.at || first.type !== 'ADDED') continue;
    if (first.resource !== creation.resource || roleOf(first.actor) !== 'target' || index.role(first) !== role)
      continue;
    const live = index.liveAt(first.uid, creation.at) ?? first;
    if (live.type === 'DELETED' || live.object.metadata.deletionTimestamp !== undefined) continue;
    if (parentOf(live.object)?.uid !== owner.uid || isTakenAway(index, chain, creation.at)) continue;
    if (isBeingDeleted(index, first, creation.at)) continue;
    siblings.push(first);
  }
  return siblings;
}

/**
 * Reports whether another writer relabelled or rewrote a sibling, or marked it as failed, so that the target may have to replace it while
 * it still exists. Writes that start a workload (binding it to a node, reporting it as ready) do not count, only those that report its end.
 */
function isTakenAway(index: HistoryIndex, chain: readonly Revision[], before: number): boolean {
  return chain.some(
    (revision) =>
      revision.at < before &&
      revision.type === 'MODIFIED' &&
      roleOf(revision.actor) !== 'target' &&
      (revision.actor !== WORKLOADS || hasEnded(revision.object)) &&
      index.changes(revision).some((change) => !HARMLESS.test(change.path)),
  );
}

function hasEnded({ status }: KubeObject): boolean {
  const phase = isRecord(status) ? status['phase'] : undefined;
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Reports whether the target's own delete of a sibling may be in flight when the replacement arrives. */
function isBeingDeleted({ history }: HistoryIndex, sibling: Revision, before: number): boolean {
  return history.operations.some(
    ({ verb, actor, resource, namespace, name, invoked }) =>
      (verb === 'deletecollection' || (verb === 'delete' && name === sibling.name)) &&
      roleOf(actor) === 'target' &&
      resource === sibling.resource &&
      namespace === sibling.namespace &&
      invoked.at < before,
  );
}

/** Reports whether the answer to a create was lost: the client may not know of the object, and may create one more. */
function isUnresolved(operation: Operation | undefined): boolean {
  return operation?.outcome.type === 'info' || operation?.outcome.type === 'pending';
}

/**
 * Returns the tick at which the target had decided to make a child, between two ticks: where it sends several creates for one owner one after
 * the other, and nothing else in between but Events and leases, it has counted before the first.
 */
function decidedAt(
  { history: { operations } }: HistoryIndex,
  { actor, resource, object }: Revision,
  { after, since }: { readonly after: number; readonly since: number },
): number {
  const owner = parentOf(object)?.uid;
  let decided = since;
  for (const operation of operations.toReversed()) {
    const { verb, invoked, body } = operation;
    if (operation.actor !== actor || verb === 'watch' || invoked.at >= since || isAside(operation.resource)) continue;
    const isCreate = verb === 'create' && operation.resource === resource;
    // Another worker may make children of another owner meanwhile.
    if (isCreate && ownerIn(body) !== owner) continue;
    if (!isCreate || invoked.at <= after) break;
    decided = invoked.at;
  }
  return decided;
}

/** Returns the uid of the owner that the body of a request names as its controller, or its first. */
function ownerIn(body: JsonValue | undefined): string | undefined {
  const metadata = isMap(body) ? body['metadata'] : undefined;
  const isOwned = isMap(metadata) && Array.isArray(metadata['ownerReferences']);
  return isOwned ? parentOf(body as KubeObject)?.uid : undefined;
}

function knownText(
  siblings: readonly Revision[],
  unseen: readonly Revision[],
  answered: number,
  creation: Revision,
): string {
  if (unseen.length === 0) {
    const some = answered < siblings.length ? `${answered} of them ` : '';
    const how = answered > 0 ? `, ${some}only in the answers to its own creates` : '';
    return `it had received all ${siblings.length} that existed${how}`;
  }
  const seen = siblings.length - unseen.length;
  const latest = unseen.at(-1);
  const own = unseen.every((sibling) => sibling.actor === creation.actor) ? 'its own create of ' : '';
  return `it had seen ${seen} of the ${siblings.length} that existed and missed ${own}version ${latest?.revision ?? 0}`;
}
