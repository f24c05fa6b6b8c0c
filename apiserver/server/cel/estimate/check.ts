/**
 * Resolves the types and overloads of an expression as cel-go's checker does. Start at {@link checked}.
 *
 * Does not report errors: cel-js has already accepted the expression. Nodes that cannot be typed are dynamic.
 */
import { overloadsOf, type Overload } from './functions.ts';
import { literalType, type Call, type Comprehension, type Node, type Select } from './syntax.ts';
import {
  Bindings,
  BOOL,
  DYN,
  INT,
  isOptional,
  listOf,
  mapOf,
  mostGeneral,
  optionalOf,
  sameType,
  type Type,
} from './types.ts';

/** Names of types, used as values of type `type`. */
const TYPE_NAMES = new Set([
  'bool',
  'bytes',
  'double',
  'int',
  'list',
  'map',
  'null_type',
  'string',
  'type',
  'uint',
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
  'optional_type',
  'net.IP',
  'net.CIDR',
  'kubernetes.URL',
  'kubernetes.Quantity',
  'kubernetes.Semver',
  'kubernetes.NamedFormat',
]);
const TYPE: Type = { kind: 'type', name: 'type', params: [DYN] };

/** Returns `a.b.c` as a name; undefined for other expressions. */
function qualifiedName(node: Node): string | undefined {
  if (node.op === 'ident') return node.name;
  if (node.op !== 'select' || node.test) return undefined;
  const operand = qualifiedName(node.operand);
  return operand === undefined ? undefined : `${operand}.${node.field}`;
}

/** Fills in the types and overloads of all nodes. Returns a function that resolves the type of a node. */
export function checked(root: Node, variables: ReadonlyMap<string, Type>): (node: Node) => Type {
  const checker = new Checker(variables);
  checker.check(root);
  return (node) => checker.bindings.resolved(node.type ?? DYN, true);
}

class Checker {
  readonly bindings = new Bindings();
  readonly #scope: Map<string, readonly Type[]>;

  constructor(variables: ReadonlyMap<string, Type>) {
    this.#scope = new Map([...variables].map(([name, type]) => [name, [type]]));
  }

  check(node: Node): Type {
    // A shared node is only checked once.
    return (node.type ??= this.#typeOf(node));
  }

  #typeOf(node: Node): Type {
    switch (node.op) {
      case 'literal':
        return literalType(node.value);
      case 'ident':
        return this.#lookup(node.name) ?? (TYPE_NAMES.has(node.name) ? TYPE : DYN);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return listOf(this.#joined(node.items));
      case 'map': {
        const key = this.#joined(node.entries.map(([one]) => one));
        return mapOf(key, this.#joined(node.entries.map(([, one]) => one)));
      }
      case 'comprehension':
        return this.#comprehension(node);
    }
  }

  #lookup(name: string): Type | undefined {
    return this.#scope.get(name)?.at(-1);
  }

  #within<T>(names: readonly (readonly [string, Type])[], run: () => T): T {
    for (const [name, type] of names) this.#scope.set(name, [...(this.#scope.get(name) ?? []), type]);
    const result = run();
    for (const [name] of names) this.#scope.set(name, (this.#scope.get(name) ?? []).slice(0, -1));
    return result;
  }

  /** Returns the joined type of some nodes; a free type parameter if there are none. */
  #joined(nodes: readonly Node[]): Type {
    let joined: Type | undefined;
    for (const node of nodes) {
      const type = this.check(node);
      if (joined === undefined) joined = type;
      else if (this.bindings.assignable([joined], [type])) joined = mostGeneral(joined, type);
      else return DYN;
    }
    return joined ?? this.bindings.newParameter();
  }

  #select(node: Select): Type {
    const name = qualifiedName(node);
    if (name !== undefined && TYPE_NAMES.has(name)) {
      node.qualified = name;
      return TYPE;
    }
    const type = this.#field(this.check(node.operand), node.field);
    return node.test ? BOOL : this.bindings.resolved(type, false);
  }

  #field(operand: Type, field: string): Type {
    const type = this.bindings.resolved(operand, false);
    const held = isOptional(type) ? (type.params[0] ?? DYN) : type;
    const result = this.#fieldOf(held, field);
    return held === type ? result : optionalOf(result);
  }

  #fieldOf(type: Type, field: string): Type {
    if (type.kind === 'map') return type.params[1] ?? DYN;
    if (type.kind === 'param') this.bindings.assignable([DYN], [type]);
    const fields = type.declared?.fields;
    // Fields that are reserved words can also be selected unescaped.
    return (fields?.get(field) ?? fields?.get(`__${field}__`))?.type ?? DYN;
  }

  #call(node: Call): Type {
    const { target, args } = node;
    if (node.name === '_?._') {
      const [operand, field] = args;
      if (operand === undefined || field?.op !== 'literal') return DYN;
      this.check(field);
      node.overloads = [SELECT_OPTIONAL];
      const type = this.#field(this.check(operand), String(field.value));
      return isOptional(type) ? type : optionalOf(type);
    }
    const types = args.map((one) => this.check(one));
    if (target === undefined) return this.#resolve(node, types, false);
    const prefix = qualifiedName(target);
    const namespaced = prefix === undefined ? undefined : `${prefix}.${node.name}`;
    if (namespaced !== undefined && overloadsOf(namespaced) !== undefined) {
      node.name = namespaced;
      node.target = undefined;
      return this.#resolve(node, types, false);
    }
    return this.#resolve(node, [this.check(target), ...types], true);
  }

  #resolve(node: Call, types: readonly Type[], member: boolean): Type {
    const fitting: Overload[] = [];
    let result: Type | undefined;
    for (const overload of overloadsOf(node.name) ?? []) {
      if (overload.member !== member || overload.args.length !== types.length) continue;
      const logical = node.name === '_&&_' || node.name === '_||_';
      const { args, returns } = this.#instance(overload);
      if (!this.bindings.assignable(types, args) && !logical) continue;
      fitting.push(overload);
      const own = this.bindings.resolved(returns, false);
      if (result === undefined) result = own;
      else if (result.kind !== 'dyn' && !sameType(own, result)) result = DYN;
    }
    node.overloads = fitting;
    return result ?? DYN;
  }

  /** Returns an overload with fresh type parameters. */
  #instance({ args, result, parameters }: Overload): { readonly args: readonly Type[]; readonly returns: Type } {
    if (parameters.length === 0) return { args, returns: result };
    const fresh = new Map(parameters.map((one) => [one.name, this.bindings.newParameter()]));
    const replaced = (type: Type): Type =>
      type.kind === 'param'
        ? (fresh.get(type.name) ?? type)
        : type.params.length === 0
          ? type
          : { ...type, params: type.params.map(replaced) };
    return { args: args.map(replaced), returns: replaced(result) };
  }

  #comprehension(node: Comprehension): Type {
    const range = this.bindings.resolved(this.check(node.range), false);
    const accumulated = this.check(node.init);
    let [key, value]: readonly [Type, Type] = [DYN, DYN];
    if (range.kind === 'list') [key, value] = [INT, range.params[0] ?? DYN];
    else if (range.kind === 'map') [key, value] = [range.params[0] ?? DYN, range.params[1] ?? DYN];
    else this.bindings.assignable([DYN], [range]);
    const variables: readonly (readonly [string, Type])[] =
      node.second === undefined
        ? [[node.variable, range.kind === 'list' ? value : key]]
        : [
            [node.variable, key],
            [node.second, value],
          ];
    return this.#within([[node.accumulator, accumulated]], () => {
      this.#within(variables, () => {
        this.bindings.assignable([BOOL], [this.check(node.condition)]);
        this.bindings.assignable([accumulated], [this.check(node.step)]);
      });
      return this.bindings.resolved(this.check(node.result), false);
    });
  }
}

const SELECT_OPTIONAL: Overload = {
  id: 'select_optional_field',
  member: false,
  args: [],
  result: DYN,
  parameters: [],
};
