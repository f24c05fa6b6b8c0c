/**
 * Adapts owned fields to a changed schema.
 *
 * Owns: structured-merge-diff `typed/reconcile_schema.go`: a granular value that became atomic is owned as a whole. (If an atomic value
 * became granular, it is not known which fields were owned, so it stays owned as a whole.)
 */
import { FieldSet, fieldType } from './field-set.ts';
import { handled } from './typed.ts';
import { isDeducedMap, type TypeNode } from './types.ts';

/** Returns the set adapted to `type`; the set itself when it already fits. */
export function reconcile(set: FieldSet, type: TypeNode): FieldSet {
  if (set.fits === type) return set;
  const whole = new FieldSet();
  visit(type, set, false, [], whole);
  const fitting = whole.empty ? set : set.recursiveDifference(whole).union(whole);
  fitting.fits = type;
  return fitting;
}

/** Collects in `whole` the paths that have become atomic. */
function visit(
  type: TypeNode,
  set: FieldSet | undefined,
  leaf: boolean,
  path: readonly string[],
  whole: FieldSet,
): void {
  const { map, list } = type;
  switch (handled(type, 'any')) {
    case 'scalar':
      return;
    case 'list':
      if (list === undefined) return;
      if (list.atomic) {
        if (!leaf) whole.insert(path);
        return;
      }
      each(set, (element, below, member) => visit(list.element(), below, member, [...path, element], whole));
      return;
    case 'map':
      if (map === undefined || isDeducedMap(map)) return;
      if (map.atomic) {
        if (!leaf && set !== undefined && !set.empty) whole.insert(path);
        return;
      }
      each(set, (element, below, member) => {
        const type = element.startsWith('f:') ? fieldType(map, element.slice(2)) : map.element?.();
        if (type !== undefined) visit(type, below, member, [...path, element], whole);
      });
  }
}

function each(
  set: FieldSet | undefined,
  visitOne: (element: string, below: FieldSet | undefined, leaf: boolean) => void,
): void {
  if (set === undefined) return;
  for (const [element, below] of set.children) if (!set.members.has(element)) visitOne(element, below, false);
  for (const element of set.members) {
    const below = set.children.get(element);
    visitOne(element, below, below === undefined);
  }
}
