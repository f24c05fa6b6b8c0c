/**
 * A client that delays the deletion of an object, as backup and policy tools do.
 *
 * It adds a finalizer of its own and removes it at heal at the latest: no run may end with a deletion that only waits for the writer.
 */
import type { ProgramOp } from '../../model/workload.ts';
import type { AdversarialWriter } from '../../schedule/workload/writer.ts';
import { contestedAt, FINALIZERS, oneOf, undoAppends } from './moves.ts';

export const HOLD = 'stalemate.dev/hold';

export const finalizerAdder: AdversarialWriter = {
  name: 'finalizer-adder',
  about: 'adds a finalizer of its own to samples and children, and removes it later',
  contests: contestedAt('metadata.finalizers'),
  ops: (aim) =>
    oneOf(
      aim.objects.flatMap(({ target }) => {
        const add: ProgramOp = { do: 'append', target, path: FINALIZERS, item: HOLD };
        const remove: ProgramOp = { do: 'remove-item', target, path: FINALIZERS, item: HOLD };
        return [[add], [add, remove]];
      }),
    ),
  heal: undoAppends,
};
