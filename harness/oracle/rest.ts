/**
 * Rest: the part of a run in which no other actor disturbs the target, and what the target does in it.
 *
 * Owns: when rest begins, which requests count as activity. Does not own: how much is too much (`properties/bounded-rate.ts`).
 */
import { OUTSIDE_PATH } from 'stalemate-apiserver/wire/outside-path';
import { isEvent, isLease } from '../model/aside.ts';
import type { CheckResult } from '../model/check-result.ts';
import { roleOf } from '../model/actor.ts';
import type { History, Mark, Operation, Revision } from '../model/history.ts';
import type { ProbeResult } from '../model/probe.ts';
import { isWrite } from '../model/history.ts';
import { leafPattern } from '../model/leaf.ts';
import { indexOf } from './history-index.ts';
import { connects, lacksKubelet } from './for-kubelet.ts';
import { failureStreaks, gapsOf, keyOf, nameIn, type FailureStreak } from './failures.ts';
import { lockHolder } from './leadership.ts';

/**
 * Returns the start of rest, the latest of three moments: the start of the settle phase, the last change by the user or a writer, and the
 * time when an incarnation of the target became leader, since it had to wait until then. Infinity if the run never settled. Environment
 * controllers at rest mostly react to the target, so their changes do not postpone rest.
 */
export function restStart({ phases, revisions }: Pick<History, 'phases' | 'revisions'>): Mark {
  const settle = phases.find((mark) => mark.phase === 'settle');
  if (settle === undefined) return { at: Number.POSITIVE_INFINITY, timeMs: Number.POSITIVE_INFINITY };
  for (let index = revisions.length - 1; index >= 0; index--) {
    const revision = revisions[index];
    if (revision === undefined || revision.at < settle.at) break;
    const role = roleOf(revision.actor);
    if (role === 'user' || role === 'writer') return revision;
    if (role === 'target' && takesLead(revision)) return revision;
  }
  return settle;
}

function takesLead({ object, before }: Revision): boolean {
  const holder = lockHolder(object);
  return holder !== undefined && holder !== '' && (before === undefined || lockHolder(before) !== holder);
}

/** Returns the run time in ms at the end of the run. */
export function endMs({ phases }: Pick<History, 'phases'>): number {
  return phases.at(-1)?.timeMs ?? 0;
}

/**
 * Returns the target's requests after a moment that count as activity: without watches, locks, and requests that a kubelet would have
 * answered.
 */
export function activityAfter(history: History, since: Mark): readonly Operation[] {
  const { operations } = history;
  let first = operations.length;
  while (first > 0 && (operations[first - 1]?.invoked.at ?? -1) >= since.at) first--;
  if (first === operations.length) return [];
  const locks = history.reference?.locks ?? [];
  return operations
    .slice(first)
    .filter(
      (operation) =>
        operation.verb !== 'watch' &&
        roleOf(operation.actor) === 'target' &&
        !isLock({ resource: operation.resource, name: nameIn(operation) }, locks) &&
        !lacksKubelet(operation),
    );
}

/** Returns the ticks of a run's items: requests that reached the server, answers and watch events that reached an actor. */
function itemTicks({ operations, deliveries }: History): readonly number[] {
  const answers = operations.flatMap(({ sent, answered }) =>
    [sent, answered].flatMap((mark) => (mark === undefined ? [] : [mark.at])),
  );
  return [...deliveries.map(({ at }) => at), ...answers];
}

/** Returns the tick at which the last `count` items of a run begin. */
export function lastItemsFrom(history: History, count: number): number {
  return itemTicks(history).toSorted((a, b) => b - a)[count - 1] ?? 0;
}

/** Returns the number of items before a tick. */
export function itemsUntil(history: History, at: number): number {
  return itemTicks(history).filter((tick) => tick < at).length;
}

/** Returns the second half of the time at rest: in the first, the target may still converge. Undefined if no time passed. */
export function laterHalf(
  history: History,
): { readonly activity: readonly Operation[]; readonly fromMs: number; readonly spanMs: number } | undefined {
  const since = restStart(history);
  const end = Math.max(endMs(history), silentUntilMs(history, since));
  const fromMs = (since.timeMs + end) / 2;
  if (!(fromMs < end)) return undefined;
  const activity = activityAfter(history, since).filter((operation) => operation.invoked.timeMs >= fromMs);
  return { activity, fromMs, spanMs: end - fromMs };
}

/**
 * Returns the run time in ms until which the target is known to be silent, in a run that came to rest. In virtual time such a run ends at
 * once if no timer is due within its window: the window has not passed, but nothing would have happened in it.
 */
function silentUntilMs({ settlement, revisions, reference }: History, since: Mark): number {
  if (settlement.result !== 'quiescent') return 0;
  const locks = reference?.locks ?? [];
  const last = revisions.findLast((revision) => !isLock(revision, locks));
  return Math.max(since.timeMs, last?.timeMs ?? 0) + settlement.windowMs;
}

/**
 * Reports whether an object is a lock. Locks are recognised by their behaviour in the references; a Lease is always one, since client
 * libraries lock with it.
 */
export function isLock({ resource, name }: Pick<Operation, 'resource' | 'name'>, locks: readonly string[]): boolean {
  return isLease(resource) || (locks.length > 0 && locks.includes(`${resource}:${name}`));
}

/**
 * Returns the requests that try to change something, inside or outside the cluster, or that may be the failed part of such an attempt. A
 * write without effect does not count: some targets poll with an apply, with an unchanged status, or delete what is not there. Events do
 * not count either, because they only record attempts; nor do identical failures that repeat at rest, because the target then waits for
 * something that never happens.
 */
export function attemptsAmong(operations: readonly Operation[], { revisions }: History): readonly Operation[] {
  const changing = new Set(revisions.map(({ op }) => op));
  const failed = operations.filter(({ outcome }) => outcome.type === 'fail');
  const waits = new Set(
    [...Map.groupBy(failed, failureKey).values()].filter(({ length }) => length >= WAITS_MIN).flat(),
  );
  return operations.filter((operation) => {
    const { id, verb, resource, name, outcome } = operation;
    if (isEvent(resource) || waits.has(operation)) return false;
    const code = outcome.type === 'fail' ? outcome.code : 0;
    if (isWrite(verb)) return outcome.type === 'ok' ? changing.has(id) : !(verb === 'delete' && code === 404);
    if (connects(operation) || OUTSIDE_PATH.test(name)) return true;
    // An object that is missing, or that the target may not read, may be requested again and again.
    return outcome.type !== 'ok' && code !== 404 && code !== 403;
  });
}

/** The number of identical failures that count as waiting. */
const WAITS_MIN = 5;

function failureKey({ verb, resource, subresource, namespace, name, outcome }: Operation): string {
  const code = outcome.type === 'fail' ? outcome.code : 0;
  return JSON.stringify([verb, resource, subresource, namespace, verb === 'create' ? '' : name, code]);
}

/** Returns the run time in ms from the last attempt of the target to change anything at rest, or from the start of rest, until the end. */
export function unchangedMs(history: History): number {
  const since = restStart(history);
  const last = attemptsAmong(activityAfter(history, since), history).at(-1);
  return Math.max(0, endMs(history) - Math.max(since.timeMs, last?.answered?.timeMs ?? last?.invoked.timeMs ?? 0));
}

/** Reports whether the target keeps trying to change something. A target that only polls never comes to rest but is not restless. */
export function isRestless(history: History): boolean {
  if (history.settlement.result === 'quiescent') return false;
  const half = laterHalf(history);
  return half === undefined || attemptsAmong(half.activity, history).length > 0;
}

/** The result of an `extended-settle` probe. */
type Extended = Extract<ProbeResult, { readonly probe: 'extended-settle' }>;

/** A time in ms that is longer than a target usually waits for a condition before it retries. */
const POLLED_MS = 300_000;

/**
 * Reports whether the target has finished, according to an extended run. A polling target is never silent: it is at rest if it has changed
 * nothing for as long as another target has to be silent, but at least for minutes, because some targets poll while they wait.
 */
export function isAtRest({ quiescent, windowMs, unchangedMs: unchanged = 0 }: Extended): boolean {
  return quiescent || unchanged >= polledMs(windowMs);
}

/** Returns how long, in ms, a polling target must have changed nothing to count as at rest, if a silent target needs `windowMs`. */
export function polledMs(windowMs: number): number {
  return Math.max(windowMs, POLLED_MS);
}

/** The silence after which a run counts as converged: three resyncs of half a minute, or two of kopf's retries of 60 s. */
export const EXTENDED_SETTLE_MS = 120_000;
/** The longest settle time: twice client-go's longest back-off (1000 s). */
const SETTLE_MS_MAX = 2_000_000;
/** The largest ratio of one retry interval to the previous one: a back-off at most doubles, and jitter adds up to a fifth. */
const NEXT_GAP = 2.5;

/**
 * After this many failures a work queue may delay the object by its longest back-off: retries and events in the queue cause no visible
 * requests.
 */
const REFUSALS_MIN = 4;
/** client-go's first back-off; each further one is twice as long. */
const FIRST_BACK_OFF_MS = 5;

/** Returns the settle time, in ms, for judging a suspicious history in which the target is not held back. */
export function usualSettleMs({ reference }: History): number {
  return reference?.suspectSettleMs ?? EXTENDED_SETTLE_MS;
}

/** Returns the settle time, in ms, for judging a suspicious history. */
export function suspectSettleMs(history: History): number {
  const usual = usualSettleMs(history);
  const { backOffMs } = history.reference ?? {};
  if (backOffMs === undefined || backOffMs <= usual) return usual;
  const isHeldBack = failureStreaks(history).some(
    (streak) =>
      (streak.open && streak.attempts.length >= REFUSALS_MIN) || queuedBackOffMs(history.deliveries, streak) > usual,
  );
  return isHeldBack ? backOffMs : usual;
}

/**
 * Returns the longest delay, in ms, that a work queue can give an object if the controller adds the object with a rate limit for each
 * event. The queue then counts events like failures until an attempt succeeds. Items added earlier keep their delay, including the item for
 * the event that the attempt caused. Whether an attempt before the first failure succeeded is not visible from outside, so all events of
 * this incarnation count.
 */
function queuedBackOffMs(deliveries: History['deliveries'], { attempts, endedBy }: FailureStreak): number {
  const [first] = attempts;
  // Without a successful retry, the object may have been completed in another way.
  const untilAt = endedBy?.answered?.at ?? attempts.at(-1)?.invoked.at ?? 0;
  const events = deliveries.filter(({ actor, at }) => actor === first?.actor && at < untilAt);
  return FIRST_BACK_OFF_MS * 2 ** (attempts.length + events.length);
}

/**
 * Returns the silence in ms after which no back-off of the target's own failures can be pending; undefined if that is longer than any run
 * waits.
 */
export function earnedSettleMs(history: History): number | undefined {
  let needed = suspectSettleMs(history);
  for (const { gapsMs, open } of failureStreaks(history)) {
    if (open) for (const gap of gapsMs) needed = Math.max(needed, gap * NEXT_GAP);
  }
  for (const gap of growingGapsMs(history)) needed = Math.max(needed, Math.min(gap * NEXT_GAP, SETTLE_MS_MAX));
  return needed > SETTLE_MS_MAX ? undefined : needed;
}

/** The number of gaps that have to grow like a back-off, and the least ratio of each to the one before. */
const GROWING_MIN = 3;
const GROWTH_MIN = 1.5;

/**
 * Returns the last gap, in ms, of each write that the target repeats at growing intervals, whatever the answers are: a work queue delays an
 * object that a reconcile requeues in the same way as after a failure.
 */
function growingGapsMs({ operations, reference }: History): readonly number[] {
  const writes = operations.filter(
    (operation) =>
      isWrite(operation.verb) &&
      roleOf(operation.actor) === 'target' &&
      !isEvent(operation.resource) &&
      !isLock(operation, reference?.locks ?? []),
  );
  return [...Map.groupBy(writes, keyOf).values()].flatMap((attempts) => {
    const last = gapsOf(attempts).slice(-GROWING_MIN);
    const isBackOff = last.slice(1).every((gap, at) => {
      const ratio = gap / (last[at] ?? 0);
      return ratio >= GROWTH_MIN && ratio <= NEXT_GAP;
    });
    return isBackOff && last.length === GROWING_MIN ? last.slice(-1) : [];
  });
}

/** The result if no run can wait as long as {@link earnedSettleMs} requires. */
export const RETRIES_TOO_LATE: Extract<CheckResult, { readonly result: 'inconclusive' }> = {
  result: 'inconclusive',
  reason: 'the target has failed so often that its next retry may come later than the run waits: it may still fix this',
};

/** Up to this multiple of the references' idle rate, requests are the target's ordinary polling. */
const IDLE_FACTOR = 2;
/** A request rate per minute that is never too high: one resync of one kind in ten seconds. */
const IDLE_FLOOR = 6;

/** Reports whether the target's requests at rest match the references' idle window. */
export function isOrdinaryIdle(history: History, activity: readonly Operation[], spanMs: number): boolean {
  const perMinute = spanMs <= 0 ? 0 : 60_000 / spanMs;
  const idle = history.reference?.idle ?? { requestsPerMinute: 0, writesPerMinute: 0 };
  const writes = activity.filter((operation) => isWrite(operation.verb)).length;
  return (
    activity.length * perMinute <= idle.requestsPerMinute * IDLE_FACTOR + IDLE_FLOOR &&
    writes * perMinute <= idle.writesPerMinute * IDLE_FACTOR
  );
}

/** Returns the most frequent request of a set, and the leaf that it changes most often; a creation changes no single leaf. */
export function mostFrequent(
  history: History,
  operations: readonly Operation[],
): { readonly verb: string; readonly resource: string; readonly name: string; readonly field: string } {
  const index = indexOf(history);
  const requests = countRequests(operations);
  const key = mostFrequentKey(requests);
  const fields = new Map<string, number>();
  for (const operation of operations) {
    if (requestKey(operation) !== key || operation.verb === 'create') continue;
    for (const revision of history.revisions) {
      if (revision.op !== operation.id) continue;
      for (const { path } of index.changes(revision)) count(fields, leafPattern(path));
    }
  }
  const { verb = '', resource = '', name = '' } = operations.find((operation) => requestKey(operation) === key) ?? {};
  return { verb, resource, name: verb === 'create' ? '' : name, field: mostFrequentKey(fields) };
}

/** Returns how often the most frequent request occurs: a round of a loop, such as a reconcile, may send many different ones. */
export function roundsOf(operations: readonly Operation[]): number {
  return Math.max(0, ...countRequests(operations).values());
}

function countRequests(operations: readonly Operation[]): ReadonlyMap<string, number> {
  const requests = new Map<string, number>();
  for (const operation of operations) count(requests, requestKey(operation));
  return requests;
}

/**
 * Returns what makes two requests the same one, sent again. A target that lists the pods of five shards, or patches one name in five
 * namespaces, sends five requests once and not one request five times.
 */
function requestKey({ verb, resource, namespace, name, query }: Operation): string {
  const { labelSelector, fieldSelector } = query;
  return JSON.stringify([verb, resource, namespace, verb === 'create' ? '' : name, labelSelector, fieldSelector]);
}

/** The time span is divided into this many equal parts; activity is continuous if nearly all of them contain some. */
const PARTS = 5;

/** Reports whether activity continues through a time span, instead of being one burst. */
export function goesOn(activity: readonly Operation[], fromMs: number, spanMs: number): boolean {
  const parts = new Set<number>();
  for (const { invoked } of activity) parts.add(Math.floor(((invoked.timeMs - fromMs) * PARTS) / spanMs));
  return parts.size >= PARTS - 1;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/**
 * Returns the most frequent key. All requests of a repeating round are about equally frequent, give or take one at the edges, so near ties
 * are resolved by name to keep the result stable.
 */
function mostFrequentKey(counts: ReadonlyMap<string, number>): string {
  const best = Math.max(0, ...counts.values());
  const among = [...counts].filter(([, times]) => times >= best - 1 && times * 2 > best);
  return among.map(([key]) => key).toSorted()[0] ?? '';
}
