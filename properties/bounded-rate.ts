/**
 * P3, bounded rate: at rest the target is quiet, its retries back off, and it does not fight with other writers.
 *
 * Owns: how much activity at rest is too much, and its cause. The cause of a loop is found by withholding the target's own
 * writes from its watches: if the target falls silent, it triggers itself; if the period stays the same, a timer does. Polls
 * and heartbeats are compared with the idle activity in the references. Suspicious runs get a longer settle phase first, unless
 * virtual time did not pass.
 */
import type { CheckResult, Violation } from '../harness/model/check-result.ts';
import { HOLDS } from '../harness/model/check-result.ts';
import type { History, Operation } from '../harness/model/history.ts';
import { isWrite } from '../harness/model/history.ts';
import type { ProbeRequest, ProbeResult } from '../harness/model/probe.ts';
import { expiredAgain, type ExpiredAgain } from '../harness/oracle/expired-watches.ts';
import { failureStreaks, unprompted } from '../harness/oracle/failures.ts';
import type { FailureStreak } from '../harness/oracle/failures.ts';
import { findFights } from '../harness/oracle/fights.ts';
import type { Fight } from '../harness/oracle/fights.ts';
import { couldHear, madeForTheGone } from '../harness/oracle/open-watches.ts';
import type { Property } from '../harness/oracle/property.ts';
import {
  activityAfter,
  goesOn,
  isLock,
  isOrdinaryIdle,
  lastItemsFrom,
  laterHalf,
  mostFrequent,
  restStart,
  roundsOf,
  suspectSettleMs,
  usualSettleMs,
} from '../harness/oracle/rest.ts';
import { isPatient, judgeStreak, RETRIES_MIN } from '../harness/oracle/retries.ts';
import { isActive } from './exercised.ts';

const NAME = 'bounded-rate';
/** The number of requests at rest without a pause that count as a hot loop, if most of them repeat. */
const HOT_REQUESTS_MIN = 40;
/**
 * The end of a hot loop is examined over at least this time and over all items that ran without a pause, because a busy machine may take a
 * second for a request.
 */
const HOT_SPAN_MS = 5_000;
/** How often a request must occur to belong to a loop; if there are few requests, an eighth of their number is enough. */
const REPEATS_MIN = 8;
/**
 * Minimum number of requests for a pattern: one write at rest may be the last step of converging; three in the second half are
 * a pattern.
 */
const HABIT_MIN = 3;
/** Maximum period of a busy loop: a requeue this frequent counts as a busy loop, even if it also occurs in the references. */
const SHORT_PERIOD_MS = 1_000;
/** After this time without silence, a busy loop is proven. */
const SHORT_SEEN_MS = 8_000;
/** The number of equal intervals in a row that prove a period. */
const SHORT_MIN = 10;
/** Minimum number of children created for a deleted owner: one or two may be in flight when the owner is deleted. */
const DEAF_MIN = 5;
/** Maximum number of requests that a finding names. */
const NAMED_MAX = 10;
/** A loop that triggers itself falls silent if its own writes are withheld: at most this share of the activity may remain. */
const SILENT_SHARE = 0.25;
const SILENT_MAX = 3;

type Settled = Extract<ProbeResult, { probe: 'extended-settle' }>;

export const boundedRate: Property = {
  name: NAME,
  id: 'P3',
  kind: 'safety',
  about: 'at rest the target is quiet, its retries back off, and it does not fight with another writer',
  comparesRuns: ['busy-at-rest'],
  check,
  countsRounds: true,
  exercised: isActive,
};

function check(history: History): CheckResult {
  const violations: Violation[] = [];
  const rest = restStart(history);
  for (const streak of failureStreaks(history)) {
    if (streak.attempts.length < RETRIES_MIN) continue;
    for (const stretch of unprompted(history, streak)) {
      const violation = retryViolation(history, stretch, rest);
      if (violation !== undefined) violations.push(violation);
    }
  }
  for (const fight of findFights(history)) violations.push(fightViolation(fight));
  for (const again of expiredAgain(history)) violations.push(expiredViolation(again));
  const deaf = deafLoop(history, rest);
  if (deaf !== undefined) violations.push(deaf);
  const atRest = judgeRest(history);
  // A retry loop or fight is the cause of the activity, so there is no second finding for it.
  if (violations.some(({ severity }) => severity === 'error')) return { result: 'violated', violations };
  if (atRest.result === 'violated') return { result: 'violated', violations: [...violations, ...atRest.violations] };
  if (atRest.result === 'inconclusive' || violations.length === 0) return atRest;
  return { result: 'violated', violations };
}

function judgeRest(history: History): CheckResult {
  switch (history.settlement.result) {
    case 'never-started':
      return { result: 'inconclusive', reason: 'the target never started: there was nothing to look at' };
    case 'cut-short':
      return { result: 'inconclusive', reason: `the run was cut short: ${history.settlement.detail}` };
    case 'hot-instant':
      return judgeHotInstant(history, history.settlement.steps);
    case 'quiescent':
      return judgeShortRequeue(history);
    case 'steps-exceeded':
    case 'time-exceeded':
      return judgeUnrest(history);
  }
}

/** Finds children created at rest for a deleted owner while no watch could deliver the deletion. Only judges runs that came to rest. */
function deafLoop(history: History, rest: ReturnType<typeof restStart>): Violation | undefined {
  if (history.settlement.result !== 'quiescent') return undefined;
  const made = madeForTheGone(history, rest);
  const [first] = made;
  if (first === undefined || made.length < DEAF_MIN) return undefined;
  return {
    signature: { property: NAME, class: 'deaf-loop', actors: ['target'], kind: first.resource, field: '' },
    sentence:
      `${first.actor} created ${first.resource} ${made.length} times at rest for an owner that was gone: ` +
      'its watch on the owner was down; the loop stopped after it reconnected',
    operations: made.slice(0, NAMED_MAX).map(({ op }) => op),
    revisions: made.slice(0, NAMED_MAX).map(({ revision }) => revision),
    at: made[Math.min(made.length, NAMED_MAX) - 1]?.at ?? first.at,
    severity: 'warning',
  };
}

/**
 * Judges activity during which no timer fired. Then only requests advance the run time, so a longer settle phase could not show
 * more.
 */
function judgeHotInstant(history: History, steps: number): CheckResult {
  const activity = activityAfter(history, restStart(history));
  const last = activity.at(-1);
  const from = lastItemsFrom(history, steps);
  const hot = activity.filter(
    ({ invoked }) => invoked.at >= from || invoked.timeMs > (last?.invoked.timeMs ?? 0) - HOT_SPAN_MS,
  );
  if (last === undefined || hot.length < HOT_REQUESTS_MIN) {
    const reason = `the run never came to rest, but only ${hot.length} of the last requests were the target’s: too few to call it a loop of its own`;
    return { result: 'inconclusive', reason };
  }
  if (!isRepeated(hot)) {
    const reason = `the run never came to rest, but of the last ${hot.length} requests of the target most were different ones: that may be one long reconcile`;
    return { result: 'inconclusive', reason };
  }
  const writes = hot.filter(({ verb, committed }) => isWrite(verb) && committed.length > 0);
  if (writes.length >= HABIT_MIN) return judgeWrites(history, writes, 'hot-loop', 'as fast as it is answered');
  return rateViolation(history, 'hot-loop', hot, `sends ${hot.length} requests as fast as it is answered`);
}

/** Reports whether requests repeat, as those of a loop do; a single reconcile of a large operator may also make a hundred requests. */
function isRepeated(requests: readonly Operation[]): boolean {
  const often = Math.min(REPEATS_MIN, requests.length / REPEATS_MIN);
  const counts = Map.groupBy(requests, ({ verb, resource, namespace, name, query }) =>
    JSON.stringify([verb, resource, namespace, verb === 'create' ? '' : name, query]),
  );
  const repeated = [...counts.values()].reduce((sum, { length }) => (length >= often ? sum + length : sum), 0);
  return repeated >= requests.length / 2;
}

/** Judges a target that came to rest, but may continue with reads that do not count as activity. */
function judgeShortRequeue(history: History): CheckResult {
  if (activityAfter(history, restStart(history)).length < HABIT_MIN) return HOLDS;
  const half = laterHalf(history);
  if (half === undefined) return HOLDS;
  const longest = longestSettle(history);
  const seen = longest !== undefined && longest.windowMs >= SHORT_SEEN_MS ? longest.laterHalf : undefined;
  if (!isShortPeriod(half) && (seen === undefined || !isShort(seen))) {
    const polls = (history.reference?.idle.requestsPerMinute ?? 0) >= 60_000 / SHORT_PERIOD_MS;
    if (!polls || seen !== undefined || !isSuspect(half)) return HOLDS;
    const needs: ProbeRequest[] = [{ probe: 'extended-settle', windowMs: SHORT_SEEN_MS }];
    return {
      result: 'inconclusive',
      reason:
        'the target sends many reads while nothing changes, and no longer run was available to show whether it continues',
      needs,
    };
  }
  const pace = paceText(seen !== undefined && isShort(seen) && !isShortPeriod(half) ? seen : pacing(half));
  return rateViolation(
    history,
    'short-requeue',
    half.activity.length > 0 ? half.activity : activityAfter(history, restStart(history)),
    `sends requests ${pace} although nothing else happens`,
  );
}

/** Reports whether requests repeat as fast as those of a busy loop; for a few requests this may be chance. */
function isSuspect({ activity, spanMs }: Half): boolean {
  const rounds = roundsOf(activity);
  return rounds >= HABIT_MIN && spanMs / rounds <= SHORT_PERIOD_MS;
}

function judgeUnrest(history: History): CheckResult {
  const half = laterHalf(history);
  if (half === undefined)
    return {
      result: 'inconclusive',
      reason: 'the run ended as soon as the disturbance did: there was no time at rest to look at',
    };
  const { activity, spanMs } = half;
  const late = activity.filter(({ verb }) => isWrite(verb));
  const windowMs = suspectSettleMs(history);
  const longest = longestSettle(history);
  // After activity for this long, waiting longer cannot bring silence.
  const proven = longest !== undefined && longest.windowMs >= SHORT_SEEN_MS && longest.laterHalf !== undefined;
  const short = isShortPeriod(half) || (proven && isShort(longest.laterHalf));
  const suspect = !proven && isSuspect(half);
  // In real time, the later half may be too short for more than one write of a loop.
  const isTooFew = short && late.length > 0 && late.length < HABIT_MIN;
  const writes = isTooFew ? activityAfter(history, restStart(history)).filter(({ verb }) => isWrite(verb)) : late;
  if (!short && !suspect && isOrdinaryIdle(history, activity, spanMs)) return HOLDS;
  const believed = longest !== undefined && (longest.windowMs >= windowMs || (proven && isShort(longest.laterHalf)));
  const extended = believed ? longest : undefined;
  // A pause this long shows that the pauses grow: a work queue goes on for many minutes, with doubled pauses.
  const hasPaused = hasRested(history) && !(proven && isShort(longest.laterHalf));
  // A target that polls is never silent. It has come to rest where it does no more than it does undisturbed.
  const isUsual = extended?.laterHalf?.ordinary === true && !short;
  if (extended?.quiescent === true || hasPaused || isUsual) return HOLDS;
  // A run that reached its step limit would reach it again.
  const enough = history.settlement.result === 'steps-exceeded';
  if (extended === undefined && !enough) {
    const needs: ProbeRequest[] = [{ probe: 'extended-settle', windowMs }];
    if (writes.length >= HABIT_MIN) needs.push({ probe: 'withheld-echo' });
    return {
      result: 'inconclusive',
      reason:
        'the target still sends requests after the disturbance has ended, and no longer run was available to show whether it stops',
      needs,
    };
  }
  const proof = proven && !isShortPeriod(half) && isShort(longest.laterHalf) ? longest.laterHalf : pacing(half);
  const every = paceText(proof);
  if (writes.length >= HABIT_MIN) return judgeWrites(history, writes, short ? 'short-requeue' : 'busy-at-rest', every);
  if (short)
    return rateViolation(history, 'short-requeue', activity, `sends requests ${every} although nothing else happens`);
  return activity.length < HABIT_MIN
    ? {
        result: 'inconclusive',
        reason: `the target sent ${activity.length} requests while nothing else changed: too few to distinguish a habit from the end of its work`,
      }
    : rateViolation(history, 'busy-at-rest', activity, `sends requests ${every} at rest, ${idleText(history)}`);
}

/** Judges writes at rest: triggered by their own watch events, or by a timer. */
function judgeWrites(history: History, writes: readonly Operation[], otherwise: string, pace: string): CheckResult {
  const withheld = history.probes.find((result) => result.probe === 'withheld-echo');
  if (withheld === undefined) {
    const reason = 'the target writes while nothing else changes, and no further run showed what triggers it';
    return { result: 'inconclusive', reason, needs: [{ probe: 'withheld-echo' }] };
  }
  // A write that changes nothing causes no watch event.
  const total = activityAfter(history, restStart(history)).filter(hasEcho).length;
  const silent = withheld.writesAtRest <= Math.max(SILENT_MAX, total * SILENT_SHARE);
  if (total >= HABIT_MIN && silent && withheld.writesAtRest < total / 2) {
    const what = `writes ${writes.length} times at rest, ${pace}, and stops when its own writes are not delivered to it`;
    return rateViolation(
      history,
      'self-triggered-writes',
      writes.some(hasEcho) ? writes.filter(hasEcho) : writes,
      what,
    );
  }
  const what = `writes ${writes.length} times at rest, ${pace}, also when its own writes are not delivered to it; ${idleText(history)}`;
  return rateViolation(history, otherwise, writes, what);
}

function hasEcho({ committed }: Operation): boolean {
  return committed.length > 0;
}

type Half = NonNullable<ReturnType<typeof laterHalf>>;

function isShortPeriod(half: Half): boolean {
  return isShort(pacing(half));
}

function pacing({ activity, fromMs, spanMs }: Half): NonNullable<Settled['laterHalf']> {
  return { requests: activity.length, rounds: roundsOf(activity), spanMs, goesOn: goesOn(activity, fromMs, spanMs) };
}

/** Describes the period, such as `every 500 ms`; without requests there is no period. */
function paceText({ requests, spanMs }: NonNullable<Settled['laterHalf']>): string {
  return requests === 0 ? 'now and then' : `every ${Math.round(spanMs / requests)} ms`;
}

/**
 * Reports whether a period is short. A single late burst, for instance a write for each child, does not count as a period, nor do the
 * different requests of one round.
 */
function isShort({ requests, rounds = requests, spanMs, goesOn: lasting }: NonNullable<Settled['laterHalf']>): boolean {
  return rounds >= SHORT_MIN && spanMs / rounds <= SHORT_PERIOD_MS && lasting;
}

function idleText({ reference }: History): string {
  const { requestsPerMinute = 0, writesPerMinute = 0 } = reference?.idle ?? {};
  return `the undisturbed runs sent ${round(requestsPerMinute)} requests and ${round(writesPerMinute)} writes a minute when idle`;
}

/** Returns `pods/web-0`, `pods`, or the path of a request that is about no resource: `/healthz`. */
function objectText({ resource, name }: { readonly resource: string; readonly name: string }): string {
  return name === '' || resource === '' ? `${resource}${name}` : `${resource}/${name}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function rateViolation(history: History, kind: string, about: readonly Operation[], what: string): CheckResult {
  if (about.length === 0) {
    const reason = 'the target is busy in a longer run at rest, but in this run it sent no request that could be named';
    return { result: 'inconclusive', reason };
  }
  const { verb, resource, field, name } = mostFrequent(history, about);
  const object = objectText({ resource, name });
  const [first] = about;
  const last = about.at(-1);
  const violation: Violation = {
    signature: { property: NAME, class: kind, actors: ['target'], kind: resource, field },
    sentence: `${first?.actor ?? 'controller'} ${what}: ${verb} of ${object}${field === '' ? '' : ` changing ${field}`}`,
    operations: about.slice(0, NAMED_MAX).map(({ id }) => id),
    revisions: about.flatMap(({ committed }) => committed).slice(0, NAMED_MAX),
    at: about[NAMED_MAX - 1]?.invoked.at ?? last?.invoked.at ?? 0,
    severity: 'error',
  };
  return { result: 'violated', violations: [violation] };
}

const RETRY_TEXT = {
  'refused-version': 'keeps sending the same refused version without reading the object again',
  'no-back-off': 'repeats a failing request and the pauses do not grow',
  'outlived-cause': 'keeps repeating a request at rest that can no longer succeed',
} as const;

function retryViolation(
  history: History,
  streak: FailureStreak,
  rest: ReturnType<typeof restStart>,
): Violation | undefined {
  const fault = judgeStreak(history, streak, rest, (attempt) => couldHear(history, attempt, attempt.invoked.at));
  const { attempts, gapsMs } = streak;
  const [first] = attempts;
  const last = attempts.at(-1);
  if (fault === undefined || first === undefined || last === undefined) return undefined;
  const isUnhurried = isPatient(history, streak, rest);
  // A leader tries to renew its lock at one pace until it gives up, as client libraries do.
  if (isUnhurried && isLock(first, history.reference?.locks ?? [])) return undefined;
  const { outcome } = last;
  const answer = outcome.type === 'fail' ? `${outcome.code} ${outcome.reason}`.trim() : 'no answer';
  return {
    signature: { property: NAME, class: fault, actors: ['target'], kind: first.resource, field: '' },
    sentence:
      `${first.actor} ${RETRY_TEXT[fault]}: ${attempts.length} times ${first.verb} of ${objectText(first)} ` +
      `answered ${answer}, pauses of ${gapsMs.slice(0, 4).join(', ')} … ${gapsMs.at(-1) ?? 0} ms`,
    operations: attempts.slice(0, NAMED_MAX).map(({ id }) => id),
    revisions: [],
    at: attempts[Math.min(attempts.length, NAMED_MAX) - 1]?.answered?.at ?? last.invoked.at,
    severity: isUnhurried ? 'warning' : 'error',
  };
}

function expiredViolation({ actor, resource, version, watches }: ExpiredAgain): Violation {
  const named = watches.slice(0, NAMED_MAX);
  return {
    signature: { property: NAME, class: 'expired-version', actors: ['target'], kind: resource, field: '' },
    sentence: `${actor} watched ${resource} ${watches.length} times from version ${version}, which is gone, without listing again`,
    operations: named.map(({ id }) => id),
    revisions: [],
    at: named.at(-1)?.invoked.at ?? 0,
    severity: 'error',
  };
}

function fightViolation({ revisions, path, actors, values, severity }: Fight): Violation {
  const [first] = revisions;
  const last = revisions.at(-1);
  return {
    signature: {
      property: NAME,
      class: 'fight',
      actors,
      kind: first?.resource ?? '',
      field: path,
    },
    sentence:
      `${revisions
        .slice(0, 2)
        .map(({ actor }) => actor)
        .join(' and ')} keep setting ${path} of ${first?.resource ?? ''}/${first?.name ?? ''} ` +
      `to ${values.map((value) => JSON.stringify(value ?? null)).join(' and ')} in turn, ${revisions.length} times`,
    operations: revisions.map(({ op }) => op),
    revisions: revisions.map(({ revision }) => revision),
    at: last?.at ?? 0,
    severity,
  };
}

/** Reports whether the target was silent for as long as a suspect usually has to be, even if it went on later. */
function hasRested(history: History): boolean {
  return history.probes.some(
    (probe) => probe.probe === 'extended-settle' && probe.quiescent && probe.windowMs >= usualSettleMs(history),
  );
}

/** Returns the longest extended settle phase so far. */
function longestSettle(history: History): Settled | undefined {
  return history.probes.findLast((probe) => probe.probe === 'extended-settle');
}
