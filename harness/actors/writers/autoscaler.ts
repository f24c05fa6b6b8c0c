/**
 * An autoscaler: uses `/scale` to set the replica count of objects that the target created, and does so again at rest.
 *
 * A target that leaves the count to other writers does not react; for a target that resets it, the drift test decides whether the field is
 * its own.
 */
import { isMap } from 'stalemate-apiserver/objects/json';
import type { AdversarialWriter } from '../../schedule/workload/writer.ts';
import { oneOf, setOp } from './moves.ts';
import type { Move } from './moves.ts';

export const autoscaler: AdversarialWriter = {
  name: 'autoscaler',
  about: 'scales what the target made, through the scale subresource, and again when all is at rest',
  standing: true,
  ops: (aim) =>
    oneOf(
      aim.objects.flatMap((object): readonly Move[] => {
        if (!object.hasScale || object.relation !== 'created-by-target') return [];
        const { spec } = object.object;
        const current = isMap(spec) && typeof spec['replicas'] === 'number' ? spec['replicas'] : 1;
        return [current + 1, current + 2].map((count) => [
          setOp(object, ['spec', 'replicas'], count, 'update', 'scale'),
        ]);
      }),
    ),
};
