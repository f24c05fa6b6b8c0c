/**
 * A client that deletes an object and creates it again under the same name, with a new uid: the user, who applies a sample again, or
 * replaces a child of the target with `kubectl replace --force`.
 */
import { groupResource, parseApiVersion, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { AdversarialWriter, AimObject } from '../../schedule/workload/writer.ts';
import { isNeverDeleted, oneOf } from './moves.ts';
import type { Move } from './moves.ts';

export const recreator: AdversarialWriter = {
  name: 'recreator',
  about: 'deletes a sample or a child of the target and creates it again under the same name',
  stirs: (object) => isReplaced(object) || object.relation === 'sample',
  ops: (aim, { sample, garbageCollection }) =>
    oneOf(
      aim.objects.flatMap((object): readonly Move[] => {
        if (isReplaced(object)) return [[{ do: 'delete', target: object.target, recreate: 'same' }]];
        const recreate = object.relation === 'sample' ? manifestOf(object, sample) : undefined;
        if (recreate === undefined) return [];
        const { target } = object;
        const plain: Move = [{ do: 'delete', target, recreate }];
        const foreground: Move = [{ do: 'delete', target, propagation: 'Foreground', recreate }];
        return garbageCollection === true ? [plain, foreground] : [plain];
      }),
    ),
};

/** Reports whether an object is a child that a client can create again: its name is not generated, and the server sets none of its spec. */
function isReplaced({ relation, target }: AimObject): boolean {
  const resource = groupResource(target);
  const isComplete = !target.name.includes('~') && resource !== 'jobs.batch';
  return relation === 'created-by-target' && isComplete && !isNeverDeleted(resource);
}

/** Returns the object's manifest in the sample; undefined if it is not in the sample. */
export function manifestOf({ target, kind }: AimObject, sample: readonly KubeObject[]): KubeObject | undefined {
  return sample.find(
    (manifest) =>
      manifest.kind === kind &&
      parseApiVersion(manifest.apiVersion).group === target.group &&
      manifest.metadata.name === target.name &&
      (manifest.metadata.namespace ?? '') === target.namespace,
  );
}
