/**
 * A client that changes what the target has written to an object: an image set by hand with kubectl, a key removed from a ConfigMap.
 *
 * A target that watches its objects and compares them repairs the change; it must also do so when its repair fails once. Values that other
 * clients depend on, such as selectors and ports, are left alone.
 */
import { groupResource, type JsonValue } from 'stalemate-apiserver/objects/object';
import { valueAt } from '../../model/edit.ts';
import { keySegment } from '../../model/leaf.ts';
import type { FieldPath } from '../../model/workload.ts';
import { asList, asMap, asText } from '../../schedule/workload/schema-view.ts';
import type { AdversarialWriter, AimObject } from '../../schedule/workload/writer.ts';
import { inStyles, isOwned, oneOf, schemaFields, setOp } from './moves.ts';
import type { Move } from './moves.ts';

const IMAGE = 'registry.example.com/drifted:1';
/** The most fields per object; more would add nothing new. */
const FIELDS_MAX = 3;

/** Where the containers of a built-in kind are. */
const CONTAINERS: { readonly [resource: string]: readonly string[] | undefined } = {
  pods: ['spec', 'containers'],
  'deployments.apps': ['spec', 'template', 'spec', 'containers'],
  'statefulsets.apps': ['spec', 'template', 'spec', 'containers'],
  'daemonsets.apps': ['spec', 'template', 'spec', 'containers'],
};

export const drifter: AdversarialWriter = {
  name: 'drifter',
  about: 'changes a spec or data field that the target has written to an object that it created',
  stirs: (object) => movesOn(object).length > 0,
  ops: (aim) => oneOf(aim.objects.flatMap(movesOn)),
};

function movesOn(aim: AimObject): readonly Move[] {
  const { relation, object } = aim;
  if (relation !== 'created-by-target' || object['immutable'] === true) return [];
  return fieldsOf(aim)
    .slice(0, FIELDS_MAX)
    .flatMap(([path, value]) => inStyles(object, path, (via) => [setOp(aim, path, value, via)]));
}

function fieldsOf(aim: AimObject): readonly (readonly [path: FieldPath, value: JsonValue])[] {
  const { object, target, ownedLeaves } = aim;
  if (aim.schema !== undefined)
    return schemaFields(aim).flatMap(([path, [value]]) =>
      value === undefined || !isOwned(aim, path) ? [] : [[path, value] as const],
    );
  // A key is removed rather than changed: a target that keeps its own state there need not understand any other text.
  if (groupResource(target) === 'configmaps')
    return Object.keys(asMap(object['data']) ?? {})
      .filter((key) => ownedLeaves.includes(`data${keySegment(key)}`))
      .map((key) => [['data', key], null] as const);
  const place = CONTAINERS[groupResource(target)];
  if (place === undefined) return [];
  return (asList(valueAt(object, place)) ?? []).flatMap((container) => {
    const name = asText(asMap(container)?.['name']);
    if (name === undefined || !ownedLeaves.includes(`${place.join('.')}[name=${name}].image`)) return [];
    return [[[...place, { name }, 'image'], IMAGE] as const];
  });
}
