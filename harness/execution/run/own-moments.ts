/**
 * Finds when a target at rest acts by itself: a poll, a resync, the renewal of a lock or of a watch.
 *
 * Owns: observing the target, and which of these moments are worth waiting for. The waits themselves are operations of programs
 * (`program-waits.ts`). What the target changes in the meantime is in the history, after the last `idle` mark. Start at {@link lookOn}.
 */
import { realNow } from '../../determinism/real-time.ts';
import { roleOf } from '../../model/actor.ts';
import type { Revision } from '../../model/history.ts';
import type { Choice, Item, View } from '../../model/item.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import { ReplayScheduler } from '../../schedule/replay-scheduler.ts';
import { slackAfter } from './program-waits.ts';
import { pump, wrapped } from './pump.ts';
import type { World } from './world.ts';

/** How long to observe, in ms of run time: longer than controller-runtime's resync period of ten hours. */
const LOOK_MS = 12 * 3_600_000;
/** If this many items happen without a timer in between, the target counts as spinning. */
const HOT_ITEMS = 250;
/** Moments that are closer together than this count as one, in ms. */
const APART_MS = 1_000;
/** The number of moments that are kept. */
const KEPT = 12;

interface Moment {
  /** Milliseconds since the target came to rest. */
  readonly atMs: number;
  asks: boolean;
}

/**
 * Observes a target at rest that is left alone. Resolves to waits in ms from the moment it came to rest, one for each selected action of
 * the target; each wait ends before its action. Resolves to none if the target is not observed or never does anything.
 */
export async function lookOn(world: World): Promise<readonly number[]> {
  const { time, mode } = world.host;
  if (mode.lookOn === null) return [];
  world.recorder.phase('idle');
  const from = world.recorder.revisions.length;
  const sinceMs = Math.max(
    0,
    ...world.recorder.operations
      .filter(({ actor, verb }) => roleOf(actor) === 'target' && verb !== 'watch')
      .map(({ invoked, answered }) => (answered ?? invoked).timeMs),
  );
  const endMs = time.now() + LOOK_MS;
  const until = realNow() + mode.lookOn.realMs;
  const moments: Moment[] = [];
  const byDefault = new ReplayScheduler(EMPTY_SCHEDULE);
  // Records when a timer fires, and whether the target sends a request at that moment.
  const next = (view: View): Choice | undefined => {
    const choice = byDefault.next(view);
    const last = moments.at(-1);
    if (choice?.item.kind === 'timer') moments.push({ atMs: (time.next()?.atMs ?? time.now()) - sinceMs, asks: false });
    else if (choice !== undefined && last !== undefined && asks(world, choice.item)) last.asks = true;
    return choice;
  };
  await pump(world, wrapped(byDefault, next), {
    stepsMax: mode.lookOn.itemsMax,
    hotMax: HOT_ITEMS,
    mayWaitUntil: (atMs) => {
      time.hurry?.(slackAfter(time.now() - sinceMs, world.keepsUp));
      return atMs <= endMs && time.next()?.isGuess !== true && realNow() < until;
    },
  });
  time.hurry?.(0);
  const made = world.recorder.revisions.slice(from).find(makesOrDeletes);
  const untilMs = (made?.timeMs ?? Number.POSITIVE_INFINITY) - sinceMs;
  return between(moments.filter(({ atMs }) => atMs < untilMs));
}

/**
 * Reports whether a change is an object that the target creates or deletes by itself, for example by a schedule or at a deadline. All waits
 * end before the first such change: from then on, the correct number of objects depends on how long the target has lived.
 */
function makesOrDeletes({ actor, type, resource }: Revision): boolean {
  const isNoted = resource.startsWith('events') || resource.startsWith('leases.');
  return roleOf(actor) === 'target' && type !== 'MODIFIED' && !isNoted;
}

/**
 * Reports whether an item is a request of the target that reads or changes something; watches and locks are renewed for as long as it lives
 * and do not count.
 */
function asks(world: World, { kind, actor, verb, touches }: Item): boolean {
  return kind === 'send' && roleOf(actor) === 'target' && verb !== 'watch' && !world.isLock(touches);
}

/** Returns the midpoint between each kept moment and the moment before it. */
function between(moments: readonly Moment[]): readonly number[] {
  const apart: Moment[] = [];
  for (const moment of moments) {
    const last = apart.at(-1);
    if (moment.atMs - (last?.atMs ?? 0) >= APART_MS) apart.push({ ...moment });
    else if (last !== undefined) last.asks ||= moment.asks;
  }
  // Moments without a request are left out: their timers belong to the language's runtime or to a watch.
  const kept = new Set(spread(apart.filter(({ asks }) => asks)));
  return apart.flatMap((moment, index) => {
    const beforeMs = apart[index - 1]?.atMs ?? 0;
    return kept.has(moment) ? [Math.max(1, Math.round((beforeMs + moment.atMs) / 2))] : [];
  });
}

/** Returns the first few moments, followed by moments at growing intervals. */
function spread(moments: readonly Moment[]): readonly Moment[] {
  const step = moments.length ** (1 / (KEPT - 1));
  const indexes = Array.from({ length: KEPT }, (_, index) => Math.max(index, Math.round(step ** index) - 1));
  return indexes.flatMap((index) => moments[index] ?? []);
}
