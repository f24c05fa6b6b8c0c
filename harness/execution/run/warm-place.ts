/**
 * Warm mode: keeps a process that is used for many runs.
 *
 * Between two runs, everything that the first run created is deleted with ordinary requests and events, so that the target's caches stay up
 * to date; resource versions keep rising. Owns: cleaning up, and when a process can no longer be used. A finding of a warm run counts only
 * if a fresh process shows it too (`search/search.ts`). Start at {@link WarmPlace}.
 */
import { controllerOf } from 'stalemate-apiserver/objects/object';
import type { Random } from '../../determinism/random.ts';
import { WallClock } from '../../determinism/run-clock.ts';
import { roleOf, type ActorId } from '../../model/actor.ts';
import { finalRevisions, type Revision } from '../../model/history.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { ObjectTarget, ProgramOp } from '../../model/workload.ts';
import { ReplayScheduler } from '../../schedule/replay-scheduler.ts';
import { objectTarget } from '../config/object-target.ts';
import { pump } from './pump.ts';
import type { Pace } from './pace.ts';
import type { World } from './world.ts';

/** The shorter limits of a warm run: a process that is already running needs no time to start. */
const HURRY: Pick<Pace, 'setupWindowMs' | 'contentionWaitMs'> = { setupWindowMs: 0, contentionWaitMs: 25 };
/** How long a run must be silent to count as settled, in ms; suspects get longer. */
export const WARM_SETTLE_MS = 25;
const SLICE_MS = 20;
/** The number of runs after which a process is replaced, so that leaks do not add up. */
const RUNS_MAX = 200;
/** How long to wait, in ms, for the target to remove its finalizers before the harness removes them. */
const LET_GO_MS = 300;
const STEPS_MAX = 400;

export class WarmPlace {
  #world: World | undefined;
  #runs = 0;

  /** Returns the world of the last run, ready for another one; undefined if a new one has to be created. */
  take(): World | undefined {
    const world = this.#world;
    this.#world = undefined;
    return world;
  }

  /** Cleans up after a run. Resolves to false if the target cannot be used again; the caller then ends the world. */
  async keep(world: World, random: Random): Promise<boolean> {
    const isReusable =
      ++this.#runs < RUNS_MAX &&
      world.incarnations.isOnlyLife &&
      (await clear(world)) &&
      world.incarnations.isOnlyLife &&
      world.gate.isIdle;
    if (!isReusable) {
      this.#runs = 0;
      return false;
    }
    world.hurry = HURRY;
    if (world.host.time instanceof WallClock) world.host.time.sliceMs = SLICE_MS;
    // This comes last: cleaning up still belongs to the old history, which determines the objects that are kept.
    world.renew(objectsOf(world).filter(isKept), random);
    this.#world = world;
    return true;
  }
}

/** Deletes what the run has created, owners first. Resolves to false if anything remains or older objects were changed. */
async function clear(world: World): Promise<boolean> {
  const created = new Set(world.recorder.revisions.flatMap(({ type, uid }) => (type === 'ADDED' ? [uid] : [])));
  if (objectsOf(world).some(({ uid, resource }) => !created.has(uid) && !RECORDS.test(resource))) return false;
  world.endPrograms();
  const owners = leftOver(world).filter(({ object }) => controllerOf(object) === undefined);
  await act(world, owners, (target) => ({ do: 'delete', target }));
  await act(world, leftOver(world), (target) => ({ do: 'delete', target }));
  await act(world, leftOver(world), (target) => {
    return { do: 'set', target, path: ['metadata', 'finalizers'], value: null, via: 'merge-patch' };
  });
  return leftOver(world).length === 0;
}

async function act(world: World, on: readonly Revision[], make: (target: ObjectTarget) => ProgramOp): Promise<void> {
  const ops = on.flatMap(({ object, uid }) => {
    const target = objectTarget(world.host.cluster, object, world.naming.byUid.get(uid));
    return target === undefined ? [] : [make(target)];
  });
  if (ops.length === 0) return;
  world.startProgram({ actor: 'user', writer: 'user', ops }, { outlastsContention: true });
  const untilMs = world.host.time.now() + LET_GO_MS;
  await pump(world, new ReplayScheduler(EMPTY_SCHEDULE), {
    stepsMax: STEPS_MAX,
    hotMax: STEPS_MAX,
    mayWaitUntil: (atMs) => atMs <= untilMs && leftOver(world).length > 0,
  });
}

/** Matches events and locks, which do not affect decisions in another run. */
const RECORDS = /^(?:events(?:\.|$)|leases\.)/;

function leftOver(world: World): readonly Revision[] {
  return objectsOf(world).filter((revision) => !isKept(revision) && !RECORDS.test(revision.resource));
}

/** Reports whether an object stays between runs: a lock, or an object that the environment creates once, such as a node. */
function isKept({ actor, object, resource }: Revision): boolean {
  if (resource.startsWith('leases.')) return true;
  return roleOf(actor) === 'environment' && !RECORDS.test(resource) && controllerOf(object) === undefined;
}

/** Returns the last version of each existing object that was created or changed in this run, with the actor that created it. */
function objectsOf({ recorder }: World): readonly Revision[] {
  const makers = new Map<string, ActorId>();
  for (const { uid, actor } of recorder.revisions) if (!makers.has(uid)) makers.set(uid, actor);
  return finalRevisions(recorder).map((revision) => ({
    ...revision,
    actor: makers.get(revision.uid) ?? revision.actor,
  }));
}
