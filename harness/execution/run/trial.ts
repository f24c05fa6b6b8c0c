/**
 * Runs a trial: setup → contention → heal → settle → probes. Returns the history, which `judge.ts` judges.
 *
 * Owns: the phases. Does not own: the setup (`setting-up.ts`), when a phase is over (`settling.ts`). Start at {@link runTrial}.
 */
import { Random } from '../../determinism/random.ts';
import type { History, Settlement } from '../../model/history.ts';
import type { Item, Scheduler } from '../../model/item.ts';
import { partsOf } from '../../model/label.ts';
import type { Program } from '../../model/workload.ts';
import type { TrialOptions } from './trial-options.ts';
import { CutShort } from './cut-short.ts';
import { LiveRun } from './live-run.ts';
import { neverTooLate } from './latest.ts';
import { pump, wrapped } from './pump.ts';
import { programsOf, setUp } from './setting-up.ts';
import { idle, retire, settle, waitedBy } from './settling.ts';
import type { Stopwatch } from './stopwatch.ts';
import { World } from './world.ts';
import type { Host } from './host.ts';

/** 2026-01-01T00:00:00Z, where the run's clock starts; any fixed date would do. */
export const RUN_EPOCH_MS = 1_767_225_600_000;

/** Runs one trial to its end. The world is closed when the promise resolves. */
export async function runTrial(options: TrialOptions): Promise<History> {
  const { start, probe } = options;
  const { host, workload } = start;
  const random = new Random(start.seed);
  await host.cluster.restore(start.snapshot);
  host.disturbance.renew();
  const world = new World(host, random, RUN_EPOCH_MS + start.clockOffsetMs, start.drawnNames, start.sharedNames);
  world.readsAreActivity = options.settle.readsAreActivity;
  world.serialised = start.serialised;
  try {
    const { scheduler, missed: missedBy } = start.decide((...noted) => world.recorder.decision(...noted));
    world.recorder.phase('setup');
    if (start.seedObjects !== undefined) await host.cluster.seed(start.seedObjects);
    await setUp(world, options);
    const neverReady = world.incarnations.startsUntilMs > 0 ? neverStarted(host) : undefined;
    if (neverReady !== undefined) return world.recorder.history(neverReady, 0, []);
    await world.incarnations.measure('start');
    world.recorder.phase('contention');
    start.stopwatch.enter('contentionMs');
    world.startContention();
    for (const program of programsOf(world, workload)) world.startProgram(program);
    let lastItemMs = host.time.waited();
    // If nothing disturbs a target at rest, there are no pauses to wait out.
    const stirred = workload.start === 'empty' || workload.programs.length > 0;
    const waitMs = Math.max(world.host.pace.contentionWaitMs, stirred ? options.settle.pauseMs : 0);
    const end = await pump(
      world,
      neverTooLate(
        watching(world, scheduler, () => (lastItemMs = host.time.waited())),
        world,
      ),
      {
        stepsMax: start.stepsMax,
        hotMax: start.stepsMax,
        mayBeLate: true,
        mayWaitUntil: (atMs) => atMs <= untilMs(world) + waitMs || waitedBy(host.time, atMs) <= lastItemMs + waitMs,
      },
    );
    // Whether the target's pauses have already been waited out, and no writer acts after contention.
    const waited =
      stirred &&
      end === 'idle' &&
      !scheduler.holding() &&
      !workload.programs.some(({ heal, standing }) => heal !== undefined || standing === true);
    // The schedule ends here: later items are not steps of the schedule and match none of its anchors.
    const { steps } = world;
    const missed = missedBy();
    await heal(world, workload.programs, start.stopwatch);
    const { windowMs, waitedWindowMs } = options.settle;
    let settlement = await settle(world, { ...options.settle, windowMs: waited ? waitedWindowMs : windowMs });
    await world.incarnations.measure('at-rest');
    start.stopwatch.enter('furtherMs');
    if (probe.idleMs > 0) await idle(world, probe.idleMs);
    for (const program of probe.afterRest) {
      world.completed.clear();
      world.startProgram(program, { outlastsContention: true });
      // The program takes precedence, because a target that never pauses would keep it from ever getting a turn.
      const { result } = settlement;
      const isBusy = result === 'hot-instant' || result === 'steps-exceeded';
      settlement = await settle(world, options.settle, isBusy ? program.actor : undefined);
    }
    if (probe.freshIncarnation) {
      await retire(world, host.pace.graceMs.replaced);
      world.incarnations.launchAll();
      settlement = await settle(world, options.settle);
    }
    if (probe.atRest !== undefined) {
      const live = new LiveRun(world, options.settle, settlement, steps, missed);
      await probe.atRest(live);
      await world.incarnations.measure('end');
      return { ...live.history, ...measuredIn(world) };
    }
    await world.incarnations.measure('end');
    return world.recorder.history(settlement, steps, missed);
  } catch (error) {
    if (!(error instanceof CutShort)) throw error;
    return world.recorder.history({ result: 'cut-short', detail: whyCut(world, error) }, world.steps, []);
  } finally {
    try {
      await host.disturbance.end();
    } finally {
      await end(world);
    }
  }
}

/**
 * Ends all disturbance, lets writers undo their changes, and begins the phase in which the target settles. No item is executed here: each
 * statement only changes what the next pump will execute. The order of the statements is part of every history.
 */
async function heal(world: World, programs: readonly Program[], stopwatch: Stopwatch): Promise<void> {
  const { host, incarnations, recorder } = world;
  // This comes first, so that all records of the disturbances that end below belong to the heal phase.
  recorder.phase('heal');
  stopwatch.enter('restMs');
  // Resumes incarnations whose pause is not over yet, too: a paused target never comes to rest.
  incarnations.resume(true);
  world.delays.endAll();
  // Timers may be late only in contention, where this saves time; from here on, the exact time of each timer decides when the run is at
  // rest.
  host.time.hurry?.(0);
  // This is awaited because a target that is still cut off cannot reopen its watches, and would look silent.
  await host.disturbance.end();
  // This precedes the heal operations: an actor does one thing at a time, so each heal operation waits until its actor's earlier program
  // has stopped.
  world.endPrograms();
  for (const { actor, writer, heal: ops } of programs) {
    if (ops !== undefined) world.startProgram({ actor, writer, ops }, { outlastsContention: true });
  }
  // Measured before the pump executes another item, to show the resources that the target holds just after the disturbance.
  await incarnations.measure('healed');
  recorder.phase('settle');
  // Standing writers write once more at rest, as they would all day.
  for (const program of programs) {
    if (program.standing === true) world.startProgram(program, { outlastsContention: true });
  }
}

/** Returns the run time at which the last pause, delay, wait or connection fault of the schedule or the programs ends. */
function untilMs({ incarnations, host, waits, delays }: World): number {
  return Math.max(incarnations.pausedUntilMs, host.disturbance.untilMs, waits.seenUntilMs, delays.untilMs);
}

/** Handles an error in a `catch`: ignores {@link CutShort}, and rethrows any other error. */
function unlessCutShort(error: unknown): void {
  if (!(error instanceof CutShort)) throw error;
}

/** Returns the measurements made so far; the last one is made after the history has been judged. */
function measuredIn({ recorder: { measurements } }: World): Pick<History, 'measurements'> {
  return measurements.length === 0 ? {} : { measurements: [...measurements] };
}

/** Ends the run; nothing that the target does has any effect afterwards. */
async function end(world: World): Promise<void> {
  const { host } = world;
  try {
    if (host.pace.graceMs.ended > 0) await retire(world, host.pace.graceMs.ended).catch(unlessCutShort);
  } finally {
    world.close();
    await host.drain(world).catch(unlessCutShort);
    await host.cleared();
  }
}

/** Returns the reason for cutting a run short, with the requests that are still open. */
function whyCut({ recorder }: World, { message }: CutShort): string {
  const open = recorder.operations.filter(
    ({ verb, sent, answered }) => verb !== 'watch' && sent !== undefined && answered === undefined,
  );
  return open.length === 0 ? message : `${message}: ${open.map(({ label }) => label).join(', ')}`;
}

function neverStarted({ pace }: Host): Settlement {
  return { result: 'never-started', detail: `it was not ready within ${pace.readyWithinMs / 1000} s` };
}

/** Wraps a scheduler to call `moved` for each item other than a timer, a lock renewal, or a read of a polling target. */
function watching(world: World, scheduler: Scheduler, moved: () => void): Scheduler {
  return wrapped(scheduler, (view) => {
    const choice = scheduler.next(view);
    if (choice === undefined || choice.item.kind === 'timer') return choice;
    // Renewals of a lock go on for ever, unless a fault stops them.
    const isRenewal = choice.fault === undefined && world.isLock(touchedBy(choice.item));
    if (!isRenewal && !world.isPoll(choice.item)) moved();
    return choice;
  });
}

/** Returns the object that an item is about. Answers have no `touches`, but their label contains the request's object. */
function touchedBy({ touches, label }: Item): string {
  if (touches !== '') return touches;
  const { resource, rest } = partsOf(label);
  return `${resource}/${rest.at(-2) ?? ''}/${rest.at(-1) ?? ''}`;
}
