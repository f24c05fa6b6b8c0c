/** Sets up a run before contention: starts the target, applies the sample, and waits for the target to process it. */
import { roleOf } from '../../model/actor.ts';
import { invariant } from '../../model/errors.ts';
import type { Program, ProgramOp, Workload } from '../../model/workload.ts';
import { objectTarget } from '../config/object-target.ts';
import { rest } from './settling.ts';
import type { TrialOptions } from './trial-options.ts';
import type { World } from './world.ts';

/** Applies the sample (unless the start is empty) and lets the target come to rest, in the default order. */
export async function setUp(world: World, options: TrialOptions): Promise<void> {
  const { recorder } = world;
  const { workload, habit } = options.start;
  const watches = (): number =>
    recorder.operations.filter(({ verb, outcome }) => verb === 'watch' && outcome.type === 'ok').length;
  world.incarnations.launchAll();
  await rest(world, options.settle, habit === undefined ? undefined : () => watches() >= habit.watches);
  if (workload.start === 'empty' || workload.sample.length === 0) return;
  world.startProgram({ actor: 'user', writer: 'user', ops: createOps(world, workload) });
  const usual = habit?.changes;
  const changes = (): number => recorder.revisions.filter(({ actor }) => roleOf(actor) === 'target').length;
  await rest(world, options.settle, usual === undefined ? undefined : () => changes() >= usual);
}

/** Returns the programs of contention; with an empty start, the user's program begins by applying the sample. */
export function programsOf(world: World, workload: Workload): readonly Program[] {
  if (workload.start === 'settled') return workload.programs;
  const user = workload.programs.find((program) => program.actor === 'user');
  const ops = [...createOps(world, workload), ...(user?.ops ?? [])];
  return [{ actor: 'user', writer: 'user', ops }, ...workload.programs.filter((program) => program.actor !== 'user')];
}

/** Returns the operations that create the sample. Its status, which a create ignores, is written through the subresource. */
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
