/**
 * When a target at rest does something by itself: a poll, a resync, the renewal of a lock or of a watch.
 *
 * Owns: looking on, and which of these moments are worth waiting for. What waits for them are operations of programs (`program-waits.ts`).
 * What the target changes meanwhile stands in the history, from its last mark `idle` on. Start at {@link lookOn}.
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

/** Longer than the resync of ten hours that controller-runtime has. */
const LOOK_MS = 12 * 3_600_000;
/** Items without a timer in between: it spins. */
const HOT_ITEMS = 250;
/** Moments that are closer than that are one, in ms. */
const APART_MS = 1_000;
/** As many of them are kept. */
const KEPT = 12;

interface Moment {
  /** Since the target came to rest. */
  readonly atMs: number;
  asks: boolean;
}

/**
 * Looks on while a target at rest is left alone, and says how long to wait, in ms after it came to rest, so that the next thing that it
 * does by itself is another one each time; nothing where it is not watched, or where it never does anything.
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
  // Notes when a timer fires, and whether the target asks for anything then.
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
 * A target that makes or deletes objects as time goes by (a schedule, a deadline) is not waited for: how many there have to be depends on
 * how long it has lived.
 */
function makesOrDeletes({ actor, type, resource }: Revision): boolean {
  const isNoted = resource.startsWith('events') || resource.startsWith('leases.');
  return roleOf(actor) === 'target' && type !== 'MODIFIED' && !isNoted;
}

/** Whether it wants to know or to change something: watches and locks are kept up for as long as it lives. */
function asks(world: World, { kind, actor, verb, touches }: Item): boolean {
  return kind === 'send' && roleOf(actor) === 'target' && verb !== 'watch' && !world.isLock(touches);
}

/** Half-way between the moment before and each one that is kept. */
function between(moments: readonly Moment[]): readonly number[] {
  const apart: Moment[] = [];
  for (const moment of moments) {
    const last = apart.at(-1);
    if (moment.atMs - (last?.atMs ?? 0) >= APART_MS) apart.push({ ...moment });
    else if (last !== undefined) last.asks ||= moment.asks;
  }
  // Timers that come to nothing are a runtime's own, or a watch's.
  const kept = new Set(spread(apart.filter(({ asks }) => asks)));
  return apart.flatMap((moment, index) => {
    const beforeMs = apart[index - 1]?.atMs ?? 0;
    return kept.has(moment) ? [Math.max(1, Math.round((beforeMs + moment.atMs) / 2))] : [];
  });
}

/** The first ones, and then some that are further and further apart. */
function spread(moments: readonly Moment[]): readonly Moment[] {
  const step = moments.length ** (1 / (KEPT - 1));
  const indexes = Array.from({ length: KEPT }, (_, index) => Math.max(index, Math.round(step ** index) - 1));
  return indexes.flatMap((index) => moments[index] ?? []);
}
