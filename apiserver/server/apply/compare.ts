/**
 * The difference between two values, as sets of fields.
 *
 * Owns: structured-merge-diff `typed/compare.go`. Identical parts are skipped by reference: stored objects share unchanged parts.
 */
import { jsonEqual, isList, isMap } from '../../objects/json.ts';
import type { JsonValue } from '../../objects/object.ts';
import { EMPTY_SET, fieldType, FieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';
import { handled, isEmptyMap, knownItemName, shapeOf } from './typed.ts';
import { DEDUCED, type ListType, type MapType, type TypeNode } from './types.ts';

export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

const SAME: Comparison = { removed: EMPTY_SET, modified: EMPTY_SET, added: EMPTY_SET };

/** Compares two whole objects of one type. */
export function compare(type: TypeNode, from: JsonValue, to: JsonValue): Comparison {
  if (from === to) return SAME;
  const walk = new Walk();
  walk.compare(type, from, to);
  return walk;
}

/** Returns the comparison without `ignored` and everything below. */
export function excluding(comparison: Comparison, ignored: FieldSet): Comparison {
  if (ignored.empty || comparison === SAME) return comparison;
  const { removed, modified, added } = comparison;
  return {
    removed: removed.recursiveDifference(ignored),
    modified: modified.recursiveDifference(ignored),
    added: added.recursiveDifference(ignored),
  };
}

class Walk implements Comparison {
  readonly removed: FieldSet = new FieldSet();
  readonly modified: FieldSet = new FieldSet();
  readonly added: FieldSet = new FieldSet();
  readonly #path: string[] = [];

  compare(type: TypeNode, from: JsonValue | undefined, to: JsonValue | undefined): void {
    if (from === to) return;
    if (from === undefined && to !== undefined) {
      const last = this.#path.length - 1;
      let parent = this.added;
      for (let index = 0; index < last; index++) parent = parent.descend(this.#path[index] as string);
      if (last >= 0) addAll(type, to, parent, this.#path[last] as string);
      return;
    }
    const shapeFrom = shapeOf(type, from);
    const shapeTo = shapeOf(type, to);
    let leaf: boolean;
    if (to === undefined) leaf = this.#handle(type, handled(type, shapeFrom), from, to);
    else {
      // A value that was, say, a list and is now a map is compared as both.
      if (from !== undefined && shapeFrom !== shapeTo) this.#handle(type, handled(type, shapeFrom), from, to);
      leaf = this.#handle(type, handled(type, shapeTo), from, to);
    }
    if (leaf) return;
    if (from === undefined) this.added.insert(this.#path);
    else if (to === undefined) this.removed.insert(this.#path);
  }

  /** Compares a value as a map, list or scalar; reports whether it is atomic. */
  #handle(
    type: TypeNode,
    form: 'map' | 'scalar' | 'list',
    from: JsonValue | undefined,
    to: JsonValue | undefined,
  ): boolean {
    if (form === 'map' && type.map !== undefined && !type.map.atomic && (isFullMap(from) || isFullMap(to))) {
      this.#maps(type.map, from, to);
      return false;
    }
    if (form === 'list' && type.list !== undefined && !type.list.atomic && (isFullList(from) || isFullList(to))) {
      // Computing the keys of items costs more than an equality check, and most lists are equal.
      if (to !== undefined && jsonEqual(from, to)) return false;
      this.#lists(type.list, isList(from) ? from : [], isList(to) ? to : []);
      return false;
    }
    if (from === undefined) this.added.insert(this.#path);
    else if (to === undefined) this.removed.insert(this.#path);
    else if (!jsonEqual(from, to)) this.modified.insert(this.#path);
    return true;
  }

  #maps(map: MapType, from: JsonValue | undefined, to: JsonValue | undefined): void {
    const left = isMap(from) ? from : undefined;
    const right = isMap(to) ? to : undefined;
    for (const name in left) {
      const value = left[name];
      if (value !== undefined) this.#field(map, name, value, right?.[name]);
    }
    for (const name in right) {
      const value = right[name];
      if (value !== undefined && left?.[name] === undefined) this.#field(map, name, undefined, value);
    }
  }

  #field(map: MapType, name: string, from: JsonValue | undefined, to: JsonValue | undefined): void {
    if (from === to) return;
    this.#below(fieldElement(name), fieldType(map, name) ?? DEDUCED, from, to);
  }

  #below(element: string, type: TypeNode, from: JsonValue | undefined, to: JsonValue | undefined): void {
    this.#path.push(element);
    this.compare(type, from, to);
    this.#path.pop();
  }

  #lists(list: ListType, from: readonly JsonValue[], to: readonly JsonValue[]): void {
    const before = byName(list, from);
    const after = byName(list, to);
    for (const [name, left] of before) this.#items(list, name, left, after.get(name) ?? []);
    for (const [name, right] of after) if (!before.has(name)) this.#items(list, name, [], right);
  }

  /** Compares the items with one key. If a list repeats the key, the duplicates are tracked as one item: the key alone, without its fields. */
  #items(list: ListType, name: string, left: readonly JsonValue[], right: readonly JsonValue[]): void {
    const type = list.element();
    if (left.length <= 1 && right.length <= 1) {
      this.#below(name, type, left[0], right[0]);
      return;
    }
    if (left.length >= 2 && right.length >= 2) {
      if (!jsonEqual(left, right)) this.modified.insert([...this.#path, name]);
    } else if (left.length >= 2) {
      if (right.length > 0) this.#below(name, type, undefined, right[0]);
      this.removed.insert([...this.#path, name]);
    } else {
      if (left.length > 0) this.#below(name, type, left[0], undefined);
      this.added.insert([...this.#path, name]);
    }
  }
}

/** Adds a new value, with everything in it, as `element` of `set`. */
function addAll(type: TypeNode, value: JsonValue, set: FieldSet, element: string): void {
  set.add(element);
  const form = handled(type, shapeOf(type, value));
  if (form === 'map' && type.map !== undefined && !type.map.atomic && isMap(value)) {
    let below: FieldSet | undefined;
    for (const name in value) {
      const item = value[name];
      if (item === undefined) continue;
      below ??= set.descend(element);
      addAll(fieldType(type.map, name) ?? DEDUCED, item, below, fieldElement(name));
    }
  } else if (form === 'list' && type.list !== undefined && !type.list.atomic && isList(value) && value.length > 0) {
    const below = set.descend(element);
    for (const [name, items] of byName(type.list, value)) {
      const [only] = items;
      if (items.length === 1 && only !== undefined) addAll(type.list.element(), only, below, name);
      else below.add(name);
    }
  }
}

function isFullMap(value: JsonValue | undefined): boolean {
  return isMap(value) && !isEmptyMap(value);
}

function isFullList(value: JsonValue | undefined): boolean {
  return isList(value) && value.length > 0;
}

function byName(list: ListType, items: readonly JsonValue[]): ReadonlyMap<string, readonly JsonValue[]> {
  const named = new Map<string, JsonValue[]>();
  items.forEach((item, index) => {
    const name = knownItemName(list, item, index);
    const same = named.get(name);
    if (same === undefined) named.set(name, [item]);
    else same.push(item);
  });
  return named;
}
