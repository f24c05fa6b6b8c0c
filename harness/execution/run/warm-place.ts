/**
 * Where a process stands that lives through many runs: warm mode.
 *
 * Between two runs all that the last one made is deleted, by requests and events like any others, so that the target's caches follow;
 * versions go on rising. Owns: clearing up, and what is too harmed to go on with. What is found here counts only once a fresh process
 * has shown it too (`search/search.ts`). Start at {@link WarmPlace}.
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

/** A process that goes on is not given the time that one needs to start. */
const HURRY: Pick<Pace, 'setupWindowMs' | 'contentionWaitMs'> = { setupWindowMs: 0, contentionWaitMs: 25 };
/** How long nothing must happen before a run counts as settled; suspects are given longer. */
export const WARM_SETTLE_MS = 25;
const SLICE_MS = 20;
/** A process is replaced after so many runs: what leaks must not add up. */
const RUNS_MAX = 200;
/** What the target has to let go of (finalizers) is waited for this long before others take it away. */
const LET_GO_MS = 300;
const STEPS_MAX = 400;

export class WarmPlace {
  #world: World | undefined;
  #runs = 0;

  /** The world of the last run, made ready for another one; undefined where one has to be started. */
  take(): World | undefined {
    const world = this.#world;
    this.#world = undefined;
    return world;
  }

  /** Clears up after a run; false when the target cannot go on, and the world is to be ended. */
  async keep(world: World, random: Random): Promise<boolean> {
    const goesOn =
      ++this.#runs < RUNS_MAX &&
      world.incarnations.isOnlyLife &&
      (await clear(world)) &&
      world.incarnations.isOnlyLife &&
      world.gate.isIdle;
    if (!goesOn) {
      this.#runs = 0;
      return false;
    }
    world.hurry = HURRY;
    if (world.host.time instanceof WallClock) world.host.time.sliceMs = SLICE_MS;
    world.renew(objectsOf(world).filter(isKept), random);
    this.#world = world;
    return true;
  }
}

/** Deletes what the run has made, owners first; false when something stays, or was changed that had been there before. */
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
  world.startProgram({ actor: 'user', writer: 'user', ops }, true);
  const untilMs = world.host.time.now() + LET_GO_MS;
  await pump(world, new ReplayScheduler(EMPTY_SCHEDULE), {
    stepsMax: STEPS_MAX,
    hotMax: STEPS_MAX,
    mayWaitUntil: (atMs) => atMs <= untilMs && leftOver(world).length > 0,
  });
}

/** Records of what happened, and locks: nobody decides by them in another run. */
const RECORDS = /^(?:events(?:\.|$)|leases\.)/;

function leftOver(world: World): readonly Revision[] {
  return objectsOf(world).filter((revision) => !isKept(revision) && !RECORDS.test(revision.resource));
}

/** The nodes and the like that the environment needs: made once, and nobody's. */
function isKept({ actor, object, resource }: Revision): boolean {
  if (resource.startsWith('leases.')) return true;
  return roleOf(actor) === 'environment' && !RECORDS.test(resource) && controllerOf(object) === undefined;
}

/** The last version of everything that is there and was made or changed in this run, with whose it first was. */
function objectsOf({ recorder }: World): readonly Revision[] {
  const makers = new Map<string, ActorId>();
  for (const { uid, actor } of recorder.revisions) if (!makers.has(uid)) makers.set(uid, actor);
  return finalRevisions(recorder).map((revision) => ({
    ...revision,
    actor: makers.get(revision.uid) ?? revision.actor,
  }));
}
