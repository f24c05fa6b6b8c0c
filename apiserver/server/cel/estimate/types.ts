/**
 * cel-go's types of expressions, and unification of type parameters.
 *
 * cel-js infers coarser types in some cases, and cost estimates depend on cel-go's.
 */

export type TypeKind =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'int'
  | 'string'
  | 'timestamp'
  | 'uint'
  | 'null'
  | 'dyn'
  | 'list'
  | 'map'
  | 'struct'
  | 'opaque'
  | 'type'
  | 'param';

export interface Type {
  readonly kind: TypeKind;
  /** Distinguishes structs, opaque types and parameters. */
  readonly name: string;
  readonly params: readonly Type[];
  /** The schema of an object, with its fields. */
  readonly declared?: Declared;
}

const SIMPLE: ReadonlyMap<string, Type> = new Map(
  (['bool', 'bytes', 'double', 'duration', 'int', 'string', 'timestamp', 'uint', 'null', 'dyn'] as const).map(
    (kind) => [kind, { kind, name: kind, params: [] }],
  ),
);

export function simple(kind: TypeKind): Type {
  const type = SIMPLE.get(kind);
  return type ?? { kind, name: kind, params: [] };
}

export const DYN: Type = simple('dyn');
export const BOOL: Type = simple('bool');
export const INT: Type = simple('int');
export const STRING: Type = simple('string');

export function listOf(item: Type): Type {
  return { kind: 'list', name: 'list', params: [item] };
}

export function mapOf(key: Type, value: Type): Type {
  return { kind: 'map', name: 'map', params: [key, value] };
}

export function optionalOf(held: Type): Type {
  return { kind: 'opaque', name: 'optional', params: [held] };
}

export function isOptional(type: Type): boolean {
  return type.kind === 'opaque' && type.name === 'optional';
}

/** Reports whether two types are the same; type parameters are compared by name. */
export function sameType(left: Type, right: Type): boolean {
  if (left === right) return true;
  return (
    left.kind === right.kind &&
    left.name === right.name &&
    left.declared === right.declared &&
    left.params.length === right.params.length &&
    left.params.every((one, at) => sameType(one, right.params[at] ?? DYN))
  );
}

const NULLABLE: ReadonlySet<TypeKind> = new Set(['opaque', 'struct', 'duration', 'timestamp']);

/** Reports whether the first type is at most as specific as the second. */
function isNoMoreSpecific(left: Type, right: Type): boolean {
  if (left.kind === 'dyn' || left.kind === 'param') return true;
  if (right.kind === 'dyn' || right.kind === 'param' || left.kind !== right.kind) return false;
  if (left.kind === 'type') return true;
  if (left.kind !== 'opaque' && left.kind !== 'list' && left.kind !== 'map') return sameType(left, right);
  return (
    left.name === right.name &&
    left.params.length === right.params.length &&
    left.params.every((one, at) => isNoMoreSpecific(one, right.params[at] ?? DYN))
  );
}

export function mostGeneral(left: Type, right: Type): Type {
  return isNoMoreSpecific(left, right) ? left : right;
}

/** The bindings of type parameters in one expression. */
export class Bindings {
  readonly #bound = new Map<string, Type>();
  /** A log of changes, so that a failed attempt can be rolled back. */
  readonly #trail: (readonly [string, Type | undefined])[] = [];
  #fresh = 0;

  newParameter(): Type {
    return { kind: 'param', name: `_${this.#fresh++}`, params: [] };
  }

  /** Reports whether values of the first types are assignable to the second types, in order. Binds type parameters only if they all are. */
  assignable(from: readonly Type[], to: readonly Type[]): boolean {
    const mark = this.#trail.length;
    if (this.#allAssignable(from, to)) return true;
    for (const [name, before] of this.#trail.splice(mark).reverse())
      if (before === undefined) this.#bound.delete(name);
      else this.#bound.set(name, before);
    return false;
  }

  /** Substitutes parameters. `final`: unbound parameters become dynamic. */
  resolved(type: Type, final: boolean): Type {
    if (type.kind === 'param') {
      const bound = this.#bound.get(type.name);
      if (bound !== undefined) return this.resolved(bound, final);
      return final ? DYN : type;
    }
    if (type.params.length === 0) return type;
    const params = type.params.map((one) => this.resolved(one, final));
    return params.every((one, at) => one === type.params[at]) ? type : { ...type, params };
  }

  #bind(parameter: Type, type: Type): void {
    this.#trail.push([parameter.name, this.#bound.get(parameter.name)]);
    this.#bound.set(parameter.name, type);
  }

  #allAssignable(from: readonly Type[], to: readonly Type[]): boolean {
    return from.length === to.length && from.every((one, at) => this.#isAssignable(one, to[at] ?? DYN));
  }

  #isAssignable(from: Type, to: Type): boolean {
    if (to.kind === 'param') {
      const known = this.#bound.has(to.name);
      if (this.#standsFor(from, to)) return true;
      if (known) return false;
    }
    if (from.kind === 'param') return this.#standsFor(to, from);
    if (from.kind === 'dyn' || to.kind === 'dyn') return true;
    if (from.kind === 'null') return to.kind === 'null' || NULLABLE.has(to.kind);
    if (to.kind === 'null') return NULLABLE.has(from.kind);
    if (from.kind === 'type') return to.kind === 'type';
    if (from.params.length > 0)
      return from.kind === to.kind && from.name === to.name && this.#allAssignable(from.params, to.params);
    return sameType(from, to);
  }

  /** Reports whether `parameter` can be bound to `type`; if so, binds it to that type or to a more general one. */
  #standsFor(type: Type, parameter: Type): boolean {
    if (sameType(type, parameter)) return true;
    const bound = this.#bound.get(parameter.name);
    if (bound === undefined) {
      if (!this.#isFreeOf(parameter, type)) return false;
      this.#bind(parameter, type);
      return true;
    }
    if (sameType(type, bound)) return true;
    if (!this.#isAssignable(type, bound)) return false;
    const general = mostGeneral(type, bound);
    if (this.#isFreeOf(parameter, general)) this.#bind(parameter, general);
    return true;
  }

  #isFreeOf(parameter: Type, within: Type): boolean {
    if (sameType(parameter, within)) return false;
    if (within.kind !== 'param') return within.params.every((one) => this.#isFreeOf(parameter, one));
    const bound = this.#bound.get(within.name);
    return bound === undefined || this.#isFreeOf(parameter, bound);
  }
}

/** One value that a schema declares. */
export interface Declared {
  readonly type: Type;
  /** Maximum items, entries, characters or bytes; 0 for values without size. */
  readonly max: number;
  /** Minimum bytes as JSON. */
  readonly bytesMin: number;
  /** For objects: the fields by escaped name. */
  readonly fields?: ReadonlyMap<string, Declared>;
  readonly key?: Declared;
  /** For lists and maps: the items. */
  readonly item?: Declared;
}
