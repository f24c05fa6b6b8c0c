/** The user who deletes a sample and applies it again under the same name: a new uid for a known key. */
import { parseApiVersion, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { AdversarialWriter, AimObject } from '../../schedule/workload/writer.ts';
import { oneOf } from './moves.ts';
import type { Move } from './moves.ts';

export const recreator: AdversarialWriter = {
  name: 'recreator',
  about: 'deletes a sample and creates it again under the same name',
  ops: (aim, { sample, garbageCollection }) =>
    oneOf(
      aim.objects.flatMap((object): readonly Move[] => {
        const recreate = object.relation === 'sample' ? manifestOf(object, sample) : undefined;
        if (recreate === undefined) return [];
        const { target } = object;
        const plain: Move = [{ do: 'delete', target, recreate }];
        const foreground: Move = [{ do: 'delete', target, propagation: 'Foreground', recreate }];
        return garbageCollection === true ? [plain, foreground] : [plain];
      }),
    ),
};

/** Returns the manifest with which the user applied an object. */
export function manifestOf({ target, kind }: AimObject, sample: readonly KubeObject[]): KubeObject | undefined {
  return sample.find(
    (manifest) =>
      manifest.kind === kind &&
      parseApiVersion(manifest.apiVersion).group === target.group &&
      manifest.metadata.name === target.name &&
      (manifest.metadata.namespace ?? '') === target.namespace,
  );
}
