/**
 * A client that removes a label from an object of the target, and adds it again later: a mistake with kubectl, a policy tool.
 *
 * A target that selects its objects by that label loses one of them, creates another, and finds both again at heal.
 */
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import { valueAt } from '../../model/edit.ts';
import type { ProgramOp } from '../../model/workload.ts';
import type { AdversarialWriter, Aim, AimObject } from '../../schedule/workload/writer.ts';
import { inStyles, oneOf, setOp } from './moves.ts';
import type { Move } from './moves.ts';

/** The most labels per object; more would add nothing new. */
const LABELS_MAX = 3;

export const labelStripper: AdversarialWriter = {
  name: 'label-stripper',
  about: 'removes a label that may be used to find it from an object of the target, and restores it later',
  ops: (aim) => oneOf(aim.objects.flatMap(labelMoves)),
  heal: (ops, aim) => ops.slice(0, 1).flatMap((op) => putBack(op, aim)),
};

function labelMoves(aim: AimObject): readonly Move[] {
  if (aim.relation !== 'created-by-target') return [];
  return Object.entries(aim.object.metadata.labels ?? {})
    .slice(0, LABELS_MAX)
    .flatMap(([key, value]) => {
      const path = ['metadata', 'labels', key];
      return inStyles(aim.object, path, (via) => [setOp(aim, path, null, via)]).flatMap((strip) => [
        strip,
        [...strip, setOp(aim, path, value, 'merge-patch')],
      ]);
    });
}

/** Returns the operations that restore the value that the label had when the target was at rest. */
function putBack(op: ProgramOp, { objects }: Aim): readonly ProgramOp[] {
  if (op.do !== 'set') return [];
  const { target, path } = op;
  const aim = objects.find((object) => jsonEqual({ ...object.target }, { ...target }));
  const value = aim === undefined ? undefined : valueAt(aim.object, path);
  return aim === undefined || value === undefined ? [] : [setOp(aim, path, value, 'merge-patch')];
}
