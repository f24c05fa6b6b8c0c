/**
 * A set of fields, and its FieldsV1 form.
 *
 * Owns: the set operations of structured-merge-diff `fieldpath/set.go` and the codec of `serialize.go`. A set is built by {@link
 * FieldSet.insert} and never changed once it is shared; operations that change nothing return their receiver, which keeps its cached
 * encoding.
 */
import { isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { parseElement, sortedElements } from './path-element.ts';
import type { MapType, TypeNode } from './types.ts';

type Members = Set<string>;
type Children = Map<string, FieldSet>;

const NO_MEMBERS: Members = new Set();
const NO_CHILDREN: Children = new Map();

export class FieldSet {
  /** Members of the set. */
  members: Members = NO_MEMBERS;
  /** Fields with members below them. */
  children: Children = NO_CHILDREN;
  /** The type that this set was reconciled with: see `reconcile.ts`. */
  fits: TypeNode | undefined = undefined;
  #encoded: JsonObject | undefined = undefined;

  /** Adds the field at `path`; allowed only while the set is not shared. */
  insert(path: readonly string[]): void {
    const last = path.length - 1;
    const name = path[last];
    // The object itself has no owner.
    if (name === undefined) return;
    let node = last === 0 ? undefined : this.descend(path[0] as string);
    for (let index = 1; index < last; index++) node = node?.descend(path[index] as string);
    (node ?? this).add(name);
  }

  add(element: string): void {
    if (this.members === NO_MEMBERS) this.members = new Set();
    this.members.add(element);
  }

  /** Returns the set below `element`, created if needed. */
  descend(element: string): FieldSet {
    let child = this.children.get(element);
    if (child === undefined) {
      child = new FieldSet();
      this.attach(element, child);
    }
    return child;
  }

  attach(element: string, child: FieldSet): void {
    if (this.children === NO_CHILDREN) this.children = new Map();
    this.children.set(element, child);
  }

  get empty(): boolean {
    if (this.members.size > 0) return false;
    for (const child of this.children.values()) if (!child.empty) return false;
    return true;
  }

  has(path: readonly string[]): boolean {
    const [first = '', ...rest] = path;
    return rest.length === 0 ? this.members.has(first) : (this.children.get(first)?.has(rest) ?? false);
  }

  union(other: FieldSet): FieldSet {
    if (other === this || other.empty) return this;
    if (this.empty) return other;
    let members = this.members;
    for (const element of other.members)
      if (!members.has(element)) {
        if (members === this.members) members = new Set(members);
        members.add(element);
      }
    let children = this.children;
    for (const [element, set] of other.children) {
      const mine = this.children.get(element);
      const joined = mine === undefined ? set : mine.union(set);
      if (joined === mine) continue;
      if (children === this.children) children = new Map(children);
      children.set(element, joined);
    }
    return this.#with(members, children);
  }

  /** Returns the union of any number of sets, in linear time. */
  static unionOf(sets: readonly FieldSet[]): FieldSet {
    const [first = EMPTY_SET] = sets;
    if (sets.length < 2) return first;
    const made = new FieldSet();
    const below = new Map<string, FieldSet[]>();
    for (const { members, children } of sets) {
      for (const element of members) made.add(element);
      for (const [element, child] of children) {
        const same = below.get(element);
        if (same === undefined) below.set(element, [child]);
        else same.push(child);
      }
    }
    for (const [element, same] of below) made.attach(element, FieldSet.unionOf(same));
    return made;
  }

  intersection(other: FieldSet): FieldSet {
    const made = new FieldSet();
    for (const element of this.members) if (other.members.has(element)) made.add(element);
    for (const [element, set] of this.children) {
      const theirs = other.children.get(element);
      if (theirs === undefined) continue;
      const both = set.intersection(theirs);
      if (!both.empty) made.attach(element, both);
    }
    return made;
  }

  /** Returns the set without the fields of `other`: removing a parent does not remove its children. */
  difference(other: FieldSet): FieldSet {
    return this.#without(other, false);
  }

  /** Returns the set without the fields of `other` and everything below them. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.#without(other, true);
  }

  #without(other: FieldSet, recursive: boolean): FieldSet {
    if (other.members.size === 0 && other.children.size === 0) return this;
    let members = this.members;
    // Walks the smaller set: many managers own few fields each, and are compared with one large change.
    const mine = this.members.size < other.members.size;
    for (const element of mine ? this.members : other.members)
      if (mine ? other.members.has(element) : members.has(element)) {
        if (members === this.members) members = new Set(members);
        members.delete(element);
      }
    let children = this.children;
    const replace = (element: string, set: FieldSet | undefined): void => {
      if (children === this.children) children = new Map(children);
      if (set === undefined) children.delete(element);
      else children.set(element, set);
    };
    if (this.children.size > 0) {
      for (const [element, below] of this.children) {
        if (recursive && other.members.has(element)) {
          replace(element, undefined);
          continue;
        }
        const theirs = other.children.get(element);
        if (theirs === undefined) continue;
        const rest = below.#without(theirs, recursive);
        if (rest !== below) replace(element, rest.empty ? undefined : rest);
      }
    }
    return this.#with(members, children);
  }

  #with(members: Members, children: Children): FieldSet {
    if (members === this.members && children === this.children) return this;
    const made = new FieldSet();
    made.members = members;
    made.children = children;
    return made;
  }

  /** Returns the set with the declared fields on the paths to its members added. */
  withNamedFields(type: TypeNode | undefined): FieldSet {
    if (this.children.size === 0) return this;
    const made = new FieldSet();
    made.members = new Set(this.members);
    for (const [element, set] of this.children) {
      const map = type?.map;
      let below: TypeNode | undefined;
      if (element.startsWith('f:')) {
        const name = element.slice(2);
        if (map?.fields.has(name) === true) made.members.add(element);
        below = map === undefined ? undefined : fieldType(map, name);
      } else if (element.startsWith('k:')) below = type?.list?.element();
      made.attach(element, set.withNamedFields(below));
    }
    return made;
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.members.size !== other.members.size || this.children.size !== other.children.size) return false;
    for (const element of this.members) if (!other.members.has(element)) return false;
    for (const [element, set] of this.children) {
      const theirs = other.children.get(element);
      if (theirs === undefined || !set.equals(theirs)) return false;
    }
    return true;
  }

  /** Calls `visit` with every path in order, parents first. */
  forEach(visit: (path: readonly string[]) => void, prefix: readonly string[] = []): void {
    for (const element of sortedElements([...this.members])) visit([...prefix, element]);
    for (const element of sortedElements([...this.children.keys()]))
      this.children.get(element)?.forEach(visit, [...prefix, element]);
  }

  /** Returns the set as FieldsV1: the same object each time. */
  encode(): JsonObject {
    this.#encoded ??= this.#encode(false);
    return this.#encoded;
  }

  #encode(self: boolean): JsonObject {
    const out: { [key: string]: JsonValue } = {};
    if (self) out['.'] = NOTHING;
    for (const element of this.#elements()) {
      const child = this.children.get(element);
      if (child === undefined) out[element] = NOTHING;
      else out[element] = this.members.has(element) ? child.#encode(true) : child.encode();
    }
    return out;
  }

  #elements(): readonly string[] {
    const { members, children } = this;
    if (children.size === 0 && members.size < 2) return [...members];
    const all = [...members];
    for (const element of children.keys()) if (!members.has(element)) all.push(element);
    return sortedElements(all);
  }
}

const NOTHING: JsonObject = {};

export const EMPTY_SET: FieldSet = new FieldSet();

/** Returns a set of dotted paths of plain field names. */
export function fieldSetOf(...paths: readonly string[]): FieldSet {
  const set = new FieldSet();
  for (const path of paths) set.insert(path.split('.').map((name) => `f:${name}`));
  return set;
}

/** Returns the type of one field of a map. */
export function fieldType(map: MapType, name: string): TypeNode | undefined {
  return map.fields.get(name)?.type() ?? map.element?.();
}

/** Parses FieldsV1; returns an error as a string. */
export function decodeFieldSet(raw: JsonValue): FieldSet | string {
  if (raw === null) return EMPTY_SET;
  if (!isMap(raw)) return 'fieldsV1 must be a map';
  const set = new FieldSet();
  const error = decodeInto(set, raw);
  return typeof error === 'string' ? error : set;
}

/** Decodes a subtree; returns whether it is itself a member of its parent, or an error as a string. */
function decodeInto(set: FieldSet, raw: JsonObject): boolean | string {
  let self = false;
  let any = false;
  for (const key in raw) {
    if (key === '.') {
      self = true;
      continue;
    }
    const element = parseElement(key);
    if (element === undefined) continue;
    if (typeof element !== 'string') return `parsing key as path element: ${element.why}`;
    const value = raw[key];
    const below = new FieldSet();
    const member = isMap(value) ? decodeInto(below, value) : true;
    if (typeof member === 'string') return member;
    if (member) set.add(element);
    if (below.members.size > 0 || below.children.size > 0) set.attach(element, below);
    any = true;
  }
  return self || !any;
}
