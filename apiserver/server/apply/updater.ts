/**
 * Computes which managers own which fields after an update or an apply, and the applied object.
 *
 * Owns: structured-merge-diff `merge/update.go`: conflicts, forced take-over, pruning of fields that are no longer applied. Does not own:
 * times, limits, stripped metadata (`manager.ts`). Start at {@link updateOwners} and {@link applyConfig}.
 */
import type { KubeObject } from '../../objects/object.ts';
import { jsonEqual } from '../../objects/json.ts';
import { compare, excluding, type Comparison } from './compare.ts';
import { FieldSet } from './field-set.ts';
import { owning, type Managed, type Owner } from './managed.ts';
import { merge } from './merge.ts';
import { reconcile } from './reconcile.ts';
import { removeItems } from './remove.ts';
import { ApplyError, fieldSetOfValue } from './typed.ts';
import type { TypeNode } from './types.ts';

/** One resource, as far as field ownership needs it. */
export interface TypedResource {
  /** The version of the request. */
  readonly apiVersion: string;
  /** Returns the type of objects in a version; undefined for versions that are no longer served. */
  typeIn(apiVersion: string): TypeNode | undefined;
  /** Returns the object in another version. */
  convert(object: KubeObject, apiVersion: string): KubeObject;
  /** Fields that the request cannot own, because the server resets them. */
  ignored(apiVersion: string): FieldSet;
}

/** A field that another manager owns. */
export interface Conflict {
  readonly owner: Owner;
  readonly path: readonly string[];
}

/** Thrown when an apply conflicts with the fields of other managers. */
export class Conflicts extends Error {
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super('conflicts');
    this.conflicts = conflicts;
  }
}

/** An object in the version of the request and in other versions, converted lazily. */
class Versions {
  readonly #typedResource: TypedResource;
  readonly #object: KubeObject;
  readonly #converted = new Map<string, KubeObject>();

  constructor(typedResource: TypedResource, object: KubeObject) {
    this.#typedResource = typedResource;
    this.#object = object;
  }

  in(apiVersion: string): KubeObject {
    if (apiVersion === this.#typedResource.apiVersion) return this.#object;
    let converted = this.#converted.get(apiVersion);
    if (converted === undefined)
      this.#converted.set(apiVersion, (converted = this.#typedResource.convert(this.#object, apiVersion)));
    return converted;
  }
}

function typeOf(typedResource: TypedResource): TypeNode {
  const type = typedResource.typeIn(typedResource.apiVersion);
  if (type === undefined) throw new ApplyError(`no corresponding type for ${typedResource.apiVersion}`);
  return type;
}

function reconciled(typedResource: TypedResource, managed: Managed): Map<string, Owner> {
  const out = new Map<string, Owner>();
  for (const [id, one] of managed) {
    const type = typedResource.typeIn(one.apiVersion);
    // Entries of removed versions are dropped.
    if (type !== undefined) out.set(id, owning(one, reconcile(one.set, type)));
  }
  return out;
}

/** Removes changed fields from all managers but `self`, in `managed`. Throws {@link Conflicts} when that needs force. */
function settle(
  typedResource: TypedResource,
  from: KubeObject,
  to: KubeObject,
  managed: Map<string, Owner>,
  self: string,
  force: boolean,
): Comparison {
  const own = excluding(compare(typeOf(typedResource), from, to), typedResource.ignored(typedResource.apiVersion));
  const comparisons = new Map<string, Comparison>([[typedResource.apiVersion, own]]);
  const before = new Versions(typedResource, from);
  const after = new Versions(typedResource, to);
  const conflicts: Conflict[] = [];
  const left: Owner[] = [];
  const changes = new Map<Comparison, FieldSet>();
  for (const [id, one] of managed) {
    if (id === self) continue;
    let comparison = comparisons.get(one.apiVersion);
    if (comparison === undefined) {
      const type = typedResource.typeIn(one.apiVersion);
      if (type === undefined) {
        managed.delete(id);
        continue;
      }
      const { apiVersion } = one;
      comparison = excluding(
        compare(type, before.in(apiVersion), after.in(apiVersion)),
        typedResource.ignored(apiVersion),
      );
      comparisons.set(apiVersion, comparison);
    }
    let { set } = one;
    let changed = changes.get(comparison);
    if (changed === undefined) changes.set(comparison, (changed = comparison.modified.union(comparison.added)));
    if (!changed.empty) {
      const taken = set.intersection(changed);
      if (!taken.empty) {
        if (!force) taken.forEach((path) => conflicts.push({ owner: one, path }));
        set = set.difference(taken);
      }
    }
    set = set.difference(comparison.removed);
    if (set === one.set) continue;
    set.fits = one.set.fits;
    left.push(owning(one, set));
  }
  if (!force && conflicts.length > 0) throw new Conflicts(conflicts);
  for (const one of left) managed.set(one.id, one);
  for (const [id, one] of managed) if (one.set.empty) managed.delete(id);
  return own;
}

/**
 * Returns the owners after a change from `from` to `to` that is not an apply: `managed` without the changed fields, and as `taken` the
 * changed fields, which the writer owns now.
 */
export function updateOwners(
  typedResource: TypedResource,
  from: KubeObject,
  to: KubeObject,
  managed: Managed,
): { readonly managed: Map<string, Owner>; readonly taken: FieldSet } {
  const out = reconciled(typedResource, managed);
  const { modified, added } = settle(typedResource, from, to, out, '', true);
  const taken = modified.union(added);
  return { managed: out, taken: taken.recursiveDifference(typedResource.ignored(typedResource.apiVersion)) };
}

/** Returns the result of an apply on the live object; `object` is undefined when nothing changes. */
export function applyConfig(
  typedResource: TypedResource,
  live: KubeObject,
  config: KubeObject,
  managed: Managed,
  self: Owner,
  force: boolean,
): { readonly object: KubeObject | undefined; readonly managed: Map<string, Owner> } {
  const type = typeOf(typedResource);
  const out = reconciled(typedResource, managed);
  const merged = merge(type, live, config) as KubeObject;
  const last = out.get(self.id);
  const set = fieldSetOfValue(type, config).recursiveDifference(typedResource.ignored(typedResource.apiVersion));
  out.set(self.id, { ...self, set, time: last?.time });
  const pruned = last === undefined || last.set.empty ? merged : prune(typedResource, merged, out, last);
  settle(typedResource, live, pruned, out, self.id, force);
  return { object: jsonEqual(live, pruned) ? undefined : pruned, managed: out };
}

/** Removes the fields that the manager applied last time but not now, unless another manager owns them. */
function prune(typedResource: TypedResource, merged: KubeObject, managed: Managed, last: Owner): KubeObject {
  const { apiVersion } = last;
  const type = typedResource.typeIn(apiVersion);
  if (type === undefined) return merged;
  const whole = typedResource.apiVersion === apiVersion ? merged : typedResource.convert(merged, apiVersion);
  const was = last.set.withNamedFields(type);
  let pruned = removeItems(type, whole, was) as KubeObject;
  pruned = withOwned(typedResource, whole, pruned, apiVersion, managed);
  const gone = fieldSetOfValue(type, whole)
    .withNamedFields(type)
    .difference(fieldSetOfValue(type, pruned).withNamedFields(type))
    .intersection(was);
  const kept = removeItems(type, whole, gone) as KubeObject;
  return apiVersion === typedResource.apiVersion ? kept : typedResource.convert(kept, typedResource.apiVersion);
}

/** Restores removed fields that another manager owns. */
function withOwned(
  typedResource: TypedResource,
  whole: KubeObject,
  pruned: KubeObject,
  first: string,
  managed: Managed,
): KubeObject {
  const owned = new Map<string, FieldSet[]>([[first, []]]);
  for (const { apiVersion, set } of managed.values()) {
    const sets = owned.get(apiVersion);
    if (sets === undefined) owned.set(apiVersion, [set]);
    else sets.push(set);
  }
  let kept = pruned;
  let full = whole;
  let current = first;
  const convertBoth = (apiVersion: string): void => {
    if (apiVersion === current) return;
    full = typedResource.convert(full, apiVersion);
    kept = typedResource.convert(kept, apiVersion);
    current = apiVersion;
  };
  for (const [apiVersion, sets] of owned) {
    const type = typedResource.typeIn(apiVersion);
    if (type === undefined) continue;
    convertBoth(apiVersion);
    const all = fieldSetOfValue(type, full).withNamedFields(type);
    const rest = fieldSetOfValue(type, kept).withNamedFields(type).union(FieldSet.unionOf(sets).withNamedFields(type));
    kept = removeItems(type, full, all.difference(rest)) as KubeObject;
  }
  convertBoth(first);
  return kept;
}
