/**
 * A client that scales through `/scale`, as an autoscaler does.
 *
 * A sample gets only replica counts that were healthy in reference runs; a child gets one more or one less than at rest.
 */
import { isMap, jsonEqual } from 'stalemate-apiserver/objects/json';
import type { ProgramOp } from '../../model/workload.ts';
import type { AdversarialWriter, Aim, AimObject } from '../../schedule/workload/writer.ts';
import { oneOf } from './moves.ts';
import type { Move } from './moves.ts';

export const scaleWriter: AdversarialWriter = {
  name: 'scale-writer',
  about: 'changes the replica count through the scale subresource',
  changesSpec: true,
  ops: (aim) => oneOf(aim.objects.flatMap((object) => (object.hasScale ? scaleMoves(object, aim) : []))),
};

function scaleMoves(object: AimObject, aim: Aim): readonly Move[] {
  const { spec } = object.object;
  const current = isMap(spec) && typeof spec['replicas'] === 'number' ? spec['replicas'] : undefined;
  const counts = object.relation === 'sample' ? healthyCounts(object, aim) : countsNear(current ?? 1);
  const scale = (value: number, via: 'update' | 'merge-patch'): ProgramOp => ({
    do: 'set',
    target: object.target,
    subresource: 'scale',
    path: ['spec', 'replicas'],
    value,
    via,
  });
  return counts
    .filter((count) => count !== current)
    .flatMap((count): readonly Move[] => [
      [scale(count, 'update')],
      [scale(count, 'merge-patch')],
      ...(current === undefined ? [] : [[scale(count, 'update'), scale(current, 'update')]]),
    ]);
}

function healthyCounts(object: AimObject, aim: Aim): readonly number[] {
  return aim.healthySpecChanges.flatMap(({ target, path, value }) =>
    path.length === 2 && path[1] === 'replicas' && typeof value === 'number' && sameTarget(target, object)
      ? [value]
      : [],
  );
}

function sameTarget(target: AimObject['target'], object: AimObject): boolean {
  return jsonEqual({ ...target }, { ...object.target });
}

function countsNear(current: number): readonly number[] {
  return current > 1 ? [current + 1, current - 1] : [current + 1];
}
