/**
 * Distinguishes retries without back-off from those with one.
 *
 * Owns: which intervals of failed attempts do not grow. Jitter, capped delays, bursts of a few tries within one reconcile (RetryOnConflict)
 * and client-go's rate limiter around such bursts must all pass. Start at {@link judgeStreak}.
 */
import { isAside } from '../model/aside.ts';
import type { History, Mark, Operation } from '../model/history.ts';
import { isWrite } from '../model/history.ts';
import { carriedVersion } from './base-content.ts';
import { findsExisting, type FailureStreak } from './failures.ts';
import { isOrdinaryIdle } from './rest.ts';

/**
 * `refused-version`: the same version is rejected again and again, without back-off or after the disturbance ended. `no-back-off`: the
 * intervals do not grow. `outlived-cause`: the intervals grow, but the disturbance is over and the answer will never change.
 */
export type RetryFault = 'refused-version' | 'no-back-off' | 'outlived-cause';

/** The fewest failures that are judged: a shorter streak may be a bounded loop, as RetryOnConflict gives up after 5. */
export const RETRIES_MIN = 8;
/** Intervals within this factor are regular: jitter of client libraries stays below a fifth. */
const REGULAR_FACTOR = 1.5;
/** After {@link RETRIES_MIN} failures, a back-off takes longer than this: one that begins with 5 ms and doubles takes 640 ms. */
const BACK_OFF_MIN_MS = 50;
/** A fixed interval of at least this length is acceptable: kopf waits 60 s, many controllers 5, 10 or 30. */
const POLITE_GAP_MS = 5_000;
/** Requests repeated at this interval cost a server little. The value is a one-second timer, as measured. */
const PATIENT_MS = 950;
/** In a poll, at least this share of the intervals are alike; the others are due to events in between. */
const POLL_SHARE = 0.75;
/**
 * The shortest interval in ms per second of Retry-After: clocks are read with a delay, so a measured interval may be slightly shorter than
 * a second.
 */
const ASKED_FACTOR_MS = 950;
/** The number of attempts in a block: at least one pause between two bursts of at most 5 tries falls into it. */
const BLOCK = 5;
/**
 * Only many attempts distinguish irregular intervals from bursts under a growing back-off: 8 reconciles of 5 tries. This many conflicts in
 * a row, each with a newer version, are also more than bad luck.
 */
const IRREGULAR_MIN = 40;
/** The longest pauses of the later blocks must exceed that of the first by this factor, more than jitter can. */
const GROWTH = 1.3;
/** The number of rejections at rest after which the target must know that the answer will not change. */
const OUTLIVED_MIN = 8;

/**
 * Returns the fault of a streak of retries; undefined if the retries are acceptable.
 *
 * @param rest - The moment after which no other actor acts.
 * @param knows - Reports whether the target could know, by the time of an attempt, that the attempt would fail.
 */
export function judgeStreak(
  history: History,
  streak: FailureStreak,
  rest: Mark,
  knows: (attempt: Operation) => boolean,
): RetryFault | undefined {
  const { attempts, gapsMs } = streak;
  if (attempts.length < RETRIES_MIN) return undefined;
  const repeats = sameRefusal(attempts);
  const fresh = attempts.every(isConflict) && !repeats && attempts.length < IRREGULAR_MIN;
  const own = gapsMs.filter((gapMs, index) => !isAsked(gapMs, attempts[index]));
  // If each attempt carried a newer version and lost against a newer change, the cause still exists.
  const backsOff = (): boolean => !isUnbounded(own) && (!isRegular(own) || mayBackOff(silencesOf(history, attempts)));
  if (!fresh && own.length >= RETRIES_MIN - 1 && !backsOff()) return repeats ? 'refused-version' : 'no-back-off';
  const late = attempts.filter((attempt) => attempt.invoked.at >= rest.at && knows(attempt));
  if (!streak.open || late.length < OUTLIVED_MIN || !late.every(isHopeless)) return undefined;
  // The cause decides which fault is reported, whatever the intervals: a busy machine makes any interval irregular.
  return repeats ? 'refused-version' : 'outlived-cause';
}

/**
 * Reports whether a streak consists of requests that cost the server little and are sent after a second or more: retries that end, by success
 * or before the target is at rest, for example once a watch is no longer late; reads that are retried at a failing server, as many clients'
 * informers do; creates with which a polling target checks each time that an object exists; or what the target does at rest in undisturbed
 * runs too. This is worth a warning, but does not flood the server.
 */
export function isPatient(history: History, { attempts, gapsMs, open }: FailureStreak, rest: Mark): boolean {
  const usual = gapsMs.toSorted((a, b) => a - b)[gapsMs.length >> 1] ?? 0;
  if (usual < PATIENT_MS) return false;
  const late = attempts.filter((attempt) => attempt.invoked.at >= rest.at);
  const [first] = late;
  const last = late.at(-1);
  if (!open || first === undefined || last === undefined) return true;
  if (isOrdinaryIdle(history, late, last.invoked.timeMs - first.invoked.timeMs + usual)) return true;
  if (attempts.every(findsExisting)) {
    // A poll has one interval; retries that back off have many.
    const alike = gapsMs.filter((gap) => gap <= usual * REGULAR_FACTOR && gap * REGULAR_FACTOR >= usual);
    return alike.length >= gapsMs.length * POLL_SHARE;
  }
  return attempts.every((attempt) => !isWrite(attempt.verb) && isServerFailure(attempt));
}

/** Reports whether an attempt got no answer, a server error, or an answer that asks to retry later. */
function isServerFailure({ outcome }: Operation): boolean {
  if (outcome.type !== 'fail') return outcome.type === 'info';
  return outcome.code === 0 || outcome.code === 429 || outcome.code >= 500;
}

/**
 * Reports whether a pause is as long as `Retry-After` requested; client libraries then retry by themselves, as often as the server asks.
 */
function isAsked(gapMs: number, attempt: Operation | undefined): boolean {
  if (attempt?.outcome.type !== 'fail') return false;
  const { retryAfterSeconds } = attempt.outcome;
  return retryAfterSeconds !== undefined && gapMs >= retryAfterSeconds * ASKED_FACTOR_MS;
}

function isRegular(gapsMs: readonly number[]): boolean {
  const shortest = Math.min(...gapsMs);
  const longest = Math.max(...gapsMs);
  return longest < POLITE_GAP_MS && longest <= shortest * REGULAR_FACTOR;
}

/**
 * Returns for how long the target sends nothing after each attempt but the last, in ms of run time. A back-off is such a silence: the interval
 * between attempts also contains the other requests of a try, and client-go lets only five requests a second pass. Intervals that are regular
 * for that reason hide a back-off that grows.
 */
function silencesOf({ operations }: History, attempts: readonly Operation[]): readonly number[] {
  const [first] = attempts;
  const last = attempts.at(-1);
  if (first === undefined || last === undefined) return [];
  const own = operations.filter(
    ({ actor, verb, resource, invoked }) =>
      actor === first.actor &&
      verb !== 'watch' &&
      !isAside(resource) &&
      invoked.at > first.invoked.at &&
      invoked.at <= last.invoked.at,
  );
  return attempts.slice(0, -1).map(({ invoked, answered }) => {
    const from = answered ?? invoked;
    const next = own.find((operation) => operation.invoked.at > from.at);
    return (next ?? last).invoked.timeMs - from.timeMs;
  });
}

/** Reports whether silences grow, and become long enough for a back-off. */
function mayBackOff(silencesMs: readonly number[]): boolean {
  const half = silencesMs.length >> 1;
  const [early, late] = [Math.max(...silencesMs.slice(0, half)), Math.max(...silencesMs.slice(half))];
  return late > BACK_OFF_MIN_MS && late > early * GROWTH;
}

function isUnbounded(gapsMs: readonly number[]): boolean {
  if (gapsMs.length + 1 < IRREGULAR_MIN) return false;
  const longest: number[] = [];
  for (let at = 0; at < gapsMs.length; at += BLOCK) longest.push(Math.max(...gapsMs.slice(at, at + BLOCK)));
  const [first = 0] = longest;
  // In real time, any single block may contain an accidental pause, so the median of the later half counts.
  const later = longest.slice(longest.length >> 1).toSorted((a, b) => a - b);
  const usual = later[later.length >> 1] ?? 0;
  return usual < POLITE_GAP_MS && usual <= first * GROWTH;
}

/** Reports whether all attempts are updates with the same version, most of which were rejected because of it. */
function sameRefusal(attempts: readonly Operation[]): boolean {
  const [first] = attempts;
  const version = first === undefined ? undefined : carriedVersion(first);
  if (version === undefined || attempts.some((attempt) => carriedVersion(attempt) !== version)) return false;
  return attempts.filter(isConflict).length * 2 > attempts.length;
}

function isConflict({ outcome }: Operation): boolean {
  return outcome.type === 'fail' && outcome.code === 409;
}

/**
 * Reports whether a write failed because the object was missing, or because of a version or name; at rest, only a different request can
 * succeed.
 */
function isHopeless({ verb, outcome }: Operation): boolean {
  return isWrite(verb) && outcome.type === 'fail' && (outcome.code === 404 || outcome.code === 409);
}
