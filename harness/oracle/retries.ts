/**
 * Retries without back-off, as distinguished from those with one.
 *
 * Owns: which spacing of failed attempts does not grow. Jitter, caps, bursts of a few tries inside one reconcile
 * (RetryOnConflict) and client-go's limiter around them must all pass. Start at {@link judgeStreak}.
 */
import type { Mark, Operation } from '../model/history.ts';
import { isWrite } from '../model/history.ts';
import { carriedVersion } from './base-content.ts';
import type { FailureStreak } from './failures.ts';

/**
 * `refused-version`: one and the same version, refused again and again, without a back-off or after the disturbance. `no-back-off`: the
 * spacing does not grow. `outlived-cause`: it does, but the disturbance is over and the answer will never be another.
 */
export type RetryFault = 'refused-version' | 'no-back-off' | 'outlived-cause';

/** Fewer failures may be a loop with a bound: RetryOnConflict gives up after 5. */
export const RETRIES_MIN = 8;
/** Spacing within this factor of itself is regular: jitter of client libraries stays below a fifth. */
const REGULAR_FACTOR = 1.5;
/** A fixed pause of that length is polite: kopf waits 60 s, many controllers 5, 10 or 30. */
const POLITE_GAP_MS = 5_000;
/** A read that asks a failing server again after so long costs it little: what a timer of a second measures as. */
const PATIENT_READ_MS = 950;
/** Of a second that the server asks for: clocks are read a little late, and show a little less. */
const ASKED_FACTOR_MS = 950;
/** A block holds at least one pause between two bursts of at most 5 tries. */
const BLOCK = 5;
/**
 * Irregular spacing is distinguished from bursts under a growing back-off only over many attempts: 8 reconciles of 5 tries. So many
 * conflicts in a row, each with a newer version, are no bad luck any more either.
 */
const IRREGULAR_MIN = 40;
/** The longest pauses of the later blocks must exceed that of the first by more than jitter can. */
const GROWTH = 1.3;
/** Refusals at rest after which the same answer is not news any more. */
const OUTLIVED_MIN = 8;

/**
 * Undefined for retries as they should be.
 *
 * @param rest When no other actor acts any more.
 * @param knows Whether the target could know by then that an attempt was in vain.
 */
export function judgeStreak(
  streak: FailureStreak,
  rest: Mark,
  knows: (attempt: Operation) => boolean,
): RetryFault | undefined {
  const { attempts, gapsMs } = streak;
  if (attempts.length < RETRIES_MIN) return undefined;
  const repeats = sameRefusal(attempts);
  const fresh = attempts.every(isConflict) && !repeats && attempts.length < IRREGULAR_MIN;
  const own = gapsMs.filter((gapMs, index) => !isAsked(gapMs, attempts[index]));
  // Each attempt carried a newer version and lost against a newer change: the cause is still there.
  if (!fresh && own.length >= RETRIES_MIN - 1 && (isRegular(own) || isUnbounded(own)))
    return repeats ? 'refused-version' : 'no-back-off';
  const late = attempts.filter((attempt) => attempt.invoked.at >= rest.at && knows(attempt));
  if (!streak.open || late.length < OUTLIVED_MIN || !late.every(isHopeless)) return undefined;
  // Named by its cause however it is paced: a busy machine makes any spacing irregular.
  return repeats ? 'refused-version' : 'outlived-cause';
}

/**
 * Whether a streak is reads that a failing server is asked for again after a second or more, as many a client's own informer does: worth
 * knowing, and no flood.
 */
export function isPatientRead({ attempts, gapsMs }: FailureStreak): boolean {
  const usual = gapsMs.toSorted((a, b) => a - b)[gapsMs.length >> 1] ?? 0;
  return usual >= PATIENT_READ_MS && attempts.every((attempt) => !isWrite(attempt.verb) && isServerFailure(attempt));
}

/** No answer, none but an error of the server's own, or a request to come back later. */
function isServerFailure({ outcome }: Operation): boolean {
  if (outcome.type !== 'fail') return outcome.type === 'info';
  return outcome.code === 0 || outcome.code === 429 || outcome.code >= 500;
}

/** Whether a pause is the one that the server asked for: client libraries then try again by themselves, as often as it asks. */
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

function isUnbounded(gapsMs: readonly number[]): boolean {
  if (gapsMs.length + 1 < IRREGULAR_MIN) return false;
  const longest: number[] = [];
  for (let at = 0; at < gapsMs.length; at += BLOCK) longest.push(Math.max(...gapsMs.slice(at, at + BLOCK)));
  const [first = 0] = longest;
  // On the wall's clock any one block may hold an accidental pause: what counts is most of the later half.
  const later = longest.slice(longest.length >> 1).toSorted((a, b) => a - b);
  const usual = later[later.length >> 1] ?? 0;
  return usual < POLITE_GAP_MS && usual <= first * GROWTH;
}

/** All attempts are updates that carried one version, and most were refused for it. */
function sameRefusal(attempts: readonly Operation[]): boolean {
  const [first] = attempts;
  const version = first === undefined ? undefined : carriedVersion(first);
  if (version === undefined || attempts.some((attempt) => carriedVersion(attempt) !== version)) return false;
  return attempts.filter(isConflict).length * 2 > attempts.length;
}

function isConflict({ outcome }: Operation): boolean {
  return outcome.type === 'fail' && outcome.code === 409;
}

/** Not found, or refused for a version or name: at rest only another request can change that. */
function isHopeless({ verb, outcome }: Operation): boolean {
  return isWrite(verb) && outcome.type === 'fail' && (outcome.code === 404 || outcome.code === 409);
}
