/**
 * A trial: setup → contention → heal → settle → check material. Returns the history; judging it is `judge.ts`.
 *
 * Owns: the phases and their bounds. Start at {@link runTrial}.
 */
import type { ServerSnapshot } from '../apiserver/server.ts';
import { Random } from '../determinism/random.ts';
import { roleOf } from '../model/actor.ts';
import { invariant } from '../model/errors.ts';
import type { RunSettings } from '../model/counterexample.ts';
import type { History, Settlement } from '../model/history.ts';
import type { Item, Scheduler } from '../model/item.ts';
import type { KubeObject } from '../model/object.ts';
import type { Program, ProgramOp, Workload } from '../model/workload.ts';
import { EMPTY_SCHEDULE } from '../model/schedule.ts';
import { ReplayScheduler } from '../schedule/replay-scheduler.ts';
import { pump } from './pump.ts';
import type { PumpEnd } from './pump.ts';
import { World } from './world.ts';
import type { Host } from './world.ts';

/** 2026-01-01T00:00:00Z: where the run's clock starts; any fixed date will do. */
export const RUN_EPOCH_MS = 1_767_225_600_000;
/** Items without a timer in between that only a spinning target reaches once nobody disturbs it. */
const HOT_ITEMS = 250;
/** Items in an idle window after which the target is known to be busy. */
const IDLE_ITEMS = 400;
/** However long activity lasts, settling ends after this many windows. */
const SETTLE_WINDOWS_MAX = 6;

export interface TrialOptions {
  readonly host: Host;
  readonly snapshot: ServerSnapshot;
  readonly settings: RunSettings;
  readonly workload: Workload;
  /** Decides during contention. */
  readonly scheduler: Scheduler;
  /** Labels of the schedule that never came up, asked once contention is over. */
  readonly missed?: () => readonly string[];
  readonly readsAreActivity?: boolean;
  /** Objects that are there from the beginning, stored as they are; the sample is not applied then. */
  readonly seedObjects?: readonly KubeObject[];
  /** Seeds other than the settings' own, for references. */
  readonly seed?: number;
  /** Run time at which the clock starts, after the epoch; for references. */
  readonly clockOffsetMs?: number;
  /** Overrides the settle window, for suspects. */
  readonly settleWindowMs?: number;
  /** From settle on, the target is not shown its own writes. */
  readonly withholdEcho?: boolean;
  /** After settling, a fresh incarnation takes over and settles too. */
  readonly freshIncarnation?: boolean;
  /** After settling, this much more run time passes with nothing to do. */
  readonly idleMs?: number;
  /** Programs that start after settling, each followed by another settling: used by references and drift probes. */
  readonly afterRest?: readonly Program[];
}

/** Runs one trial to its end. The world is closed when the promise resolves. */
export async function runTrial(options: TrialOptions): Promise<History> {
  const { host, settings, workload, scheduler } = options;
  const random = new Random(options.seed ?? settings.seed);
  const world = new World(host, options.snapshot, random, RUN_EPOCH_MS + (options.clockOffsetMs ?? 0));
  world.readsAreActivity = options.readsAreActivity ?? true;
  try {
    world.recorder.phase('setup');
    if (options.seedObjects !== undefined) host.server.seed(options.seedObjects);
    await setUp(world, workload, settings);
    world.recorder.phase('contention');
    world.startContention();
    for (const program of programsOf(world, workload)) world.startProgram(program);
    let lastItemMs = host.time.now();
    await pump(
      world,
      watching(scheduler, () => (lastItemMs = host.time.now())),
      {
        stepsMax: settings.stepsMax,
        hotMax: settings.stepsMax,
        mayWaitUntil: (atMs) => atMs <= lastItemMs + host.pace.contentionWaitMs,
      },
    );
    const { steps } = world;
    const missed = options.missed?.() ?? [];
    world.recorder.phase('heal');
    world.endPrograms();
    for (const { actor, writer, heal } of workload.programs) {
      if (heal !== undefined) world.startProgram({ actor, writer, ops: heal }, true);
    }
    world.recorder.phase('settle');
    let settlement = await settle(world, options);
    if (options.idleMs !== undefined) await idle(world, options.idleMs);
    for (const program of options.afterRest ?? []) {
      world.completed.clear();
      world.startProgram(program, true);
      settlement = await settle(world, options);
    }
    if (options.freshIncarnation === true) {
      world.retireTargets();
      world.launchTarget();
      settlement = await settle(world, options);
    }
    world.recorder.phase('end');
    return world.recorder.history(settlement, steps, missed);
  } finally {
    world.close();
    await host.drain(world);
  }
}

/** Applies the sample (or nothing yet) and lets the target come to rest, in the default order. */
async function setUp(world: World, workload: Workload, settings: RunSettings): Promise<void> {
  world.launchTarget();
  if (workload.start === 'settled') {
    await rest(world, settings);
    world.startProgram({ actor: 'user', writer: 'user', ops: createOps(world, workload) });
  }
  await rest(world, settings);
}

async function rest(world: World, settings: RunSettings): Promise<PumpEnd> {
  world.lastActivityMs = world.host.time.now();
  return pump(world, new ReplayScheduler(EMPTY_SCHEDULE), {
    stepsMax: settings.settleStepsMax,
    hotMax: HOT_ITEMS,
    mayWaitUntil: (atMs) => atMs <= world.lastActivityMs + world.host.pace.setupWindowMs,
  });
}

/** The programs of contention; with an empty start the user's begins by applying the sample. */
function programsOf(world: World, workload: Workload): readonly Program[] {
  if (workload.start === 'settled') return workload.programs;
  const user = workload.programs.find((program) => program.actor === 'user');
  const ops = [...createOps(world, workload), ...(user?.ops ?? [])];
  return [{ actor: 'user', writer: 'user', ops }, ...workload.programs.filter((program) => program.actor !== 'user')];
}

function createOps(world: World, workload: Workload): readonly ProgramOp[] {
  return workload.sample.map((object) => {
    const kind = world.host.server.kindFor(object.apiVersion, object.kind);
    invariant(kind !== undefined, `the sample's kind ${object.apiVersion} ${object.kind} is known to the server`);
    const { group, version, resource } = kind;
    const target = {
      group,
      version,
      resource,
      namespace: object.metadata.namespace ?? '',
      name: object.metadata.name ?? '',
    };
    return { do: 'create', target, object };
  });
}

async function settle(world: World, options: TrialOptions): Promise<Settlement> {
  const windowMs = options.settleWindowMs ?? options.settings.settleWindowMs;
  const { time } = world.host;
  const startMs = time.now();
  world.lastActivityMs = startMs;
  let outOfTime = false;
  const since = world.recorder.revisions.length;
  const end = await pump(world, new ReplayScheduler(EMPTY_SCHEDULE), {
    stepsMax: options.settings.settleStepsMax,
    hotMax: HOT_ITEMS,
    mayWaitUntil: (atMs) => {
      const inWindow = atMs <= world.lastActivityMs + windowMs;
      outOfTime = inWindow && atMs > startMs + windowMs * SETTLE_WINDOWS_MAX;
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

/** Tells when anything but a timer happened. */
function watching(scheduler: Scheduler, moved: () => void): Scheduler {
  return {
    holding: () => scheduler.holding(),
    next: (view) => {
      const choice = scheduler.next(view);
      if (choice !== undefined && choice.item.kind !== 'timer') moved();
      return choice;
    },
  };
}
