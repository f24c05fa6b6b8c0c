/**
 * P5, truthful status: `observedGeneration` is the generation of the spec that its writer had read.
 *
 * Judges every version in which the target changes an `observedGeneration`, of the status or of one of its conditions: it never exceeds the
 * generation of the object (a warning if it is that of a deleted object of the same name), never decreases, and never names a generation
 * that had not reached the target. It also judges a status whose writer took the number from a newer read than the one that it acted on:
 * that status, or a child, still repeats values of the older spec. The references show which leaves repeat the spec. What a ready condition
 * means is for the user to declare.
 */
import { roleOf } from '../harness/model/actor.ts';
import type { CheckResult, Violation } from '../harness/model/check-result.ts';
import { HOLDS } from '../harness/model/check-result.ts';
import type { History, Revision } from '../harness/model/history.ts';
import type { LeafChange } from '../harness/model/leaf.ts';
import { leavesOf } from '../harness/model/leaf.ts';
import { repeats } from '../harness/oracle/echoes.ts';
import type { HistoryIndex } from '../harness/oracle/history-index.ts';
import { indexOf } from '../harness/oracle/history-index.ts';
import { undoneWork } from '../harness/oracle/work-echoes.ts';
import type { Property } from '../harness/oracle/property.ts';
import { reportsGenerations } from './exercised.ts';

const NAME = 'truthful-status';
/** Matches the field of the status and those of its conditions; fields with that name elsewhere may be about other objects. */
const OBSERVED = /^status\.observedGeneration$|^status\..*?conditions\[[^\]]*\]\.observedGeneration$/;

/** Matches those that are certainly about the object itself; a nested one may be copied from the status of another object. */
const OWN = /^status\.(?:observedGeneration$|conditions\[)/;
/** Items of lists that are known by their position only: when one is removed, another one takes its place. */
const POSITION = /\[\d+\]/;

export const truthfulStatus: Property = {
  name: NAME,
  id: 'P5',
  kind: 'safety',
  about:
    'observedGeneration never exceeds the generation, never goes back, and names a generation that the target had seen and reports on',
  check,
  exercised: reportsGenerations,
};

interface StatusClaim {
  readonly history: History;
  readonly index: HistoryIndex;
  readonly revision: Revision;
  readonly change: LeafChange;
  /** The claimed generation. */
  readonly value: number;
}

function check(history: History): CheckResult {
  const index = indexOf(history);
  const violations: Violation[] = [];
  let unclear: string | undefined;
  for (const revision of history.revisions) {
    if (revision.type === 'DELETED' || roleOf(revision.actor) !== 'target') continue;
    for (const change of index.changes(revision)) {
      const { path, to: value } = change;
      if (typeof value !== 'number' || !OBSERVED.test(path) || isPutBack(index, revision, change)) continue;
      if (!OWN.test(path) && (POSITION.test(path) || isOfOther(index, revision, value))) continue;
      const judged = judgeClaim({ history, index, revision, change, value });
      if (judged === undefined || isCopied(index, revision, path, value)) continue;
      if (typeof judged === 'string') unclear ??= judged;
      else violations.push(judged);
    }
  }
  if (violations.length > 0) return { result: 'violated', violations };
  return unclear === undefined ? HOLDS : { result: 'inconclusive', reason: unclear };
}

/** Reports whether another object had had this generation before: a wrapper may copy the conditions of that object. */
function isOfOther(index: HistoryIndex, { uid, at }: Revision, value: number): boolean {
  return index.history.revisions.some(
    (other) => other.uid !== uid && other.at < at && other.object.metadata.generation === value,
  );
}

/** Reports whether another object had had the same condition with this value before: a controller may copy that of a child as it is. */
function isCopied(index: HistoryIndex, { uid, at, resource, name }: Revision, path: string, value: number): boolean {
  if (!path.startsWith('status.conditions[')) return false;
  return index.history.revisions.some(
    (other) =>
      other.uid !== uid &&
      other.at < at &&
      !(other.resource === resource && other.name === name) &&
      leavesOf(other.object).get(path) === value,
  );
}

/** Reports whether another writer had written the value: it is then not the target's claim, even if the target carries it over. */
function isPutBack(index: HistoryIndex, revision: Revision, { path, to }: LeafChange): boolean {
  return index
    .chain(revision.uid)
    .slice(0, index.position(revision))
    .some(
      (earlier) =>
        roleOf(earlier.actor) !== 'target' &&
        index.changes(earlier).some((change) => change.path === path && change.to === to),
    );
}

/** Returns a violation, or the reason why the result is inconclusive. */
function judgeClaim(claim: StatusClaim): Violation | string | undefined {
  const { history, index, revision, change, value } = claim;
  const { generation } = revision.object.metadata;
  if (generation === undefined) return undefined;
  const what = `${change.path} of ${index.shortName(revision)}`;
  if (value > generation) {
    const said = `${revision.actor} reported ${what} as ${value} (version ${revision.revision}), while its generation is ${generation}`;
    if (!isOfPredecessor(claim)) return violation(claim, 'ahead-of-generation', said);
    const sentence = `${said}: the number is that of the deleted object of this name`;
    return { ...violation(claim, 'ahead-of-generation', sentence), severity: 'warning' };
  }
  const higher = higherBefore(claim);
  if (higher !== undefined) {
    return violation(
      claim,
      'went-back',
      `${revision.actor} took ${what} back from ${higher.value} (version ${higher.revision.revision}) to ${value} (version ${revision.revision})`,
      higher.revision,
    );
  }
  const known = receivedGenerations(history, revision, value);
  if (known.generation < value && !madeByTarget(claim)) {
    if (known.unread)
      return 'the target received a response that stalemate cannot read, and may have seen in it the generation that it reported';
    return violation(
      claim,
      'never-delivered',
      `${revision.actor} reported ${what} as ${value} (version ${revision.revision}), a generation that had not reached it: ` +
        (known.generation === 0 ? 'it had never seen the object' : `it had seen ${known.generation} at most`),
    );
  }
  return judgeEcho(claim, known.watched);
}

/** Reports whether the value was right for a deleted object of the same name. The first reconcile of the new object replaces it. */
function isOfPredecessor({ history: { revisions }, revision, value }: StatusClaim): boolean {
  return revisions.some(
    ({ resource, namespace, name, uid, at, object }) =>
      resource === revision.resource &&
      namespace === revision.namespace &&
      name === revision.name &&
      uid !== revision.uid &&
      at < revision.at &&
      object.metadata.generation === value,
  );
}

/** Returns the highest value that the target itself had reported before in that field, if it is higher than the new one. */
function higherBefore({
  index,
  revision,
  change,
  value,
}: StatusClaim): { revision: Revision; value: number } | undefined {
  for (const earlier of index.chain(revision.uid).slice(0, index.position(revision)).toReversed()) {
    if (roleOf(earlier.actor) !== 'target') continue;
    const { generation = 0 } = earlier.object.metadata;
    const reported = index.changes(earlier).find(({ path }) => path === change.path)?.to;
    // A value above the generation of its object is reported as such; to correct it is no violation.
    if (typeof reported === 'number' && reported > value && reported <= generation)
      return { revision: earlier, value: reported };
  }
  return undefined;
}

interface Known {
  /** The highest generation received in an answer or a watch event, up to the requested one. */
  readonly generation: number;
  /** Whether a watch or list delivered it: what a controller acts on, rather than what it reads before a write. */
  readonly watched: boolean;
  /** Whether an answer about the object's kind has content that is not recorded as objects. */
  readonly unread: boolean;
}

/**
 * Returns what the target had received before it sent the write, by all its incarnations together: one may have stored it in
 * memory or on disk for another.
 */
function receivedGenerations({ operations, deliveries }: History, revision: Revision, wanted: number): Known {
  const before = operations.find(({ id }) => id === revision.op)?.invoked.at ?? revision.at;
  let generation = 0;
  let watched = false;
  let unread = false;
  for (const { actor, at, object } of deliveries) {
    if (at >= before) break;
    if (object?.metadata.uid !== revision.uid || roleOf(actor) !== 'target') continue;
    generation = Math.max(generation, object.metadata.generation ?? 0);
    if (generation >= wanted) return { generation, watched: true, unread };
  }
  for (const { actor, resource, verb, answered, outcome } of operations) {
    if (resource !== revision.resource || outcome.type !== 'ok' || roleOf(actor) !== 'target') continue;
    if (answered === undefined || answered.at >= before) continue;
    if (outcome.object === undefined && outcome.items === undefined && verb !== 'watch') unread = true;
    for (const object of outcome.items ?? [outcome.object]) {
      if (object?.metadata?.uid !== revision.uid) continue;
      generation = Math.max(generation, object.metadata.generation ?? 0);
      if (generation >= wanted && verb === 'list') watched = true;
    }
  }
  return { generation, watched, unread };
}

/** Reports whether the target itself caused the generation: it may then know the number without reading it. */
function madeByTarget({ index, revision, value }: StatusClaim): boolean {
  const first = index.chain(revision.uid).find((version) => (version.object.metadata.generation ?? 0) >= value);
  return first !== undefined && first.type !== 'DELETED' && roleOf(first.actor) === 'target';
}

/**
 * Judges whether the status that claims a generation repeats an older spec. Applies only if a fresh read alone had delivered
 * the generation: a target that received it by its watch has acted on it, and may report an earlier observation.
 */
function judgeEcho(claim: StatusClaim, watched: boolean): Violation | string | undefined {
  const { history, index, revision, change, value } = claim;
  if (watched || change.path !== 'status.observedGeneration') return undefined;
  const { reference } = history;
  if (reference === undefined)
    return value > 1 ? 'there are no undisturbed runs to show which fields of the spec the status repeats' : undefined;
  const echoes = reference.echoes?.[index.role(revision)] ?? [];
  const versions = index.chain(revision.uid).slice(0, index.position(revision) + 1);
  const claimed = versions.find((version) => version.object.metadata.generation === value);
  if (claimed === undefined) return undefined;
  const leaves = leavesOf(revision.object);
  for (const { status, spec } of echoes) {
    const wanted = leavesOf(claimed.object).get(spec);
    const said = leaves.get(status);
    if (typeof wanted !== 'string' || repeats(said, wanted)) continue;
    const older = versions.find(
      ({ object }) => (object.metadata.generation ?? 0) < value && repeats(said, leavesOf(object).get(spec)),
    );
    if (older === undefined) continue;
    return violation(
      claim,
      'not-acted-upon',
      `${revision.actor} reported generation ${value} of ${index.shortName(revision)} as observed (version ${revision.revision}), but its ` +
        `${status} is still about ${JSON.stringify(leavesOf(older.object).get(spec))} of generation ` +
        `${older.object.metadata.generation ?? 0}, not ${JSON.stringify(wanted)}: the number comes from a newer read than the rest`,
      older,
    );
  }
  const undone = undoneWork(index, revision, versions, claimed);
  if (undone === undefined) return undefined;
  return violation(
    claim,
    'not-acted-upon',
    `${revision.actor} reported generation ${value} of ${index.shortName(revision)} as observed (version ${revision.revision}), but ` +
      `${undone.leaf} of ${index.shortName(undone.child)} is still ${JSON.stringify(undone.actual)}, as in generation ` +
      `${undone.older.object.metadata.generation ?? 0}, not ${JSON.stringify(undone.wanted)}: the number comes from a newer read than the work`,
    undone.older,
  );
}

function violation({ revision, change }: StatusClaim, kind: string, sentence: string, evidence?: Revision): Violation {
  const revisions = [...(evidence === undefined ? [] : [evidence.revision]), revision.revision];
  return {
    signature: { property: NAME, class: kind, actors: ['target'], kind: revision.resource, field: change.path },
    sentence,
    operations: revision.op < 0 ? [] : [revision.op],
    revisions,
    at: revision.at,
    severity: 'error',
  };
}
