/**
 * A client that deletes: a child of the target, which it should then make again, or everything that the user applied.
 *
 * Deleting all samples is what a reference run has done too; deleting some of several has not been seen to be healthy.
 */
import { groupResource } from 'stalemate-apiserver/objects/object';
import { isAside } from '../../model/aside.ts';
import type { ProgramOp } from '../../model/workload.ts';
import type { AdversarialWriter, AimObject, WriterContext } from '../../schedule/workload/writer.ts';
import { oneOf } from './moves.ts';
import type { Move } from './moves.ts';

/** More samples than this are not deleted in one short program. */
const SAMPLES_MAX = 3;
/** Children whose loss is a loss of what they hold, not something to make again: of all objects of a kind, where a definition goes. */
function isNeverDeleted(resource: string): boolean {
  return isAside(resource) || resource === 'customresourcedefinitions.apiextensions.k8s.io';
}

export const deleter: AdversarialWriter = {
  name: 'deleter',
  about: 'deletes a child of the target, or all that the user applied',
  stirs: isChild,
  ops: (aim, context) => {
    const children = aim.objects.filter(isChild);
    const samples = aim.objects.filter(({ relation }) => relation === 'sample');
    const moves: Move[] = children.flatMap((child) => deletions(child, context).map((op): Move => [op]));
    if (samples.length > 0 && samples.length <= SAMPLES_MAX) {
      moves.push(samples.map(({ target }): ProgramOp => ({ do: 'delete', target })));
      if (context.garbageCollection === true) {
        moves.push(samples.map(({ target }): ProgramOp => ({ do: 'delete', target, propagation: 'Foreground' })));
      }
    }
    return oneOf(moves);
  },
};

function isChild({ relation, target }: AimObject): boolean {
  return relation === 'created-by-target' && !isNeverDeleted(groupResource(target));
}

function deletions({ target }: AimObject, { garbageCollection }: WriterContext): readonly ProgramOp[] {
  const plain: ProgramOp = { do: 'delete', target };
  return garbageCollection === true ? [plain, { do: 'delete', target, propagation: 'Foreground' }] : [plain];
}
