/**
 * A client that deletes: a child of the target, which the target should then create again, or everything that the user applied.
 *
 * Reference runs delete all samples too; deleting only some of several samples is not known to be healthy.
 */
import { groupResource } from 'stalemate-apiserver/objects/object';
import type { ProgramOp } from '../../model/workload.ts';
import type { AdversarialWriter, AimObject, WriterContext } from '../../schedule/workload/writer.ts';
import { isNeverDeleted, oneOf } from './moves.ts';
import type { Move } from './moves.ts';

/** The most samples that one short program deletes. */
const SAMPLES_MAX = 3;
export const deleter: AdversarialWriter = {
  name: 'deleter',
  about: 'deletes a child of the target, or all that the user applied',
  stirs: (object) => isChild(object) || object.relation === 'sample',
  ops: (aim, context) => {
    const children = aim.objects.filter(isChild);
    const samples = aim.objects.filter(({ relation }) => relation === 'sample');
    const moves: Move[] = children.flatMap((child) => deletions(child, context).map((op): Move => [op]));
    // The second deletion races with the target's reaction to the first one.
    moves.push(
      ...children.map(({ target }): Move => [
        { do: 'delete', target },
        { do: 'delete', target },
      ]),
    );
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
