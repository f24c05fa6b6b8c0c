/**
 * A trial: setup → contention → heal → settle → check material. Returns the history; judging it is `judge.ts`.
 *
 * Owns: the phases and their bounds. Start at {@link runTrial}.
 */
import type { ClusterState } from '../clusters/cluster.ts';
import { Random } from '../determinism/random.ts';
import { roleOf } from '../model/actor.ts';
import { invariant } from '../model/errors.ts';
import type { RunSettings } from '../model/counterexample.ts';
import type { History, Settlement } from '../model/history.ts';
import type { Item, Scheduler } from '../model/item.ts';
import type { KubeObject } from '../model/object.ts';
import type { DrawnNames } from '../model/reference.ts';
import type { Program, ProgramOp, Workload } from '../model/workload.ts';
import { EMPTY_SCHEDULE } from '../model/schedule.ts';
import { ReplayScheduler } from '../schedule/replay-scheduler.ts';
import { CutShort } from './cut-short.ts';
import { objectTarget } from './object-target.ts';
import { pump } from './pump.ts';
import { Rewatching } from './rewatching.ts';
import type { PumpEnd } from './pump.ts';
import type { WarmPlace } from './warm-place.ts';
import { World } from './world.ts';
import type { Host } from './world.ts';

/** 2026-01-01T00:00:00Z: where the run's clock starts; any fixed date will do. */
export const RUN_EPOCH_MS = 1_767_225_600_000;
/** Items without a timer in between that only a spinning target reaches once nobody disturbs it. */
const HOT_ITEMS = 250;
/** A client whose watch broke goes on with what it knew until it looks again, which takes it a second or two: no loop yet. */
const BUSY_WALL_MS = 8_000;
/** Items in an idle window after which the target is known to be busy. */
const IDLE_ITEMS = 400;
/** However long activity lasts, settling ends after this many windows. */
const SETTLE_WINDOWS_MAX = 6;

export interface TrialOptions {
  readonly host: Host;
  readonly snapshot: ClusterState;
  readonly settings: RunSettings;
  readonly workload: Workload;
  /** Decides during contention. */
  readonly scheduler: Scheduler;
  /** Labels of the schedule that never came up, asked once contention is over. */
  readonly missed?: () => readonly string[];
  readonly readsAreActivity?: boolean;
  /** What the target has done undisturbed before contention begins. */
  readonly habit?: Habit;
  /** How long the target may be silent, in ms, before it goes on by itself: no window is shorter, unless one is asked for. */
  readonly pauseMs?: number;
  /** Names that the target draws itself. */
  readonly drawnNames?: DrawnNames;
  /** Objects that are there from the beginning, stored as they are; the sample is not applied then. */
  readonly seedObjects?: readonly KubeObject[];
  /** Seeds other than the settings' own, for references. */
  readonly seed?: number;
  /** Run time at which the clock starts, after the epoch; for references. */
  readonly clockOffsetMs?: number;
  /** Overrides the settle window, for suspects. */
  readonly settleWindowMs?: number;
  /** However long activity lasts, settling ends after so many windows. */
  readonly settleWindowsMax?: number;
  /** Called once the run has come to rest, while it still stands; the history is then what it was at that moment. */
  readonly atRest?: (live: Live) => Promise<void>;
  /** From settle on, the target is not shown its own writes. */
  readonly withholdEcho?: boolean;
  /** The target lives through the crashes of the schedule. */
  readonly withoutCrashes?: boolean;
  /** After settling, a fresh incarnation takes over and settles too. */
  readonly freshIncarnation?: boolean;
  /** After settling, this much more run time passes with nothing to do. */
  readonly idleMs?: number;
  /** Where a target stands that lives through many runs; it is started there when none does. */
  readonly place?: WarmPlace;
  /** Programs that start after settling, each followed by another settling: used by references and drift probes. */
  readonly afterRest?: readonly Program[];
}

/**
 * What a target does when it starts and when the sample is applied, as the references saw it. On a busy machine a process may pause
 * in the middle of that for longer than it is given to be at rest.
 */
export interface Habit {
  /** Watches that it opens. */
  readonly watches: number;
  /** Changes that it makes of the sample; absent until runs that begin with it have shown. */
  readonly changes?: number;
}

/** A habit that is not followed is waited for no longer than that. */
const HABIT_MS = 3_000;

/** A run that has come to rest and still stands: what cannot be made again is looked at while it is there. */
export interface Live {
  /** As if the run had ended when it first came to rest. */
  readonly history: History;
  /** The same run after so much more silence, in ms of run time; asking for less than before gives what is known. */
  settleOn(windowMs: number): Promise<{ readonly history: History; readonly windowMs: number }>;
  /** A fresh incarnation takes over and settles; nothing can be asked of the one before after that. */
  takeOver(): Promise<History>;
}

/** Runs one trial to its end. The world is closed when the promise resolves. */
export async function runTrial(options: TrialOptions): Promise<History> {
  const { host, settings, workload } = options;
  const scheduler = options.withoutCrashes === true ? sparing(options.scheduler) : options.scheduler;
  const random = new Random(options.seed ?? settings.seed);
  const startMs = RUN_EPOCH_MS + (options.clockOffsetMs ?? 0);
  const standing = options.place?.take();
  if (standing === undefined) await host.cluster.restore(options.snapshot);
  host.disturbance?.renew();
  const world = standing ?? new World(host, random, startMs, options.drawnNames);
  world.readsAreActivity = options.readsAreActivity ?? true;
  world.serialised = settings.serialised === true;
  try {
    world.recorder.phase('setup');
    if (options.seedObjects !== undefined) await host.cluster.seed(options.seedObjects);
    await setUp(world, options, standing !== undefined);
    const neverReady = world.startsUntilMs > 0 ? neverStarted(host) : undefined;
    if (neverReady !== undefined) return world.recorder.history(neverReady, 0, []);
    await world.measure('start');
    world.recorder.phase('contention');
    world.startContention();
    for (const program of programsOf(world, workload)) world.startProgram(program);
    let lastItemMs = host.time.now();
    // Nobody disturbs a target that has come to rest: it has nothing to pause for.
    const stirred = workload.start === 'empty' || workload.programs.length > 0;
    const waitMs = Math.max(world.pace.contentionWaitMs, stirred ? (options.pauseMs ?? 0) : 0);
    const end = await pump(
      world,
      watching(world, scheduler, () => (lastItemMs = host.time.now())),
      {
        stepsMax: settings.stepsMax,
        hotMax: settings.stepsMax,
        mayWaitUntil: (atMs) =>
          atMs <= Math.max(world.pausedUntilMs, host.disturbance?.untilMs ?? 0, lastItemMs) + waitMs,
      },
    );
    // Its pauses were waited out already, unless something comes after a long time.
    const waited =
      stirred &&
      end === 'idle' &&
      !scheduler.holding() &&
      !workload.programs.some(({ heal, standing }) => heal !== undefined || standing === true);
    const { steps } = world;
    const missed = options.missed?.() ?? [];
    world.recorder.phase('heal');
    world.resume(true);
    await host.disturbance?.end();
    world.endPrograms();
    for (const { actor, writer, heal } of workload.programs) {
      if (heal !== undefined) world.startProgram({ actor, writer, ops: heal }, true);
    }
    await world.measure('healed');
    world.recorder.phase('settle');
    // Standing co-writers do at rest once more what they do all day.
    for (const program of workload.programs) if (program.standing === true) world.startProgram(program, true);
    let settlement = await settle(world, waited ? { ...options, pauseMs: 0 } : options);
    await world.measure('at-rest');
    if (options.idleMs !== undefined) await idle(world, options.idleMs);
    for (const program of options.afterRest ?? []) {
      world.completed.clear();
      world.startProgram(program, true);
      settlement = await settle(world, options);
    }
    if (options.freshIncarnation === true) {
      await retire(world, host.pace.graceMs.replaced);
      world.launchTarget();
      settlement = await settle(world, options);
    }
    if (options.atRest !== undefined) {
      const live = new LiveRun(world, options, settlement, steps, missed);
      await options.atRest(live);
      await world.measure('end');
      return { ...live.history, ...measuredIn(world) };
    }
    await world.measure('end');
    return world.recorder.history(settlement, steps, missed);
  } catch (error) {
    if (!(error instanceof CutShort)) throw error;
    return world.recorder.history({ result: 'cut-short', detail: whyCut(world, error) }, world.steps, []);
  } finally {
    await host.disturbance?.end();
    if (options.place === undefined || !(await options.place.keep(world, random))) await end(world);
  }
}

/** With the last look, which is taken when everybody has seen the history. */
function measuredIn({ recorder: { measurements } }: World): Pick<History, 'measurements'> {
  return measurements.length === 0 ? {} : { measurements: [...measurements] };
}

/** Nothing of the target reaches anything any more. */
async function end(world: World): Promise<void> {
  const { host } = world;
  // Nobody waits for what was not answered before.
  const unlessCutShort = (error: unknown): void => {
    if (!(error instanceof CutShort)) throw error;
  };
  try {
    if (host.pace.graceMs.ended > 0) await retire(world, host.pace.graceMs.ended).catch(unlessCutShort);
  } finally {
    world.close();
    await host.drain(world).catch(unlessCutShort);
  }
}

/** With the requests that are still open. */
function whyCut({ recorder }: World, { message }: CutShort): string {
  const open = recorder.operations.filter(
    ({ verb, sent, answered }) => verb !== 'watch' && sent !== undefined && answered === undefined,
  );
  return open.length === 0 ? message : `${message}: ${open.map(({ label }) => label).join(', ')}`;
}

/** Ends what runs of the target, as a rollout would: what it does on its way out (it gives up its lock) happens. */
async function retire(world: World, graceMs: number): Promise<void> {
  if (world.askToEnd(graceMs)) {
    await pump(world, new ReplayScheduler(EMPTY_SCHEDULE), {
      stepsMax: HOT_ITEMS,
      hotMax: HOT_ITEMS,
      mayWaitUntil: (atMs) => atMs <= world.endsUntilMs,
    });
  }
  world.retireTargets();
}

/** A suspect is given this many times the silence that it must keep, however busy it is. */
const LIVE_WINDOWS_MAX = 2;

class LiveRun implements Live {
  readonly history: History;
  readonly #world: World;
  readonly #options: TrialOptions;
  readonly #steps: number;
  readonly #missed: readonly string[];
  #settled: { readonly history: History; readonly windowMs: number };
  #takenOver: History | undefined;

  constructor(world: World, options: TrialOptions, settlement: Settlement, steps: number, missed: readonly string[]) {
    this.#world = world;
    this.#options = options;
    this.#steps = steps;
    this.#missed = missed;
    this.history = world.recorder.historySoFar(settlement, steps, missed);
    this.#settled = { history: this.history, windowMs: 0 };
  }

  async settleOn(windowMs: number): Promise<{ readonly history: History; readonly windowMs: number }> {
    if (windowMs > this.#settled.windowMs && this.#takenOver === undefined) {
      const settlement = await settle(this.#world, {
        ...this.#options,
        settleWindowMs: windowMs,
        settleWindowsMax: LIVE_WINDOWS_MAX,
      });
      this.#settled = { windowMs, history: this.#soFar(settlement) };
    }
    return this.#settled;
  }

  async takeOver(): Promise<History> {
    if (this.#takenOver === undefined) {
      await retire(this.#world, this.#world.host.pace.graceMs.replaced);
      this.#world.launchTarget();
      this.#takenOver = this.#soFar(await settle(this.#world, this.#options));
    }
    return this.#takenOver;
  }

  #soFar(settlement: Settlement): History {
    return this.#world.recorder.historySoFar(settlement, this.#steps, this.#missed);
  }
}

/** Applies the sample (or nothing yet) and lets the target come to rest, in the default order. */
async function setUp(world: World, options: TrialOptions, isStanding: boolean): Promise<void> {
  const { recorder } = world;
  const { workload } = options;
  // Of a target that finds everything there, nobody knows what it will do.
  const habit = options.seedObjects === undefined ? options.habit : undefined;
  const watches = (): number =>
    recorder.operations.filter(({ verb, outcome }) => verb === 'watch' && outcome.type === 'ok').length;
  if (!isStanding) {
    world.launchTarget();
    await rest(world, options, habit === undefined ? undefined : () => watches() >= habit.watches);
  }
  if (workload.start === 'empty' || workload.sample.length === 0) return;
  world.startProgram({ actor: 'user', writer: 'user', ops: createOps(world, workload) });
  const usual = habit?.changes;
  const changes = (): number => recorder.revisions.filter(({ actor }) => roleOf(actor) === 'target').length;
  await rest(world, options, usual === undefined ? undefined : () => changes() >= usual);
}

/** @param isDone Whether the target has done what it usually does; where that is not known, its pauses have to be waited out. */
async function rest(world: World, options: TrialOptions, isDone: (() => boolean) | undefined): Promise<PumpEnd> {
  const { settings, pauseMs = 0 } = options;
  const { pace } = world;
  const { time } = world.host;
  const windowMs = Math.max(pace.setupWindowMs, isDone === undefined ? pauseMs : 0);
  const startMs = time.now();
  world.lastActivityMs = startMs;
  return pump(world, new ReplayScheduler(EMPTY_SCHEDULE), {
    stepsMax: settings.settleStepsMax,
    hotMax: HOT_ITEMS,
    mayWaitUntil: (atMs) =>
      atMs <= Math.max(world.startsUntilMs, world.lastActivityMs + windowMs) ||
      (atMs <= startMs + HABIT_MS && isDone?.() === false),
  });
}

function neverStarted({ pace }: Host): Settlement {
  return { result: 'never-started', detail: `it was not ready within ${pace.readyWithinMs / 1000} s` };
}

/** The programs of contention; with an empty start the user's begins by applying the sample. */
function programsOf(world: World, workload: Workload): readonly Program[] {
  if (workload.start === 'settled') return workload.programs;
  const user = workload.programs.find((program) => program.actor === 'user');
  const ops = [...createOps(world, workload), ...(user?.ops ?? [])];
  return [{ actor: 'user', writer: 'user', ops }, ...workload.programs.filter((program) => program.actor !== 'user')];
}

/** A status that the sample states is written as whoever reports it would: a create takes none. */
function createOps(world: World, workload: Workload): readonly ProgramOp[] {
  const { cluster } = world.host;
  return workload.sample.flatMap((object): readonly ProgramOp[] => {
    const target = objectTarget(cluster, object);
    invariant(target !== undefined, `the sample's kind ${object.apiVersion} ${object.kind} is known to the cluster`);
    const { status } = object;
    const create: ProgramOp = { do: 'create', target, object };
    if (status === undefined || !cluster.subresourcesOf(object.apiVersion, object.kind).has('status')) return [create];
    return [create, { do: 'set', target, subresource: 'status', path: ['status'], value: status, via: 'merge-patch' }];
  });
}

async function settle(world: World, options: TrialOptions): Promise<Settlement> {
  const windowMs = options.settleWindowMs ?? Math.max(options.settings.settleWindowMs, options.pauseMs ?? 0);
  const { time } = world.host;
  let startMs = time.now();
  world.lastActivityMs = startMs;
  let outOfTime = false;
  const rewatching = new Rewatching(world);
  const since = world.recorder.revisions.length;
  const end = await pump(world, new ReplayScheduler(EMPTY_SCHEDULE), {
    stepsMax: options.settings.settleStepsMax,
    hotMax: HOT_ITEMS,
    ...(world.host.control === undefined ? { boundsFromMs: startMs + BUSY_WALL_MS } : {}),
    mayWaitUntil: (atMs) => {
      if (atMs <= Math.max(world.startsUntilMs, world.locksExpireByMs) || rewatching.isPending()) {
        startMs = world.lastActivityMs = time.now();
        return true;
      }
      const inWindow = atMs <= world.lastActivityMs + windowMs;
      outOfTime = inWindow && atMs > startMs + windowMs * (options.settleWindowsMax ?? SETTLE_WINDOWS_MAX);
      return inWindow && !outOfTime;
    },
    ...(options.withholdEcho === true ? { withheld: echoFilter(world, since) } : {}),
  });
  switch (end) {
    case 'steps':
      return { result: 'steps-exceeded', steps: options.settings.settleStepsMax };
    case 'hot':
      return { result: 'hot-instant', steps: HOT_ITEMS };
    case 'idle':
      return outOfTime && world.timer() !== undefined
        ? { result: 'time-exceeded', timeMs: time.now() - startMs }
        : { result: 'quiescent', windowMs };
  }
}

/** Lets run time pass although nothing is expected, as an idle cluster would. */
async function idle(world: World, idleMs: number): Promise<void> {
  world.recorder.phase('idle');
  const endMs = world.host.time.now() + idleMs;
  await pump(world, new ReplayScheduler(EMPTY_SCHEDULE), {
    stepsMax: IDLE_ITEMS,
    hotMax: HOT_ITEMS,
    mayWaitUntil: (atMs) => atMs <= endMs,
  });
}

/** Events of changes that the target itself made at rest. */
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

/** Tells when anything but a timer, or what a leader does for its lock, happened. */
function watching(world: World, scheduler: Scheduler, moved: () => void): Scheduler {
  return {
    holding: () => scheduler.holding(),
    next: (view) => {
      const choice = scheduler.next(view);
      if (choice !== undefined && choice.item.kind !== 'timer' && !world.isLock(touchedBy(choice.item))) moved();
      return choice;
    },
  };
}

/** What an item is about; an answer says so in its label alone. */
function touchedBy({ touches, label }: Item): string {
  if (touches !== '') return touches;
  const [, , resource = '', ...rest] = label.split('/');
  const name = (rest.at(-1) ?? '').replace(/#.*$/, '');
  return `${resource}/${rest.at(-2) ?? ''}/${name}`;
}

/** Lets happen as it is what the schedule would have crashed the target at. */
function sparing(scheduler: Scheduler): Scheduler {
  return {
    holding: () => scheduler.holding(),
    next: (view) => {
      const choice = scheduler.next(view);
      return choice?.fault?.do === 'crash' ? { item: choice.item } : choice;
    },
  };
}
