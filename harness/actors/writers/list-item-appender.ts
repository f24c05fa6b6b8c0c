/**
 * A client that adds an item of its own to lists with items of other clients: conditions, owner references, finalizers, pull secrets.
 *
 * A target that replaces such a list as a whole drops the item. Finalizers are removed again at heal; the other items stay.
 */
import { groupResource } from 'stalemate-apiserver/objects/object';
import type { AdversarialWriter, AimObject, WriterContext } from '../../schedule/workload/writer.ts';
import { CONDITIONS, conditionFor } from './conditions.ts';
import { appendOp, contestedAt, FINALIZERS, isFinalizer, oneOf, undoAppends } from './moves.ts';
import type { Move } from './moves.ts';

const NAME = 'list-item-appender';

export const listItemAppender: AdversarialWriter = {
  name: NAME,
  about: 'appends an item of its own to conditions, owner references, finalizers and image pull secrets',
  contests: contestedAt('metadata.finalizers'),
  ops: (aim, context) => oneOf(aim.objects.flatMap((object) => itemMoves(object, context))),
  heal: (ops) => undoAppends(ops.filter(isFinalizer)),
};

function itemMoves(aim: AimObject, context: WriterContext): readonly Move[] {
  const moves: Move[] = [];
  const condition = conditionFor(aim, 'Scanned', 'True', NAME);
  if (condition !== undefined) moves.push([appendOp(aim, CONDITIONS, condition, 'status')]);
  const { bystander } = context;
  // The owner reference with `controller: true` is the target's; any client may add a plain one, of an owner in the same namespace: the
  // garbage collector takes any other for gone.
  if (bystander !== undefined && bystander.namespace === aim.target.namespace)
    moves.push([appendOp(aim, ['metadata', 'ownerReferences'], bystander.reference)]);
  moves.push([appendOp(aim, FINALIZERS, 'stalemate.dev/guard')]);
  if (groupResource(aim.target) === 'serviceaccounts') {
    moves.push([appendOp(aim, ['imagePullSecrets'], { name: 'stalemate-pull' })]);
  }
  return moves;
}
