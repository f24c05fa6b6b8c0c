/**
 * Streaks of failures: the same request for the same object, rejected again and again.
 *
 * Owns: what counts as the same request and as a failure. Does not own: which streaks are too fast (`properties/bounded-rate.ts`).
 */
import { roleOf } from '../model/actor.ts';
import type { History, Operation } from '../model/history.ts';
import { isWrite } from '../model/history.ts';
import { partsOf } from '../model/label.ts';
import { lacksKubelet } from './for-kubelet.ts';

export interface FailureStreak {
  /** Consecutive failed attempts, oldest first. */
  readonly attempts: readonly Operation[];
  /** The run time between each attempt and the next. */
  readonly gapsMs: readonly number[];
  /** True if no later attempt succeeded. */
  readonly open: boolean;
  /** The later attempt that succeeded, if any. */
  readonly endedBy?: Operation;
}

/** Returns all streaks of the target's failures, in order of their first failure. Most histories have none or short ones. */
export function failureStreaks(history: History): readonly FailureStreak[] {
  let open: Map<string, Operation[]> | undefined;
  const streaks: Operation[][] = [];
  const ended = new Map<readonly Operation[], Operation>();
  for (const operation of history.operations) {
    if (operation.verb === 'watch' || roleOf(operation.actor) !== 'target' || lacksKubelet(operation)) continue;
    if (!isFailure(operation)) {
      if (open === undefined || operation.outcome.type !== 'ok') continue;
      const key = keyOf(operation);
      const over = open.get(key);
      if (over !== undefined) ended.set(over, operation);
      open.delete(key);
      continue;
    }
    open ??= new Map();
    const key = keyOf(operation);
    const attempts = open.get(key);
    if (attempts === undefined) {
      const fresh = [operation];
      open.set(key, fresh);
      streaks.push(fresh);
    } else attempts.push(operation);
  }
  return streaks.map((attempts): FailureStreak => {
    const endedBy = ended.get(attempts);
    return {
      attempts,
      gapsMs: gapsOf(attempts),
      open: endedBy === undefined,
      ...(endedBy === undefined ? {} : { endedBy }),
    };
  });
}

/**
 * Returns the parts of a streak in which only the failure itself triggered the next attempt. A watch event in between is a separate reason
 * to reconcile: the attempts that it triggers are not retries.
 */
export function unprompted({ deliveries }: History, streak: FailureStreak): readonly FailureStreak[] {
  const { attempts, open } = streak;
  const stretches: Operation[][] = [];
  let next = 0;
  for (const attempt of attempts) {
    let prompted = stretches.length === 0;
    for (; (deliveries[next]?.at ?? Number.POSITIVE_INFINITY) < attempt.invoked.at; next++) {
      if (deliveries[next]?.actor === attempt.actor) prompted = true;
    }
    if (prompted) stretches.push([attempt]);
    else stretches.at(-1)?.push(attempt);
  }
  return stretches.map((stretch, index) => ({
    attempts: stretch,
    gapsMs: gapsOf(stretch),
    open: open && index === stretches.length - 1,
  }));
}

/** Reports whether an operation failed. A read of a missing object is an answer, not a failure; a rejected write is a failure. */
function isFailure({ verb, outcome }: Operation): boolean {
  if (outcome.type === 'info') return true;
  if (outcome.type !== 'fail') return false;
  return isWrite(verb) || (outcome.code !== 404 && outcome.code !== 410);
}

/**
 * Returns what is the same in repeated requests: the label without its number. For a create with generateName, the number in the name is
 * dropped too, since it grows with each attempt; in other requests that number identifies the object.
 */
export function keyOf({ label, verb }: Operation): string {
  const { stem } = partsOf(label);
  return verb === 'create' ? stem.replace(/~\d+$/, '') : stem;
}

/**
 * Returns the name of the object that a request is about. The path of a create has none, but its label does, with a number in place of a
 * generated name.
 */
export function nameIn({ label, verb, name }: Operation): string {
  return name === '' && verb === 'create' ? (partsOf(label).rest.at(-1) ?? '') : name;
}

/** Reports whether a create was refused because the object exists, so that there is nothing left to create. */
export function findsExisting({ verb, outcome }: Operation): boolean {
  return verb === 'create' && outcome.type === 'fail' && outcome.reason === 'AlreadyExists';
}

/** Returns the run time, in ms, between each attempt and the next. */
export function gapsOf(attempts: readonly Operation[]): readonly number[] {
  return attempts.slice(1).map(({ invoked }, index) => invoked.timeMs - (attempts[index]?.invoked.timeMs ?? 0));
}
