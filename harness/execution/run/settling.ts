/**
 * Brings a run to rest: pumps in the default order until nothing has happened for a while, or until it is clear that the target will never
 * be at rest.
 *
 * Start at {@link settle}.
 */
import { realNow } from '../../determinism/real-time.ts';
import type { RunClock } from '../../determinism/run-clock.ts';
import { type ActorId, roleOf } from '../../model/actor.ts';
import type { Settlement } from '../../model/history.ts';
import type { Item, Scheduler } from '../../model/item.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import { ReplayScheduler } from '../../schedule/replay-scheduler.ts';
import { watchGivenUp } from '../../oracle/open-watches.ts';
import { pump, wrapped, type PumpEnd } from './pump.ts';
import { Rewatching } from './rewatching.ts';
import type { TrialSettle } from './trial-options.ts';
import type { World } from './world.ts';

/**
 * The number of items without a timer in between, in addition to those of the target's largest piece of work, after which the target counts
 * as spinning: an undisturbed target reaches it in no other way.
 */
const HOT_ITEMS = 250;
/** The number of items in an idle window after which the target counts as busy. */
const IDLE_ITEMS = 400;

/** The number of timers of programs that count as one step while they settle: a timer every 35 ms is 1,700 in a minute. */
const TIMERS_PER_STEP = 16;

/** How long to wait, in ms, for the target to do what it usually does. */
const HABIT_MS = 3_000;

/** Returns the limit of items without a timer: after a crash, the next incarnation repeats all the work, perhaps without a pause. */
function hotMaxOf({ workItems }: TrialSettle): number {
  return HOT_ITEMS + workItems;
}

/**
 * Pumps until the target has been at rest for a window.
 *
 * @param first The actor whose items precede all others.
 */
export async function settle(world: World, options: TrialSettle, first?: ActorId): Promise<Settlement> {
  const { windowMs, windowsMax, stepsMax, untilReal = Number.POSITIVE_INFINITY } = options;
  const { mode, time } = world.host;
  const settlingMs = time.now();
  let startMs = time.waited();
  world.restartSilence(startMs);
  let outOfTime = false;
  const rewatching = new Rewatching(world);
  const { recorder } = world;
  const since = recorder.revisions.length;
  const requests = recorder.operations.length;
  // A target that is silent gets the whole window, however slow the machine is: idle timers of a runtime may fire all the time.
  const isTooSlow = (): boolean => recorder.operations.length > requests && realNow() >= untilReal;
  const scheduler = new ReplayScheduler(EMPTY_SCHEDULE);
  const end = await pump(world, first === undefined ? scheduler : preferring(first, scheduler), {
    stepsMax,
    hotMax: hotMaxOf(options),
    timersPerStep: TIMERS_PER_STEP,
    boundsFromMs: settlingMs + world.host.pace.busyMs,
    isDeaf: () => (mode.waitsForReal ? rewatching.isPending() : watchGivenUp(world.recorder) !== undefined),
    // This callback counts the windows, so its last result explains why the wait ended.
    mayWaitUntil: (atMs) => {
      if (atMs <= Math.max(world.incarnations.startsUntilMs, world.locksExpireByMs) || rewatching.isPending()) {
        // These waits do not depend on the target's own pace: silence and the time limit begin afterwards.
        startMs = time.waited();
        world.restartSilence(startMs);
        return true;
      }
      const waitedMs = waitedBy(time, atMs);
      const inWindow = waitedMs <= world.lastActivityMs + windowMs;
      outOfTime = inWindow && (waitedMs > startMs + windowMs * windowsMax || isTooSlow());
      return inWindow && !outOfTime;
    },
    ...(options.withholdEcho ? { withheld: echoFilter(world, since) } : {}),
  });
  switch (end) {
    case 'steps':
      return { result: 'steps-exceeded', steps: stepsMax };
    case 'hot':
      return { result: 'hot-instant', steps: HOT_ITEMS };
    case 'idle':
      return outOfTime && world.pollTimer() !== undefined
        ? { result: 'time-exceeded', timeMs: time.waited() - startMs }
        : { result: 'quiescent', windowMs };
  }
}

function preferring(actor: ActorId, scheduler: Scheduler): Scheduler {
  return wrapped(scheduler, (view) => {
    const item = view.items.find((candidate) => candidate.actor === actor);
    return item === undefined ? scheduler.next(view) : { item };
  });
}

/** Returns the total time waited in ms once a wait until `atMs` is over. */
export function waitedBy(time: RunClock, atMs: number): number {
  return time.waited() + atMs - time.now();
}

/** Lets run time pass although nothing is expected, as in an idle cluster. */
export async function idle(world: World, idleMs: number): Promise<void> {
  world.recorder.phase('idle');
  const endMs = world.host.time.now() + idleMs;
  await pump(world, new ReplayScheduler(EMPTY_SCHEDULE), {
    stepsMax: IDLE_ITEMS,
    timersPerStep: TIMERS_PER_STEP,
    hotMax: HOT_ITEMS,
    mayWaitUntil: (atMs) => atMs <= endMs,
  });
}

/** Returns a filter for watch events of changes that the target itself made at rest. */
function echoFilter(world: World, since: number): (item: Item) => boolean {
  const own = new Set<number>();
  let read = since;
  return (item) => {
    if (item.kind !== 'event' || roleOf(item.actor) !== 'target') return false;
    for (; read < world.recorder.revisions.length; read++) {
      const revision = world.recorder.revisions[read];
      if (revision !== undefined && roleOf(revision.actor) === 'target') own.add(revision.revision);
    }
    return own.has(item.revision);
  };
}

/**
 * Pumps until the target has been quiet for a short time; this does not mean that it is at rest.
 *
 * @param isDone Reports whether the target has done what it usually does; if absent, the target's pauses have to be waited out.
 */
export async function rest(world: World, options: TrialSettle, isDone: (() => boolean) | undefined): Promise<PumpEnd> {
  const { stepsMax, pauseMs } = options;
  const { pace } = world.host;
  const { time } = world.host;
  const windowMs = Math.max(pace.setupWindowMs, isDone === undefined ? pauseMs : 0);
  const startMs = time.now();
  world.restartSilence(time.waited());
  return pump(world, new ReplayScheduler(EMPTY_SCHEDULE), {
    stepsMax,
    timersPerStep: TIMERS_PER_STEP,
    hotMax: hotMaxOf(options),
    mayWaitUntil: (atMs) =>
      atMs <= world.incarnations.startsUntilMs ||
      waitedBy(time, atMs) <= world.lastActivityMs + windowMs ||
      (atMs <= startMs + HABIT_MS && isDone?.() === false),
  });
}

/** Ends the running incarnations as a rollout would: they may finish their shutdown, for example by releasing a lock. */
export async function retire(world: World, graceMs: number): Promise<void> {
  if (world.incarnations.askToEnd(graceMs)) {
    await pump(world, new ReplayScheduler(EMPTY_SCHEDULE), {
      stepsMax: HOT_ITEMS,
      hotMax: HOT_ITEMS,
      mayWaitUntil: (atMs) => atMs <= world.incarnations.endsUntilMs,
    });
  }
  world.incarnations.retireAll();
}
