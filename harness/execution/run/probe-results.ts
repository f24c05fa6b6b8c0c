/** Reads from a further run what its probe has to show. */
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import { objectKey } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../../model/actor.ts';
import { isAside } from '../../model/aside.ts';
import type { History } from '../../model/history.ts';
import { diffLeaves, leafPattern, leavesOf } from '../../model/leaf.ts';
import type { ExpectedState, OtherOutcome, ProbeResult } from '../../model/probe.ts';
import type { Reference } from '../../model/reference.ts';
import { restingRevisions } from '../../oracle/final-state.ts';
import {
  activityAfter,
  goesOn,
  isOrdinaryIdle,
  laterHalf,
  restStart,
  roundsOf,
  unchangedMs,
} from '../../oracle/rest.ts';
import type { LeftAlone } from './live.ts';

/** A target that reverts a write within this time, in ms of run time, reverts it at once. */
const AT_ONCE_MS = 60_000;

/** Returns the objects at the end of a run. */
export function stateOf(run: History): ExpectedState {
  return {
    objects: Object.fromEntries(
      restingRevisions(run).map((revision) => [
        objectKey(revision.resource, revision.namespace, run.names[revision.uid] ?? revision.name),
        revision.object,
      ]),
    ),
  };
}

/** Returns how a run ended, with the state that a fresh copy produced from its foreign input. */
export function outcomeOf(run: History, expected: ProbeResult): OtherOutcome {
  return {
    settled: run.settlement.result === 'quiescent' && expected.probe === 'expected-state' && expected.settled,
    final: restingRevisions(run).map((revision) => revision.object),
    names: run.names,
    expected: expected.probe === 'expected-state' ? expected.outcomes : [],
  };
}

/** Returns how a run ended after a settle phase of `windowMs`. */
export function settled(longer: History, windowMs: number, reference: Reference): ProbeResult {
  const half = laterHalf(longer);
  const isOrdinary = half !== undefined && isOrdinaryIdle({ ...longer, reference }, half.activity, half.spanMs);
  return {
    probe: 'extended-settle',
    windowMs,
    quiescent: longer.settlement.result === 'quiescent',
    final: restingRevisions(longer).map((revision) => revision.object),
    names: longer.names,
    writesAtRest: writesAtRest(longer),
    unchangedMs: unchangedMs(longer),
    ...(half === undefined
      ? {}
      : {
          laterHalf: {
            requests: half.activity.length,
            rounds: roundsOf(half.activity),
            spanMs: half.spanMs,
            goesOn: goesOn(half.activity, half.fromMs, half.spanMs),
            ...(isOrdinary ? { ordinary: true as const } : {}),
          },
        }),
  };
}

/** Returns how a run ended after it was left alone; `alone` is undefined if it could not be. */
export function leftAlone(alone: LeftAlone | undefined, atRest: History): ProbeResult {
  if (alone === undefined) return { probe: 'left-alone', ms: 0, final: [], names: {} };
  const { history: run, ms, revisions } = alone;
  const last = run.revisions
    .slice(revisions)
    .findLast(({ actor, resource }) => roleOf(actor) === 'target' && !isAside(resource));
  return {
    probe: 'left-alone',
    ms,
    final: restingRevisions(run).map((revision) => revision.object),
    names: run.names,
    ...(last === undefined ? {} : { changedMs: last.timeMs - restStart(atRest).timeMs }),
  };
}

/**
 * Returns when the leaf loses the value that `writer-1` has set: at once, or by a write of the target after a change of the user or at a
 * later resync; undefined if it keeps it until the end, or the user changes it. A write that had no effect proves nothing and counts as
 * reverted at once.
 */
export function revertedWhen(run: History, leaf: string): 'at once' | 'later' | undefined {
  const set = run.revisions.findLast(
    (revision) =>
      revision.actor === 'writer-1' &&
      diffLeaves(revision.before, revision.object).some((change) => leafPattern(change.path) === leafPattern(leaf)),
  );
  if (set === undefined) return 'at once';
  const wanted = leavesOf(set.object).get(leaf);
  const change = run.revisions.find(
    ({ uid, at, type, object }) =>
      uid === set.uid && at > set.at && (type === 'DELETED' || !jsonEqual(leavesOf(object).get(leaf), wanted)),
  );
  if (change === undefined) return undefined;
  const triggered = run.revisions.some(({ actor, at }) => actor === 'user' && at > set.at && at <= change.at);
  if (!triggered && change.timeMs - set.timeMs <= AT_ONCE_MS) return 'at once';
  return change.type !== 'DELETED' && roleOf(change.actor) === 'target' ? 'later' : undefined;
}

/** Returns when the settle phase began, in ms of run time. */
export function settleMs(history: History): number {
  return history.phases.find((mark) => mark.phase === 'settle')?.timeMs ?? 0;
}

/** Counts the target's changes at rest. Responses of the environment's controllers do not prevent rest. */
export function writesAtRest(history: History): number {
  return activityAfter(history, restStart(history)).filter(({ committed }) => committed.length > 0).length;
}
