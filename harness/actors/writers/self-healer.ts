/**
 * A GitOps tool that keeps the sample as applied: it resets a spec field whenever another client changed it, and does so again at rest.
 *
 * It only sets what the user applied, so any order of its writes and the user's is legal.
 */
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import { valueAt } from '../../model/edit.ts';
import type { FieldPath } from '../../model/workload.ts';
import type { AdversarialWriter, Aim, WriterContext } from '../../schedule/workload/writer.ts';
import { inStyles, oneOf, setOp } from './moves.ts';
import type { Move } from './moves.ts';
import { manifestOf } from './recreator.ts';

export const selfHealer: AdversarialWriter = {
  name: 'self-healer',
  about: 'resets the spec of a sample to what was applied, repeatedly, as GitOps tools do',
  standing: true,
  ops: (aim, context) => oneOf(moves(aim, context)),
};

function moves(aim: Aim, { sample }: WriterContext): readonly Move[] {
  return aim.objects.flatMap((object): readonly Move[] => {
    const manifest = object.relation === 'sample' ? manifestOf(object, sample) : undefined;
    if (manifest === undefined) return [];
    return changeable(aim, object.target).flatMap((path) => {
      const value = valueAt(manifest, path) ?? null;
      return inStyles(object.object, path, (via) => [setOp(object, path, value, via)]);
    });
  });
}

/** Returns the fields of an object that other writers may change; resetting any other would have no effect. */
function changeable(aim: Aim, target: Aim['objects'][number]['target']): readonly FieldPath[] {
  const paths = new Map<string, FieldPath>();
  for (const change of aim.healthySpecChanges) {
    if (jsonEqual({ ...change.target }, { ...target })) paths.set(JSON.stringify(change.path), change.path);
  }
  return [...paths.values()];
}
