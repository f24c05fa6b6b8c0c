/**
 * P1, convergence: once perturbation stops, the target reaches the expected state and stays there.
 *
 * The expected state is the one that a fresh copy of the target produces, without faults, from the foreign input after heal. A difference
 * counts only together with a second witness: a fresh incarnation on the unchanged final state changes what differs. One witness alone gives
 * only a warning, because a target may depend on the order of events by design. Suspicious runs get a longer settle phase first. Does not
 * own: matching and comparing (`oracle/final-state.ts`).
 */
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import type { CheckResult, Violation } from '../harness/model/check-result.ts';
import { HOLDS } from '../harness/model/check-result.ts';
import type { History } from '../harness/model/history.ts';
import { leafInWords, leafPattern } from '../harness/model/leaf.ts';
import type { ProbeRequest, ProbeResult } from '../harness/model/probe.ts';
import { isClearedCondition } from '../harness/oracle/cleared-conditions.ts';
import { isCopiedEntry } from '../harness/oracle/copied-entries.ts';
import {
  finalState,
  groupOf,
  isAsIn,
  nearestDifferences,
  placeOf,
  probedState,
} from '../harness/oracle/final-state.ts';
import { withoutDrawn } from '../harness/oracle/drawn-values.ts';
import type { Difference } from '../harness/oracle/final-state.ts';
import { earlyRelease } from '../harness/oracle/early-release.ts';
import { lastProbe } from '../harness/oracle/last-probe.ts';
import { isEmptyOrAbsent, isMadeOnce, isNote, isTrace } from '../harness/oracle/harmless-differences.ts';
import { changesLeaf, restartWrites, type RestartWrite } from '../harness/oracle/restart-writes.ts';
import { indexOf } from '../harness/oracle/history-index.ts';
import { watchesGivenUp } from '../harness/oracle/open-watches.ts';
import { kindOf, kindsUndisturbed } from '../harness/oracle/path-dependence.ts';
import { changedAlone, lateText, leftAloneNeeds, type Alone } from '../harness/oracle/left-alone.ts';
import { isMadeAtStart } from '../harness/oracle/made-at-start.ts';
import type { Property } from '../harness/oracle/property.ts';
import { refusalOf } from '../harness/oracle/refused-input.ts';
import { diedUnseen } from '../harness/oracle/unseen-life.ts';
import { earnedSettleMs, isAtRest, isOrdinaryIdle, laterHalf, RETRIES_TOO_LATE } from '../harness/oracle/rest.ts';

const NAME = 'convergence';
/** Back-offs and requeues of up to this many ms of run time are ordinary. */
const ORDINARY_MS = 10_000;
/** A settle phase of this length shows everything except what a long back-off delays. */
const LONG_MS = 60_000;
const UNKNOWN_UNDISTURBED = 'no undisturbed run was available to show whether it ends differently';
const SAME_UNDISTURBED = 'undisturbed, it differs in the same way: the result depends on the path taken';
const SILENT =
  'the final state is not the one that a fresh copy of the target reaches from the same input, a restart does not change that';
const SILENT_NOTE = 'it records what happened to an earlier request or object; nothing else differs';
const DEPENDS = 'a copy started now does not change that: the result depends on the path taken';
const DIED_UNSEEN = 'it was created and deleted while a watch was behind, so that no event of it reached the target';
const REFUSED = 'a fresh copy refuses the input, and has never seen the valid one before';
const MADE_AT_START = 'the target makes it only when it starts, for no object, and another client deleted it';
const AS_BEFORE = 'as in an earlier run, in which more time did not fix it';
export const convergence: Property = {
  name: NAME,
  id: 'P1',
  kind: 'liveness',
  about: 'once perturbation stops, the target reaches the state that a fresh one would reach, and stays there',
  comparesRuns: ['missing-object', 'extra-object', 'wrong-value'],
  check,
};

type Expected = Extract<ProbeResult, { probe: 'expected-state' }>;
type Extended = Extract<ProbeResult, { probe: 'extended-settle' }>;

function check(history: History): CheckResult {
  const unsettled = unsettledReason(history);
  if (unsettled !== undefined) return { result: 'inconclusive', reason: unsettled };
  if (history.reference === undefined) {
    return {
      result: 'inconclusive',
      reason: 'there are no undisturbed runs to show which fields and objects are the target’s',
    };
  }
  const expected = lastProbe(history, 'expected-state');
  if (expected === undefined)
    return ask('no further run showed the state that a fresh copy of the target reaches from the same input', {
      probe: 'expected-state',
    });
  if (!expected.settled) {
    return {
      result: 'inconclusive',
      reason:
        'a fresh copy of the target, given the same input, did not come to rest: there is nothing to compare with',
    };
  }
  const found = nearestDifferences(history, finalState(history), expected.outcomes);
  const [first, ...more] = found;
  return first === undefined ? HOLDS : judgeSuspect(history, expected, [first, ...more]);
}

function unsettledReason(history: History): string | undefined {
  const { settlement } = history;
  switch (settlement.result) {
    case 'quiescent':
      return undefined;
    case 'never-started':
      return `the target never started: ${settlement.detail}`;
    case 'cut-short':
      return `the run was cut short: ${settlement.detail}`;
    case 'steps-exceeded':
    case 'hot-instant':
      return 'the run never came to rest, so there is no final state to judge (bounded-rate judges whether it may be this busy)';
    case 'time-exceeded': {
      // A target that polls is never silent, which must not hide whether it converged.
      const half = laterHalf(history);
      const ordinary = half !== undefined && isOrdinaryIdle(history, half.activity, half.spanMs);
      return ordinary
        ? undefined
        : 'the target was never silent for long enough to end the run (bounded-rate judges whether it may be this busy)';
    }
  }
}

function judgeSuspect(
  history: History,
  expected: Expected,
  found: readonly [Difference, ...(readonly Difference[])],
): CheckResult {
  const windowMs = earnedSettleMs(history);
  if (windowMs === undefined) return RETRIES_TOO_LATE;
  const extended = lastProbe(history, 'extended-settle');
  const fresh = lastProbe(history, 'fresh-incarnation');
  const alone = changedAlone(history);
  const settled =
    extended === undefined
      ? found
      : nearestDifferences(history, probedState(history, extended.final, extended.names), expected.outcomes);
  // From here on the judged state is the one in which the fresh incarnation was started.
  const later = alone === undefined ? settled : leftWhenAlone(history, expected, alone, settled);
  if (alone !== undefined && settled.length > 0 && later.length === 0)
    return violated(history, found, 'healed-late', 'warning', `reaches the expected state, but ${lateText(alone)}`);
  // A run that healed in the middle of a long settle phase had no time left for the full silence.
  const isOver =
    extended !== undefined &&
    (isAtRest(extended) || extended.laterHalf?.requests === 0 || extended.laterHalf?.ordinary === true);
  if (later.length === 0 && isOver) return healedLate(history, found, extended.windowMs);
  if (isOver) {
    const refusals = later.map((difference) => refusalOf(history, expected.outcomes, difference));
    if (refusals.every((refusal) => refusal !== undefined))
      return violated(history, later, 'path-dependent', 'warning', `${REFUSED} (${cut(refusals[0])})`);
  }
  if (extended !== undefined && hasIdled(extended, Math.min(LONG_MS, windowMs))) {
    const again = knownViolated(history, later);
    if (again.length > 0) return violated(history, again, undefined, 'error', AS_BEFORE);
  }
  // The longest settle phases take the most time: they are skipped for differences that also occur undisturbed.
  if (extended !== undefined && extended.windowMs >= LONG_MS && extended.windowMs < windowMs) {
    if (later.length > 0 && isKnownUndisturbed(history, later))
      return violated(history, later, 'path-dependent', 'warning', SAME_UNDISTURBED);
    const undisturbed = lastProbe(history, 'undisturbed');
    if (undisturbed === undefined)
      return ask(`${inGeneral(found[0])}; ${UNKNOWN_UNDISTURBED}`, { probe: 'undisturbed' });
    const excused = kindsUndisturbed(history, undisturbed);
    if (undisturbed.settled && later.length > 0 && later.every((difference) => excused.has(kindOf(difference))))
      return violated(history, later, 'path-dependent', 'warning', SAME_UNDISTURBED);
  }
  if (extended === undefined || extended.windowMs < windowMs || fresh === undefined) {
    const needs: ProbeRequest[] = [...leftAloneNeeds(history)];
    if (extended === undefined || extended.windowMs < windowMs) needs.push({ probe: 'extended-settle', windowMs });
    if (fresh === undefined) needs.push({ probe: 'fresh-incarnation' });
    return ask(`${inGeneral(found[0])}; could not determine whether more time or a restart fixes that`, ...needs);
  }
  if (!isAtRest(extended) && !isBusyElsewhere(history, extended, found, later)) {
    return {
      result: 'inconclusive',
      reason: `the target was given ${windowMs / 1000} s more and was still not at rest`,
    };
  }
  if (!fresh.settled) {
    return {
      result: 'inconclusive',
      reason: 'a fresh copy of the target, started on the state at the end, did not come to rest',
    };
  }
  const witness = restartWrites(fresh).find((write) => isAbout(write, later));
  if (witness === undefined) return judgeSilent(history, later);
  // Only the verb and the object are shown.
  const write = witness.text.split(' ').slice(0, 2).join(' ');
  const note = `a copy started now would ${write}`;
  if (later.every((difference) => isMadeAtStart(history, difference)))
    return violated(history, later, 'path-dependent', 'warning', MADE_AT_START);
  // One such object is enough: the other differences may follow from it.
  if (later.some((difference) => diedUnseen(history, difference)))
    return violated(history, later, 'path-dependent', 'warning', DIED_UNSEEN);
  if (later.every((one) => isNote(one) || isClearedCondition(one, later)))
    return violated(history, later, 'left-note', 'warning', note);
  return withoutRandomDifferences(history, later, note);
}

/**
 * Excludes random values: for example, a target that picks one of several zones or nodes is right with any of them. A few undisturbed runs
 * may have picked the same one by chance.
 */
function withoutRandomDifferences(history: History, found: readonly Difference[], note: string): CheckResult {
  const others = lastProbe(history, 'other-copies');
  if (others === undefined) {
    const result = violated(history, found, undefined, 'error', note);
    return result.result === 'violated' ? { ...result, needs: [{ probe: 'other-copies' }] } : result;
  }
  const [usual] = lastProbe(history, 'expected-state')?.outcomes ?? [];
  const alike = [...(usual === undefined ? [] : [usual]), ...others.outcomes];
  const left = withoutDrawn(found, [alike, others.inOrder ?? []], finalState(history));
  return left.length === 0 ? HOLDS : violated(history, left, undefined, 'error', note);
}

/** Reports whether a write of a fresh incarnation changes what differs. */
function isAbout(write: RestartWrite, found: readonly Difference[]): boolean {
  const object = groupOf(write.object);
  return found.some((difference) => groupOf(difference.object) === object && changesLeaf(write, difference.path));
}

/** Judges a run that healed in a longer settle phase: within the time of ordinary back-offs it converged; later, it gets a warning. */
function healedLate(history: History, found: readonly Difference[], windowMs: number): CheckResult {
  if (windowMs <= ORDINARY_MS) return HOLDS;
  const healed = `only after more than the settle window of ${settleWindow(history)}, by a resync or a poll`;
  return violated(history, found, 'healed-late', 'warning', `reaches the expected state, but ${healed}`);
}

/** Returns which of the differences were left after the run had been left alone. Differences that are new by then are of no interest. */
function leftWhenAlone(
  history: History,
  { outcomes }: Expected,
  alone: Alone,
  before: readonly Difference[],
): readonly Difference[] {
  const state = probedState(history, alone.final, alone.names);
  // An object that is made with wrong content, or deleted instead of corrected, has not been put right.
  return nearestDifferences(history, state, outcomes).filter((now) =>
    before.some((was) =>
      was.what === 'wrong-value' && now.what === 'wrong-value'
        ? placeOf(was) === placeOf(now)
        : groupOf(was.object) === groupOf(now.object),
    ),
  );
}

/**
 * Judges differences that a fresh incarnation, started on the final state, does not change. Either the target depends on the order of
 * events by design, or its own status hides the damage from it for good. The further witnesses are the same workload without faults, at
 * once and step by step: if neither ends with the difference, the state depends only on the input, so there is no excuse for it.
 */
function judgeSilent(history: History, found: readonly Difference[]): CheckResult {
  if (isKnownUndisturbed(history, found)) return violated(history, found, 'path-dependent', 'warning', DEPENDS);
  let left = found.filter(
    (one) =>
      !isMadeOnce(history, one) &&
      !isEmptyOrAbsent(one) &&
      !isClearedCondition(one, found) &&
      !isCopiedEntry(history, one),
  );
  for (const probe of ['undisturbed', 'step-by-step'] as const) {
    if (left.length === 0) break;
    const other = lastProbe(history, probe);
    if (other === undefined) return ask(`${SILENT}, and ${UNKNOWN_UNDISTURBED}`, { probe });
    const excused = kindsUndisturbed(history, other);
    left = other.settled ? left.filter((difference) => !excused.has(kindOf(difference))) : [];
  }
  left = left.filter((one) => !isFromReplaced(history, one));
  if (left.length === 0) return violated(history, found, 'path-dependent', 'warning', DEPENDS);
  if (left.every((one) => isTrace(history, one))) return violated(history, left, 'left-note', 'warning', SILENT_NOTE);
  const note = 'undisturbed, the same operations end in the expected state; a restart no longer fixes it';
  return withoutRandomDifferences(history, left, note);
}

/**
 * Reports whether a fresh copy has the same if it makes the objects itself that another client made again: the target did so before. A volume
 * that it made for its own pod serves the pod that replaced it, and a copy that finds the replacement needs no volume.
 */
function isFromReplaced(history: History, difference: Difference): boolean {
  const without = lastProbe(history, 'other-copies')?.withoutReplacements;
  return without !== undefined && isAsIn(without, difference);
}

/** Reports whether undisturbed runs of this or other workloads have ended with all of these differences before. */
function isKnownUndisturbed(history: History, found: readonly Difference[]): boolean {
  const known = lastProbe(history, 'known-undisturbed');
  return known !== undefined && found.every((difference) => known.kinds.includes(kindOf(difference)));
}

/**
 * Reports whether the target is only as busy as it is at rest in undisturbed runs, and has not changed the differing objects in the whole
 * extended run. A target that retries one object for ever, because its handler fails each time, is never silent, but its other objects can
 * be judged.
 */
function isBusyElsewhere(
  history: History,
  extended: Extended,
  before: readonly Difference[],
  later: readonly Difference[],
): boolean {
  if (extended.laterHalf?.ordinary !== true) return false;
  const versions = new Map(extended.final.map(({ metadata: { uid = '', resourceVersion } }) => [uid, resourceVersion]));
  return later.every(({ what, object, uid }) => {
    if (uid === undefined) return before.some((one) => one.what === what && one.object === object);
    const last = indexOf(history).chain(uid).at(-1);
    return last !== undefined && versions.get(uid) === last.object.metadata.resourceVersion;
  });
}

/** Reports whether the target, which may poll, has changed nothing for this long. */
function hasIdled({ quiescent, windowMs, unchangedMs = 0 }: Extended, forMs: number): boolean {
  return windowMs >= forMs && (quiescent || unchangedMs >= forMs);
}

/**
 * Returns the differences that earlier runs of the search have reported as errors after all probes, if undisturbed runs explain all others.
 * The probes would only be repeated: a finding is reported once, and its reproduction is judged in full.
 */
function knownViolated(history: History, found: readonly Difference[]): readonly Difference[] {
  const violated = lastProbe(history, 'known-violated')?.kinds ?? [];
  const excused = lastProbe(history, 'known-undisturbed')?.kinds ?? [];
  const left = found.filter((difference) => !excused.includes(kindOf(difference)));
  return left.every((difference) => violated.includes(kindOf(difference))) ? left : [];
}

function violated(
  history: History,
  found: readonly Difference[],
  kind: 'healed-late' | 'path-dependent' | 'left-note' | undefined,
  severity: Violation['severity'],
  note: string,
): CheckResult {
  const first = mostSignificant(found);
  if (first === undefined) return HOLDS;
  const { resource, path, uid } = first;
  const more = found.length === 1 ? '' : ` (and ${found.length - 1} more)`;
  const last = uid === undefined ? undefined : indexOf(history).chain(uid).at(-1);
  const early = first.what === 'extra-object' && severity === 'error' ? earlyRelease(history, uid) : undefined;
  const released =
    early === undefined
      ? ''
      : `; ${early.actor} removed its finalizer from ${indexOf(history).shortName(early)} (version ${early.revision}) while it was there`;
  const guilty = [early?.op, lastAttempt(history, first)].filter((id) => id !== undefined);
  // Names the cause rather than one of its many symptoms: without events the target cannot react.
  const [deaf, ...besides] = severity === 'error' ? watchesGivenUp(history) : [];
  const also = besides.length === 0 ? '' : `, nor is that of ${besides.map(({ resource: of }) => of).join(', ')}`;
  const cause = deaf === undefined ? '' : `; its watch of ${deaf.resource} ${deaf.what} and is not open again${also}`;
  const violation: Violation = {
    signature: {
      property: NAME,
      class: deaf === undefined ? (kind ?? first.what) : 'stopped-watching',
      actors: ['target'],
      kind: deaf?.resource ?? resource,
      field: deaf === undefined ? leafPattern(path) : '',
    },
    sentence: `controller ${describe(first, history)}${more}: ${note}${cause}${released}`,
    operations: guilty,
    revisions: [early, last].flatMap((one) => (one === undefined ? [] : [one.revision])),
    at: history.phases.at(-1)?.at ?? 0,
    severity,
  };
  return {
    result: 'violated',
    violations: [violation],
    ...(severity === 'error' ? { convicted: found.map(kindOf) } : {}),
  };
}

/**
 * Returns the difference that names the finding: that of the first object and its shallowest field, by name. Servers order the
 * fields of an object differently, and a finding must be the same on all of them.
 */
function mostSignificant(found: readonly Difference[]): Difference | undefined {
  const [first, ...rest] = found;
  if (first === undefined) return undefined;
  const depth = ({ path }: Difference): number => path.split(/[.[]/).length;
  return rest
    .filter(({ what, object }) => what === first.what && object === first.object)
    .reduce((best, other) => {
      const deeper = depth(other) - depth(best);
      return deeper < 0 || (deeper === 0 && other.path < best.path) ? other : best;
    }, first);
}

/** Matches a long item of a list of texts in a path. */
const LONG_ITEM = /(\["(?:[^"\\]|\\.){60})(?:[^"\\]|\\.)+"\]/g;

function describe({ what, object, resource, path: full, expected, actual }: Difference, history: History): string {
  const path = full.replaceAll(LONG_ITEM, '$1…"]');
  switch (what) {
    case 'missing-object': {
      const gone = history.revisions.findLast(
        (one) => one.type === 'DELETED' && one.resource === resource && indexOf(history).shortName(one) === object,
      );
      if (gone === undefined) return `never makes ${object}, which a fresh copy creates from the same input`;
      return `does not make ${object} again, which ${gone.actor} deleted (version ${gone.revision}) and a fresh copy creates`;
    }
    case 'extra-object':
      return `leaves ${object} behind, which a fresh copy does not have`;
    case 'wrong-value':
      if (actual === undefined) return `leaves ${object} without ${path}, which a fresh copy sets to ${text(expected)}`;
      if (expected === undefined)
        return `leaves ${object} with ${path} ${text(actual)}, which a fresh copy does not set`;
      return `leaves ${object} with ${path} ${text(actual)}, where a fresh copy sets ${text(expected)}`;
  }
}

/** Describes a difference with the same text for all objects of the kind, because reasons are counted. */
function inGeneral({ what, resource, path }: Difference): string {
  switch (what) {
    case 'missing-object':
      return `at the end ${resource} are missing that a fresh copy of the target creates from the same input`;
    case 'extra-object':
      return `at the end ${resource} are left that a fresh copy of the target does not have`;
    case 'wrong-value':
      return `at the end ${leafInWords(leafPattern(path))} of ${resource} is not what a fresh copy of the target sets`;
  }
}

const VALUE_MAX = 60;
const REFUSAL_MAX = 160;

function cut(refusal = ''): string {
  return refusal.length <= REFUSAL_MAX ? refusal : `${refusal.slice(0, REFUSAL_MAX - 1)}…`;
}

function text(value: JsonValue | undefined): string {
  const json = JSON.stringify(value ?? null);
  if (json.length <= VALUE_MAX) return json;
  return typeof value === 'string' ? `${json.slice(0, VALUE_MAX - 2)}…"` : `${json.slice(0, VALUE_MAX - 1)}…`;
}

/** Returns the id of the target's last request about the object. */
function lastAttempt(history: History, { resource, object, uid }: Difference): number | undefined {
  const index = indexOf(history);
  const known =
    uid === undefined
      ? history.revisions.find((one) => one.resource === resource && index.shortName(one) === object)
      : index.chain(uid)[0];
  const real = known?.name ?? object.slice(resource.length + 1);
  return history.operations.findLast(
    (operation) =>
      operation.actor.startsWith('controller') &&
      operation.resource === resource &&
      operation.verb !== 'watch' &&
      (known === undefined || operation.namespace === known.namespace || operation.namespace === '') &&
      (operation.name === real || operation.name === ''),
  )?.id;
}

function settleWindow({ settlement }: History): string {
  return settlement.result === 'quiescent' ? `${settlement.windowMs / 1000} s` : 'this run';
}

function ask(reason: string, ...needs: readonly ProbeRequest[]): CheckResult {
  return { result: 'inconclusive', reason, needs };
}
