/**
 * The maximum cost of an expression, as kube-apiserver estimates it when a definition is written: from the bounds of the schema, without
 * any object.
 *
 * Mirrors the estimate of cel-go 0.26 `checker/cost.go` including its quirks, because they decide which definitions are refused. Owns:
 * walking the expression, and the known sizes of its parts. Does not own: the cost of functions (`call-costs.ts`), limits and their
 * messages (`crd/rule-costs.ts`). Start at {@link estimateCost}.
 */
import { callCost, type CallCost, type Operand } from './call-costs.ts';
import { checked } from './check.ts';
import { type Declared, isOptional, optionalOf, type Type } from './types.ts';
import type { Overload } from './functions.ts';
import { Path } from './path.ts';
import { exactly, plus, times, UNBOUNDED, unite, UNKNOWN, type Size } from './sizes.ts';
import {
  ACCUMULATOR,
  written,
  type Call,
  type Comprehension,
  type ListLiteral,
  type MapLiteral,
  type Node,
  type Parsed,
  type Select,
} from './syntax.ts';

const LIST = 10;
const MAP = 30;

/** Returns the maximum cost of an expression on values of `self`, up to {@link UNBOUNDED}. `optionalOldSelf`: `oldSelf` is an optional. */
export function estimateCost(parsed: Parsed, self: Declared, optionalOldSelf: boolean): number {
  const root = written(parsed);
  const typeOf = checked(
    root,
    new Map([
      ['self', self.type],
      ['oldSelf', optionalOldSelf ? optionalOf(self.type) : self.type],
    ]),
  );
  return new Estimate(self, typeOf).cost(root);
}

/** The sizes of the keys and values of a list or map. */
interface EntrySize {
  readonly container: 'list' | 'map';
  readonly key: Size;
  readonly value: Size;
}

function uniteEntries(left: EntrySize | undefined, right: EntrySize | undefined): EntrySize | undefined {
  if (left === undefined || right === undefined) return undefined;
  return {
    container: left.container,
    key: unite(left.key, right.key),
    value: unite(left.value, right.value),
  };
}

interface Variable {
  readonly path: Path | undefined;
  readonly size: Size | undefined;
  readonly entry: EntrySize | undefined;
}

class Estimate {
  readonly #self: Declared;
  readonly #typeOf: (node: Node) => Type;
  readonly #paths = new Map<Node, Path | undefined>();
  readonly #sizes = new Map<Node, Size>();
  readonly #entries = new Map<Node, EntrySize>();
  readonly #costs = new Map<Node, number>();
  readonly #variables = new Map<string, Variable[]>();

  constructor(self: Declared, typeOf: (node: Node) => Type) {
    this.#self = self;
    this.#typeOf = typeOf;
  }

  cost(node: Node): number {
    let cost = this.#costs.get(node);
    // The cost of a shared node is counted each time, but computed once.
    if (cost === undefined) this.#costs.set(node, (cost = this.#costOf(node)));
    return cost;
  }

  #costOf(node: Node): number {
    switch (node.op) {
      case 'literal':
        return 0;
      case 'ident':
        return this.#ident(node, node.name);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'comprehension':
        return this.#isNaming(node) ? this.#naming(node) : this.#comprehension(node);
    }
  }

  #variable(name: string): Variable | undefined {
    return this.#variables.get(name)?.at(-1);
  }

  #push(name: string, variable: Variable): void {
    const stack = this.#variables.get(name);
    if (stack === undefined) this.#variables.set(name, [variable]);
    else stack.push(variable);
  }

  #ident(node: Node, name: string): number {
    const variable = this.#variable(name);
    this.#paths.set(node, variable === undefined ? Path.of(name) : variable.path);
    return 1;
  }

  #select(node: Select): number {
    if (node.qualified !== undefined) return this.#ident(node, node.qualified);
    const cost = this.cost(node.operand);
    if (node.test) return cost;
    const { kind } = this.#typeOf(node.operand);
    this.#paths.set(node, Path.after(this.#path(node.operand), node.field));
    return plus(cost, kind === 'map' || kind === 'struct' ? 1 : 0);
  }

  #list(node: ListLiteral): number {
    let value: Size = { min: node.items.length === 0 ? 0 : UNBOUNDED, max: 0 };
    const costs = node.items.map((item) => {
      const cost = this.cost(item);
      value = unite(value, this.#sizeOrUnknown(item));
      return cost;
    });
    this.#entries.set(node, { container: 'list', key: exactly(1), value });
    return plus(LIST, ...costs);
  }

  #map(node: MapLiteral): number {
    const none: Size = { min: node.entries.length === 0 ? 0 : UNBOUNDED, max: 0 };
    let [key, value] = [none, none];
    const costs = node.entries.map(([left, right]) => {
      const cost = plus(this.cost(left), this.cost(right));
      key = unite(key, this.#sizeOrUnknown(left));
      value = unite(value, this.#sizeOrUnknown(right));
      return cost;
    });
    this.#entries.set(node, { container: 'map', key, value });
    return plus(MAP, ...costs);
  }

  #call(node: Call): number {
    const { args, target, overloads = [] } = node;
    const [first] = args;
    if (node.name === 'dyn' && first !== undefined) {
      const cost = this.cost(first);
      this.#copySizes(node, first);
      return plus(1, cost);
    }
    const costs: number[] = [];
    const operands = args.map((one) => {
      costs.push(this.cost(one));
      return this.#operand(one);
    });
    if (overloads.length === 0) return 0;
    const targetCost = target === undefined ? 0 : this.cost(target);
    const targetOperand = target === undefined ? undefined : this.#operand(target);
    let largest = 0;
    let size: Size | undefined;
    for (const overload of overloads) {
      const own = callCost(node.name, overload, targetOperand, operands);
      this.#rememberEntries(node, overload);
      const [condition = 0, yes = 0, no = 0] = costs;
      const ofArguments = overload.id === 'conditional' ? plus(condition, Math.max(yes, no)) : plus(...costs);
      largest = Math.max(largest, plus(own.cost, ofArguments));
      size = this.#resultSize(node, overload, own, size);
    }
    if (size !== undefined) this.#sizes.set(node, size);
    return plus(targetCost, largest);
  }

  /** Returns the size of a result. `soFar`: its size for the overloads before this one. */
  #resultSize(node: Call, { id }: Overload, own: CallCost, soFar: Size | undefined): Size | undefined {
    let size = soFar;
    if (own.size !== undefined) size = size === undefined ? own.size : unite(size, own.size);
    const [container] = node.args;
    if (container !== undefined && (id === 'index_list' || id === 'index_map')) {
      size = this.#entry(container)?.value;
      this.#paths.set(node, Path.after(this.#path(container), id === 'index_list' ? '@items' : '@values'));
    }
    return size ?? this.#size(node);
  }

  /** Records the sizes of entries: a concatenation has the items of both operands, a conditional those of both branches. */
  #rememberEntries(node: Call, { id }: Overload): void {
    const branches = id === 'conditional';
    if (!branches && id !== 'add_list' && id !== 'add_string' && id !== 'add_bytes') return;
    const [left, right] = branches ? node.args.slice(1) : node.args;
    if (left === undefined || right === undefined) return;
    const entry = uniteEntries(this.#entry(left), this.#entry(right));
    if (entry !== undefined) this.#entries.set(node, entry);
  }

  /** Reports whether a comprehension only binds a name to a value. */
  #isNaming({ range, condition }: Comprehension): boolean {
    return range.op === 'list' && range.items.length === 0 && condition.op === 'literal' && condition.value === false;
  }

  #naming(node: Comprehension): number {
    const cost = plus(this.cost(node.range), this.cost(node.init));
    this.#pushNamed(node.accumulator, node.init);
    const result = this.cost(node.result);
    this.#variables.get(node.accumulator)?.pop();
    this.#copySizes(node, node.result);
    return plus(cost, result);
  }

  #pushNamed(name: string, value: Node): void {
    const entry = this.#entry(value);
    this.#push(name, { path: this.#path(value), size: this.#size(value), entry });
  }

  #comprehension(node: Comprehension): number {
    const before = plus(this.cost(node.range), this.cost(node.init));
    this.#pushNamed(node.accumulator, node.init);
    this.#pushLoopVariables(node);
    const step = plus(this.cost(node.condition), this.cost(node.step));
    this.#variables.get(node.variable)?.pop();
    if (node.second !== undefined) this.#variables.get(node.second)?.pop();
    const result = this.cost(node.result);
    this.#variables.get(node.accumulator)?.pop();
    const count = this.#sizeOrUnknown(node.range);
    if (node.init.op === 'literal') {
      const size = this.#size(node.init);
      if (size !== undefined) this.#sizes.set(node, size);
    } else if (node.init.op === 'list' || node.init.op === 'map') {
      this.#sizes.set(node, count);
      const entry = this.#entry(node.step);
      if (entry !== undefined) this.#entries.set(node, entry);
    }
    return plus(before, result, times(count.max, step));
  }

  #pushLoopVariables({ range, variable, second }: Comprehension): void {
    const entry = this.#entry(range);
    const isList = (entry?.container ?? this.#typeOf(range).kind) === 'list';
    const path = this.#path(range);
    const push = (name: string, part: string, size: Size | undefined): void => {
      this.#push(name, { path: Path.after(path, part), size, entry: undefined });
    };
    if (second === undefined) {
      push(variable, isList ? '@items' : '@keys', isList ? entry?.value : entry?.key);
      return;
    }
    push(variable, isList ? '@indices' : '@keys', entry?.key);
    push(second, isList ? '@items' : '@values', entry?.value);
  }

  #operand(node: Node): Operand {
    const own = this.#path(node);
    const path = own?.parts()[0] === ACCUMULATOR ? undefined : own;
    return {
      type: this.#typeOf(node),
      size: this.#size(node),
      literal: node.op === 'literal' ? node.value : undefined,
      itemSize: () => (path === undefined ? UNKNOWN : (this.#declaredSize([...path.parts(), '@items']) ?? UNKNOWN)),
    };
  }

  #path(node: Node): Path | undefined {
    if (node.op === 'ident') {
      const variable = this.#variable(node.name);
      if (variable !== undefined) return variable.path;
    }
    return this.#paths.get(node);
  }

  #copySizes(to: Node, from: Node): void {
    const size = this.#size(from);
    if (size !== undefined) this.#sizes.set(to, size);
    const entry = this.#entry(from);
    if (entry !== undefined) this.#entries.set(to, entry);
  }

  #sizeOrUnknown(node: Node): Size {
    return this.#size(node) ?? UNKNOWN;
  }

  #size(node: Node): Size | undefined {
    const known = this.#sizes.get(node) ?? literalSize(node);
    if (known !== undefined) return known;
    const declared = this.#declaredSize(this.#path(node)?.parts() ?? []);
    if (declared !== undefined) {
      this.#sizes.set(node, declared);
      return declared;
    }
    if (isScalar(this.#typeOf(node))) return exactly(1);
    return node.op === 'ident' ? this.#variable(node.name)?.size : undefined;
  }

  #entry(node: Node): EntrySize | undefined {
    return this.#entries.get(node) ?? (node.op === 'ident' ? this.#variable(node.name)?.entry : undefined);
  }

  /** Returns the declared type at a path. Its first part is ignored: every variable counts as `self`. */
  #declaredSize([first, ...parts]: readonly string[]): Size | undefined {
    if (first === undefined) return undefined;
    let at: Declared | undefined = this.#self;
    for (const part of parts) {
      if (part === '@items' || part === '@values') at = at.item;
      else if (part === '@keys') at = at.key;
      else at = at.fields?.get(part);
      if (at === undefined) return undefined;
    }
    return { min: 0, max: at.max };
  }
}

function literalSize(node: Node): Size | undefined {
  switch (node.op) {
    case 'literal':
      if (typeof node.value === 'string') return exactly([...node.value].length);
      return exactly(node.value instanceof Uint8Array ? node.value.length : 1);
    case 'list':
      return exactly(node.items.length);
    case 'map':
      return exactly(node.entries.length);
    default:
      return undefined;
  }
}

const SCALARS: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

function isScalar(type: Type): boolean {
  const [held] = type.params;
  return isOptional(type) && held !== undefined ? isScalar(held) : SCALARS.has(type.kind);
}
