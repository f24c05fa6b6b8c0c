/**
 * Possible causes of an outcome that shows only at the end of a run: the write that carried an old value over, the failed request that was
 * never retried successfully, and if no request is the obvious cause, the handling of the objects concerned.
 *
 * Does not own: violations that name their cause, and combining the two (`cause.ts`). Start at {@link outcomeCauses}.
 */
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import { parentOf, type KubeObject } from 'stalemate-apiserver/objects/object';
import { isEvent } from '../model/aside.ts';
import { roleOf } from '../model/actor.ts';
import type { Cause } from '../model/cause.ts';
import { ownCause } from '../model/cause.ts';
import type { Violation } from '../model/check-result.ts';
import type { History, Operation, Revision } from '../model/history.ts';
import { isWrite, phaseStart } from '../model/history.ts';
import { leafPattern, leavesOf } from '../model/leaf.ts';
import type { LeafChange } from '../model/leaf.ts';
import { baseContent } from './base-content.ts';
import { causeOf, isKind, type Failure } from './cause-kinds.ts';
import { earlyRelease } from './early-release.ts';
import { findsExisting, nameIn } from './failures.ts';
import { firstAppliedAt } from './first-applied.ts';
import { finalState, nearestDifferences } from './final-state.ts';
import { lacksKubelet } from './for-kubelet.ts';
import { resourceOf, writeCause } from './guilty-request.ts';
import { indexOf } from './history-index.ts';
import type { HistoryIndex } from './history-index.ts';
import { livesOf, overlap } from './leadership.ts';

/** Two replicas do work that only the leader should do. */
export const TWO_LEADERS: Cause = causeOf({ kind: 'two leaders' });

/**
 * Reports whether two replicas were alive at the same time and both wrote: one that only reads, or waits to become the leader, does not
 * count.
 */
export function haveOverlapped(history: History): boolean {
  const wrote = new Set(history.operations.flatMap(({ actor, verb }) => (isWrite(verb) ? [actor] : [])));
  const lives = livesOf(history).filter(({ actor }) => wrote.has(actor));
  return lives.some((life) => lives.some((other) => overlap(life, other)));
}

/**
 * Returns candidates, the likeliest first; never empty. `owners`: how many of them claim the violation without a further check
 * (`cause.ts`).
 */
export function outcomeCauses(
  history: History,
  violation: Violation,
): { readonly candidates: readonly [Cause, ...(readonly Cause[])]; readonly owners: number } {
  const wrong = wrongIn(history, violation);
  const back = carriedBack(history, wrong);
  const abandoned = abandonedRequests(history, violation, wrong);
  const work = back.length > 0 ? [] : workGivenUp(history, wrong, abandoned);
  const early = releasedEarly(history, wrong, abandoned);
  const specific = distinct([...back, ...early, ...abandoned.map(({ cause }) => cause), ...work]);
  const replicas = haveOverlapped(history) ? [TWO_LEADERS] : [];
  const guesses = fallbacks(history, violation, wrong);
  const all = distinct([...specific, ...replicas, ...guesses]);
  const [first = ownCause(violation), ...more] = all;
  const restarts = guesses.filter((cause) => isKind(cause, 'restart')).length;
  // An outcome that needs a restart or a second replica is not a symptom of a cause that needs neither.
  const owners =
    [specific, replicas].find(({ length }) => length > 0)?.length ?? (restarts > 0 ? restarts : all.length);
  return { candidates: [first, ...more], owners: Math.max(1, owners) };
}

function distinct(causes: readonly Cause[]): readonly Cause[] {
  return causes.filter(({ key }, place) => causes.findIndex((one) => one.key === key) === place);
}

/** A wrong leaf in the final state; without a path, an object that is missing or should not exist. */
export interface Wrong {
  readonly resource: string;
  readonly uid: string | undefined;
  /** A leaf pattern. */
  readonly path: string;
}

/** Properties that compare the state at the end with an expected one. */
const COMPARED: ReadonlySet<string> = new Set(['convergence', 'crash-equivalence']);

/** Returns every wrong object and field of an outcome; a violation reports only the first one. */
export function wrongIn(history: History, { signature, revisions }: Violation): readonly Wrong[] {
  const { property, kind: resource, field } = signature;
  const last = history.revisions.find(({ revision }) => revision === revisions.at(-1));
  const reported = { resource, uid: last?.resource === resource ? last.uid : undefined, path: field };
  if (!COMPARED.has(property)) return [reported];
  const expected = history.probes.findLast((probe) => probe.probe === 'expected-state');
  if (expected === undefined) return [reported];
  const found = nearestDifferences(history, finalState(history), expected.outcomes);
  return [reported, ...found.map((one) => ({ resource: one.resource, uid: one.uid, path: leafPattern(one.path) }))];
}

/** Returns the write that stored a wrong value, if it carried the value over from a version older than the one that it replaced. */
function carriedBack(history: History, wrong: readonly Wrong[]): readonly Cause[] {
  const index = indexOf(history);
  return wrong.flatMap(({ uid, path: pattern }) => {
    if (uid === undefined || pattern === '') return [];
    const isIt = ({ path }: { readonly path: string }): boolean => leafPattern(path) === pattern;
    const written = index.chain(uid).findLast((revision) => index.changes(revision).some(isIt));
    const operation = written === undefined ? undefined : index.operation(written.op);
    if (written === undefined || operation === undefined || roleOf(written.actor) !== 'target') return [];
    const replaced = index.chain(uid)[index.position(written) - 1];
    const { base } = baseContent(index, written, operation);
    if (base === undefined || replaced === undefined || base.revision >= replaced.revision) return [];
    const before = leavesOf(base.object);
    const changes = index.changes(written).filter(isIt);
    if (operation.verb === 'patch' && changes.every((change) => removesOwn(index, written, operation, change)))
      return [];
    if (!changes.every(({ path, to }) => jsonEqual(before.get(path), to))) return [];
    if (changes.every(({ to }) => to !== undefined && isSetBack(index, to, base.at, written.uid, operation.invoked.at)))
      return [];
    return [writeCause(history, operation, 'carried-back')];
  });
}

/**
 * Reports whether the user or a writer set a value in another object back, after one version was received and before the target's write was
 * sent: the target then follows a change back to an earlier value, such as an image that the user has reverted.
 */
function isSetBack(index: HistoryIndex, value: LeafChange['to'], since: number, uid: string, sent: number): boolean {
  return index.history.revisions.some((one) => {
    const isOthers = roleOf(one.actor) === 'user' || roleOf(one.actor) === 'writer';
    if (one.uid === uid || one.at <= since || one.at >= sent || one.type !== 'MODIFIED' || !isOthers) return false;
    const earlier = index.chain(one.uid).slice(0, index.position(one));
    return index
      .changes(one)
      .some(
        ({ path, to }) =>
          jsonEqual(to, value) && earlier.some(({ object }) => jsonEqual(leavesOf(object).get(path), value)),
      );
  });
}

/**
 * Reports whether the target removed a leaf that it had set itself, after a read or a watch had shown the leaf to it. A patch removes such
 * a leaf on purpose, although the result resembles the version before the leaf was set.
 */
function removesOwn(index: HistoryIndex, written: Revision, operation: Operation, { path, to }: LeafChange): boolean {
  const set = index.lastChange(written, path);
  return (
    to === undefined &&
    set !== undefined &&
    roleOf(set.actor) === 'target' &&
    index
      .seenBy(operation.actor, written.uid, operation.invoked.at)
      .some(({ revision, how }) => how !== 'own write' && revision >= set.revision)
  );
}

/** A request of the target that it gave up. */
interface Abandoned {
  readonly operation: Operation;
  readonly cause: Cause;
  readonly isCleanUp: boolean;
}

/**
 * Returns the target's requests that failed and were never followed by a similar one that succeeded. Covers only incarnations that
 * continued, since a killed incarnation has not given up anything. Requests about the violated object come first, then the latest.
 */
function abandonedRequests(history: History, { signature }: Violation, wrong: readonly Wrong[]): readonly Abandoned[] {
  const since = phaseStart(history, 'contention');
  const killed = new Set(history.processes.flatMap(({ actor, kind }) => (kind === 'crashed' ? [actor] : [])));
  const own = history.operations.filter(
    (one) =>
      roleOf(one.actor) === 'target' &&
      one.verb !== 'watch' &&
      !isEvent(one.resource) &&
      !lacksKubelet(one) &&
      !killed.has(one.actor),
  );
  const done = new Map(own.flatMap((one) => (one.outcome.type === 'ok' ? [[similarityKey(one), one.invoked.at]] : [])));
  const existing = new Map(own.flatMap((one) => (findsExisting(one) ? [[similarityKey(one), one.invoked.at]] : [])));
  const isMadeGood = (one: Operation): boolean =>
    [done, ...(one.verb === 'create' ? [existing] : [])].some(
      (times) => (times.get(similarityKey(one)) ?? 0) >= one.invoked.at,
    );
  const isCompared = COMPARED.has(signature.property) && history.probes.some(({ probe }) => probe === 'expected-state');
  const lost = own.filter(
    (one) =>
      one.invoked.at >= since &&
      failureKind(one) !== undefined &&
      !isMadeGood(one) &&
      !(isCompared && isUnwanted(wrong, one)),
  );
  const about = (operation: Operation): number => Number(operation.resource !== signature.kind);
  return lost
    .toReversed()
    .toSorted((a, b) => about(a) - about(b))
    .map((operation) => {
      const after = failureKind(operation) ?? 'an error';
      const ended = terminatingAt(history, operation);
      const cause =
        ended === undefined
          ? causeOf({ kind: 'given up', verb: operation.verb, of: resourceOf(operation), after })
          : causeOf({ kind: 'given up', cleanUpOf: ended });
      return { operation, cause, isCleanUp: ended !== undefined };
    });
}

/**
 * Returns the clean-ups that ended while an object that is left was still there, unless a request about such objects failed: then that is
 * why.
 */
function releasedEarly(history: History, wrong: readonly Wrong[], abandoned: readonly Abandoned[]): readonly Cause[] {
  return wrong.flatMap(({ resource, uid, path }) => {
    if (path !== '' || abandoned.some(({ operation }) => operation.resource === resource)) return [];
    const early = earlyRelease(history, uid);
    return early === undefined ? [] : [causeOf({ kind: 'released early', resource: early.resource })];
  });
}

/**
 * Returns the cause that abandoned requests have in common: everything that a target does for an object is one unit of work, and if the
 * target does not resume it, any of its requests may be the one that failed. Does not apply if a conflict was dropped and only that one
 * write is missing.
 */
function workGivenUp(history: History, wrong: readonly Wrong[], abandoned: readonly Abandoned[]): readonly Cause[] {
  const hasStopped = abandoned.some(
    ({ operation, isCleanUp }) =>
      !isCleanUp &&
      !(failureKind(operation) === 'a conflict' && wrong.every(({ resource }) => resource === operation.resource)),
  );
  return hasStopped ? rootsOf(history, wrong).map((resource) => causeOf({ kind: 'work given up', resource })) : [];
}

/**
 * Returns the resource that was being deleted when a request was sent: the cleanup is one unit of work, whichever of its requests fails.
 */
function terminatingAt(history: History, { invoked }: Operation): string | undefined {
  for (const chain of indexOf(history).chains()) {
    const since = chain.find(({ object }) => object.metadata.deletionTimestamp !== undefined);
    const last = chain.at(-1);
    if (since === undefined || since.at > invoked.at) continue;
    if (last?.type === 'DELETED' && last.at < invoked.at) continue;
    if (history.revisions.some(({ uid, actor }) => uid === since.uid && actor === 'user')) return since.resource;
  }
  return undefined;
}

/** Matches reviews, such as SubjectAccessReview: to create one is a question, and nothing is stored. */
const REVIEW = /reviews\./;

/** Reports whether a request was a create of something that the expected state does not have either, so that giving it up was right. */
function isUnwanted(wrong: readonly Wrong[], { verb, resource, subresource }: Operation): boolean {
  if (verb !== 'create' || subresource !== '' || REVIEW.test(resource)) return false;
  return !wrong.some((one) => one.resource === resource && one.path === '');
}

/** Returns a key that is equal for similar requests. One similar request can replace another: a patch may follow an update or a create. */
function similarityKey(operation: Operation): string {
  const { verb, resource, subresource, namespace } = operation;
  const what = isWrite(verb) && verb !== 'delete' ? 'write' : verb;
  // Requests for objects with generated names are all similar.
  return [what, resource, subresource, namespace, nameIn(operation).replace(/~\d+$/, '~')].join('/');
}

/** Returns how a request failed; undefined if its answer is normal for such a request. */
function failureKind({ verb, outcome }: Operation): Failure | undefined {
  if (outcome.type === 'info') return 'a lost answer';
  if (outcome.type !== 'fail') return undefined;
  const { code, reason } = outcome;
  // Missing permissions are no fault: the request fails in every run.
  if (code === 404 || code === 403 || (code === 409 && verb === 'create')) return undefined;
  return code === 409 && reason !== 'AlreadyExists' ? 'a conflict' : 'an error';
}

/** Returns the candidates if no request is the obvious cause. */
function fallbacks(history: History, violation: Violation, wrong: readonly Wrong[]): readonly Cause[] {
  const { property, kind } = violation.signature;
  switch (property) {
    case 'convergence':
    case 'crash-equivalence': {
      const roots = rootsOf(history, wrong);
      const restart = property === 'convergence' ? [] : roots.map((resource) => causeOf({ kind: 'restart', resource }));
      return [
        ...restart,
        ...roots.map((resource) => causeOf({ kind: 'missed', resource })),
        ...wrong.flatMap(({ resource, path }) =>
          path === '' ? [causeOf({ kind: 'children', resource, seen: 'in the end' })] : [],
        ),
      ];
    }
    case 'deletion-completes':
      return [causeOf({ kind: 'never finished', resource: kind })];
    default:
      return [ownCause(violation)];
  }
}

function rootsOf(history: History, wrong: readonly Wrong[]): readonly string[] {
  return [...new Set(wrong.map((one) => rootOf(history, one)))].toSorted();
}

/**
 * Returns the resource whose reconciliation created the wrong object; it is chance whether the error shows in the children or in the
 * object's own status. For children without an owner, returns the only resource that was applied.
 */
function rootOf(history: History, { resource, uid }: Wrong): string {
  const { revisions } = history;
  const applied = new Set(
    revisions.flatMap((one) => (one.actor === 'user' && one.type === 'ADDED' ? [one.resource] : [])),
  );
  if (applied.has(resource)) return resource;
  const any = revisions.find((one) => (uid === undefined ? one.resource === resource : one.uid === uid));
  let object: KubeObject | undefined = any?.object;
  for (let depth = 0; object !== undefined && depth < OWNERS_MAX; depth++) {
    const owner = parentOf(object);
    const above = revisions.find((one) => one.uid === owner?.uid);
    if (above === undefined) break;
    if (applied.has(above.resource)) return above.resource;
    ({ object } = above);
  }
  const [only] = applied;
  // Objects that the target creates only before anything is applied belong to no applied object.
  const made = revisions.filter((one) => one.type === 'ADDED' && one.resource === resource);
  const appliedAt = firstAppliedAt(history);
  if (made.length > 0 && made.every(({ at, actor }) => at < appliedAt && roleOf(actor) === 'target')) return resource;
  return applied.size === 1 && only !== undefined ? only : resource;
}

const OWNERS_MAX = 5;
