/**
 * Derives the causes of violations: the guilty request, the request of a loop, the missing watch, or the failed request that was never
 * retried successfully.
 *
 * Owns: which violations of a run have the same cause. Some violations name their cause themselves (a write and the update that it lost).
 * Others show only the outcome (convergence, properties of the user); each of those may have several causes, and which one applies is known
 * once the run has been shrunk. Pure, and works in the same way for shrunk and other runs. Start at {@link causesOf}.
 */
import { roleOf } from '../model/actor.ts';
import type { Cause } from '../model/cause.ts';
import type { Violation } from '../model/check-result.ts';
import type { History } from '../model/history.ts';
import { isWrite } from '../model/history.ts';
import { leafPattern } from '../model/leaf.ts';
import { afterOtherFailures, causeOf, isGuess, isNameOf } from './cause-kinds.ts';
import { loopCauses, writeCause, writeCauses } from './guilty-request.ts';
import { indexOf } from './history-index.ts';
import { watchGivenUp } from './open-watches.ts';
import { haveOverlapped, outcomeCauses, TWO_LEADERS, wrongIn } from './outcome-causes.ts';

/** The possible causes of a violation. */
export interface Causes {
  /** The likeliest first; never empty. */
  readonly candidates: readonly [Cause, ...(readonly Cause[])];
  /** True if the violation itself names the cause, so that no other cause is possible. */
  readonly certain: boolean;
  /**
   * The number of candidates, from the first on, that claim the violation as their symptom if they are already known; absent: all of them.
   * The others fit any wrong outcome of the object, so even a known one must not hide a bug that the run explains better.
   */
  readonly owners?: number;
}

/** Reports whether there is a candidate that explains the violation, and does not merely fit any outcome. */
export function isExplained({ candidates: [first], owners }: Causes): boolean {
  return owners !== undefined && !isGuess(first);
}

/** Returns the other keys of the first candidate. */
export function otherNames([first, ...more]: Causes['candidates']): readonly string[] {
  return [...more.flatMap((cause) => (isNameOf(cause, first) ? [cause.key] : [])), ...afterOtherFailures(first)];
}

/**
 * Returns the causes that a violation names once its run has been shrunk. If two are possible, the one that was assumed before shrinking
 * comes first.
 */
export function namedOnceSmall({ candidates }: Causes, named: readonly Cause[]): Causes['candidates'] {
  const taken = candidates.find(({ key }) => named.some((one) => one.key === key)) ?? named[0];
  return taken === undefined ? [candidates[0]] : [taken, ...named.filter(({ key }) => key !== taken.key)];
}

/** Causes of survival violations other than the end of a process. */
const SURVIVAL: { readonly [kind: string]: Cause } = {
  'data-race': causeOf({ kind: 'data race' }),
  'blocked-event-loop': causeOf({ kind: 'blocked event loop' }),
};

/** Returns the causes of the violations of one run, in the same order. */
export function causesOf(history: History, violations: readonly Violation[]): readonly Causes[] {
  const named = violations.map((violation) => causesNamed(history, violation));
  return violations.map((violation, at) => {
    const own = named[at] ?? [];
    const [first, ...more] = own;
    if (first !== undefined) {
      const because = loopBecauseOf(history, violation, violations);
      if (because === undefined) return { candidates: [first, ...more], certain: true };
      return { candidates: [because, first, ...more], certain: false, owners: 1 };
    }
    const others = violations.flatMap((other, place) => {
      const [cause] = named[place] ?? [];
      return cause !== undefined && other.severity === 'error' && explains(history, other, violation) ? [cause] : [];
    });
    if (others[0] !== undefined) return { candidates: [others[0], ...others.slice(1)], certain: false };
    return { ...outcomeCauses(history, violation), certain: false };
  });
}

/**
 * Adds the cause to a violation of a shrunk run.
 *
 * @param stored - The cause stored with the finding, which takes precedence.
 */
export function withCause(history: History, violation: Violation, stored?: Cause): Violation {
  const cause = stored ?? causesOf(history, [violation])[0]?.candidates[0];
  return cause === undefined ? violation : { ...violation, cause };
}

/** Returns the causes that a violation names by itself, whatever else happened in the run; empty if only the outcome is known. */
export function causesNamed(history: History, violation: Violation): readonly Cause[] {
  const { signature, operations } = violation;
  const index = indexOf(history);
  const [id] = operations;
  const guilty = id === undefined ? undefined : index.operation(id);
  const { property, class: kind, kind: resource } = signature;
  switch (property) {
    case 'no-lost-update':
    case 'truthful-status':
      return guilty === undefined ? [] : writeCauses(history, guilty, violation);
    case 'bounded-rate':
      return loopCauses(history, kind === 'fight' ? ofTarget(history, operations) : operations);
    case 'cardinality':
      return [causeOf({ kind: 'children', resource, seen: 'as it was made' })];
    case 'no-resurrection': {
      if (guilty === undefined) return [];
      // A deleted object is resurrected by a write that ignores the object's current state.
      if (kind === 'resurrected') return [writeCause(history, guilty, 'carried-back')];
      return [causeOf({ kind: 'create', resource })];
    }
    case 'no-mistaken-deletion':
      return [causeOf({ kind: 'delete', resource })];
    case 'one-active-leader':
      return [TWO_LEADERS];
    case 'idempotent-effects':
      return [causeOf({ kind: 'outside', effect: signature.field })];
    case 'survival':
      return [SURVIVAL[kind] ?? causeOf({ kind: 'process ends', how: kind })];
    case 'convergence':
    case 'crash-equivalence':
      return kind === 'stopped-watching' ? [watchCause(history, resource)] : [];
    default:
      return [];
  }
}

/**
 * Returns the cause of a lost watch. Neither the key nor the text names a resource: informers are created alike, and one that does not
 * survive an error fails for any resource. If resources do differ, the symptoms name each of them. An expired version is a different cause
 * from a broken connection, unless the target did relist and gave up when the relist failed.
 */
function watchCause(history: History, resource: string): Cause {
  const isExpired =
    /expired|410/.test(watchGivenUp(history, resource)?.what ?? '') && !hasListedAgain(history, resource);
  return causeOf({ kind: 'watch', how: isExpired ? 'expired' : 'ended' });
}

/** Reports whether the target listed a resource after its last watch of it had begun. */
function hasListedAgain({ operations }: History, resource: string): boolean {
  const own = operations.filter((one) => one.resource === resource && roleOf(one.actor) === 'target');
  const last = own.findLastIndex(({ verb }) => verb === 'watch');
  return own.slice(last + 1).some(({ verb }) => verb === 'list');
}

function ofTarget(history: History, ids: readonly number[]): readonly number[] {
  const index = indexOf(history);
  return ids.filter((id) => roleOf(index.operation(id)?.actor ?? '') === 'target');
}

/**
 * Returns another cause that may sustain a loop, if any: replicas unaware of each other, or children that are repeatedly created and
 * deleted.
 */
function loopBecauseOf(history: History, loop: Violation, violations: readonly Violation[]): Cause | undefined {
  if (loop.signature.property !== 'bounded-rate') return undefined;
  const churn = violations.find((other) => makesChurn(history, other, loop));
  if (churn !== undefined) return causesNamed(history, churn)[0];
  return haveOverlapped(history) ? TWO_LEADERS : undefined;
}

/** Reports whether a loop consists only of creating and deleting surplus children. */
function makesChurn({ operations }: History, by: Violation, { signature, operations: loop }: Violation): boolean {
  if (by.signature.property !== 'cardinality' || signature.property !== 'bounded-rate') return false;
  const ids = new Set(loop);
  return operations.some(
    ({ id, verb, resource }) =>
      ids.has(id) && resource === by.signature.kind && (verb === 'create' || verb === 'delete'),
  );
}

/** Reports whether the cause of one violation explains the wrong outcome of another. */
function explains(history: History, by: Violation, outcome: Violation): boolean {
  const { property } = by.signature;
  // This explains any outcome: everything that the target should have done afterwards is missing.
  if (property === 'survival' || by.signature.class === 'stopped-watching') return true;
  const index = indexOf(history);
  const [id] = by.operations;
  const guilty = id === undefined ? undefined : index.operation(id);
  if (property === 'bounded-rate') return guilty !== undefined && guilty.outcome.type === 'fail';
  const wrong = wrongIn(history, outcome);
  if (property === 'cardinality')
    return wrong.some(({ resource, path }) => resource === by.signature.kind && path === '');
  if (guilty === undefined) return false;
  // A property of the user names the write itself.
  if (outcome.operations.includes(guilty.id) && isWrite(guilty.verb)) return true;
  return history.revisions.some(
    (written) =>
      written.op === guilty.id &&
      wrong.some(
        ({ resource, uid, path }) =>
          written.resource === resource &&
          (uid === undefined || written.uid === uid) &&
          (path === '' || index.changes(written).some((change) => leafPattern(change.path) === path)),
      ),
  );
}
