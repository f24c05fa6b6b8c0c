/**
 * Expressions as cel-go's checker sees them: macros are expanded to loops.
 *
 * Owns: the nodes, and building them from cel-js's syntax tree. `check.ts` adds types, `estimate.ts` costs.
 */
import { writtenName } from '../presence.ts';
import { INT, simple, STRING, type Type } from './types.ts';
import type { Overload } from './functions.ts';

/** cel-js's syntax tree. */
export interface Parsed {
  readonly op: string;
  readonly args: unknown;
  readonly input: string;
  /** The position of the operator or name, and the position where the node starts. */
  readonly pos: number;
  readonly start: number;
}

interface Common {
  type?: Type;
}

export interface Literal extends Common {
  readonly op: 'literal';
  readonly value: unknown;
}

export interface Ident extends Common {
  readonly op: 'ident';
  readonly name: string;
}

export interface Select extends Common {
  /** A field selection, or part of a qualified type name such as `google.protobuf.Timestamp`. */
  readonly op: 'select';
  readonly operand: Node;
  readonly field: string;
  /** True for `has(…)`. */
  readonly test: boolean;
  /** The qualified name of a type; undefined for other nodes. */
  qualified?: string;
}

export interface Call extends Common {
  readonly op: 'call';
  /** The function's name, qualified once checked. */
  name: string;
  /** The receiver; undefined if there is none, and after it has been resolved to a namespace. */
  target: Node | undefined;
  readonly args: readonly Node[];
  overloads?: readonly Overload[];
}

export interface ListLiteral extends Common {
  readonly op: 'list';
  readonly items: readonly Node[];
}

export interface MapLiteral extends Common {
  readonly op: 'map';
  readonly entries: readonly (readonly [Node, Node])[];
}

/** Iterates over a list or the keys of a map. If the range is empty, it only binds `accumulator` to a value, which `result` uses. */
export interface Comprehension extends Common {
  readonly op: 'comprehension';
  readonly range: Node;
  readonly variable: string;
  readonly second: string | undefined;
  readonly accumulator: string;
  readonly init: Node;
  readonly condition: Node;
  readonly step: Node;
  readonly result: Node;
}

export type Node = Literal | Ident | Select | Call | ListLiteral | MapLiteral | Comprehension;

/** The name of the accumulator, which cannot clash with names in expressions. */
export const ACCUMULATOR = '@result';

const literal = (value: unknown): Node => ({ op: 'literal', value });
const ident = (name: string): Node => ({ op: 'ident', name });
const list = (...items: readonly Node[]): Node => ({ op: 'list', items });
const call = (name: string, ...args: readonly Node[]): Node => ({ op: 'call', name, target: undefined, args });
const member = (target: Node, name: string, ...args: readonly Node[]): Node => ({ op: 'call', name, target, args });
const accumulated = (): Node => ident(ACCUMULATOR);

function isParsed(value: unknown): value is Parsed {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

/** Converts cel-js's syntax tree to cel-go's. */
export function written(parsed: Parsed): Node {
  const { op, args } = parsed;
  switch (op) {
    case 'value':
      return literal(args);
    case 'id':
      return ident(args as string);
    case 'list':
      return list(...(args as readonly Parsed[]).map(written));
    case 'map':
      return {
        op: 'map',
        entries: (args as readonly (readonly [Parsed, Parsed])[]).map(([key, value]) => [written(key), written(value)]),
      };
    case '.': {
      const [operand, field] = args as readonly [Parsed, string];
      return { op: 'select', operand: written(operand), field, test: false };
    }
    case '.?': {
      const [operand, field] = args as readonly [Parsed, string];
      return call('_?._', written(operand), literal(field));
    }
    case 'call':
      return writtenCall(args as readonly [string, readonly Parsed[]]);
    case 'rcall':
      return writtenMember(args as readonly [string, Parsed, readonly Parsed[]]);
    case '!_':
    case '-_':
      return writtenSign(parsed);
    default: {
      const operands = (args as readonly unknown[]).filter(isParsed).map(written);
      return call(OPERATORS[op] ?? `_${op}_`, ...operands);
    }
  }
}

const OPERATORS: { readonly [op: string]: string } = { '?:': '_?_:_', in: '@in', '[]': '_[_]', '[?]': '_[?_]' };

/** Converts signs: two cancel out, and a minus before a number belongs to the number, but not across parentheses. */
function writtenSign(sign: Parsed): Node {
  let odd = true;
  let last = sign;
  let under = sign.args as Parsed;
  const isNext = (): boolean => !sign.input.slice(last.pos + 1, under.start).includes('(');
  for (; under.op === sign.op && isNext(); under = under.args as Parsed) {
    odd = !odd;
    last = under;
  }
  const { op, args } = under;
  if (sign.op === '-_' && op === 'value' && isNext()) {
    if (typeof args === 'bigint') return literal(odd ? -args : args);
    if (typeof args === 'number') return literal(odd ? -args : args);
  }
  return odd ? call(sign.op, written(under)) : written(under);
}

function writtenCall([name, args]: readonly [string, readonly Parsed[]]): Node {
  const function_ = writtenName(name);
  const [first] = args;
  if (function_ === 'has' && first !== undefined) {
    const [operand, field] = first.args as readonly [Parsed, string];
    return { op: 'select', operand: written(operand), field, test: true };
  }
  return call(function_, ...args.map(written));
}

interface Loop {
  readonly range: Node;
  readonly variable: string;
  readonly second: string | undefined;
}

/** Returns a loop without early exit. */
function collecting(loop: Loop, init: Node, step: Node): Node {
  return {
    op: 'comprehension',
    ...loop,
    accumulator: ACCUMULATOR,
    init,
    condition: literal(true),
    step,
    result: accumulated(),
  };
}

function naming(name: string, value: Node, result: Node): Node {
  return {
    op: 'comprehension',
    range: list(),
    variable: '#unused',
    second: undefined,
    accumulator: name,
    init: value,
    condition: literal(false),
    step: ident(name),
    result,
  };
}

function quantified(loop: Loop, name: string, predicate: Node): Node {
  const all = name === 'all';
  return {
    op: 'comprehension',
    ...loop,
    accumulator: ACCUMULATOR,
    init: literal(all),
    condition: call('@not_strictly_false', all ? accumulated() : call('!_', accumulated())),
    step: call(all ? '_&&_' : '_||_', accumulated(), predicate),
    result: accumulated(),
  };
}

function counted(loop: Loop, predicate: Node): Node {
  return {
    op: 'comprehension',
    ...loop,
    accumulator: ACCUMULATOR,
    init: literal(0n),
    condition: literal(true),
    step: call('_?_:_', predicate, call('_+_', accumulated(), literal(1n)), accumulated()),
    result: call('_==_', accumulated(), literal(1n)),
  };
}

/** Returns a loop that collects results. `filter`: the condition for including a step; undefined to include all. */
function transformed(loop: Loop, init: Node, filter: Node | undefined, step: Node): Node {
  return collecting(loop, init, filter === undefined ? step : call('_?_:_', filter, step, accumulated()));
}

function writtenMember([name, receiver, args]: readonly [string, Parsed, readonly Parsed[]]): Node {
  const variables = args.map((one) => (one.op === 'id' ? (one.args as string) : undefined));
  const [variable, second] = variables;
  if (variable !== undefined) {
    const macro = oneVariable(name, receiver, variable, args.slice(1));
    if (macro !== undefined) return macro;
    if (second !== undefined && args.length > 2) {
      const both = twoVariables(name, { range: written(receiver), variable, second }, args.slice(2));
      if (both !== undefined) return both;
    }
  }
  return member(written(receiver), writtenName(name), ...args.map(written));
}

function oneVariable(name: string, receiver: Parsed, variable: string, rest: readonly Parsed[]): Node | undefined {
  const [first, last] = rest;
  if (first === undefined || rest.length > 2) return undefined;
  const loop = (): Loop => ({ range: written(receiver), variable, second: undefined });
  const added = (item: Node): Node => call('_+_', accumulated(), list(item));
  if (name === 'map')
    return last === undefined
      ? transformed(loop(), list(), undefined, added(written(first)))
      : transformed(loop(), list(), written(first), added(written(last)));
  if (last !== undefined) return undefined;
  switch (name) {
    case 'all':
    case 'exists':
      return quantified(loop(), name, written(first));
    case 'exists_one':
      return counted(loop(), written(first));
    case 'filter':
      return transformed(loop(), list(), written(first), added(ident(variable)));
    case 'optMap':
    case 'optFlatMap': {
      // cel-go evaluates the optional twice. Copying the node here would double the work with every link of a chain.
      const held = written(receiver);
      const inner = naming(variable, member(held, 'value'), written(first));
      const mapped = name === 'optMap' ? call('optional.of', inner) : inner;
      return call('_?_:_', member(held, 'hasValue'), mapped, call('optional.none'));
    }
    case 'sortBy': {
      const input = '@sortBy';
      const keys = transformed(
        { range: ident(input), variable, second: undefined },
        list(),
        undefined,
        added(written(first)),
      );
      return naming(input, written(receiver), member(ident(input), '@sortByAssociatedKeys', keys));
    }
    default:
      return undefined;
  }
}

function twoVariables(name: string, loop: Loop, rest: readonly Parsed[]): Node | undefined {
  const nodes = rest.map(written);
  const filter = nodes.length === 2 ? nodes[0] : undefined;
  const last = nodes.at(-1);
  if (last === undefined || nodes.length > 2) return undefined;
  switch (name) {
    case 'transformList':
      return transformed(loop, list(), filter, call('_+_', accumulated(), list(last)));
    case 'transformMap':
      return transformed(
        loop,
        { op: 'map', entries: [] },
        filter,
        call('cel.@mapInsert', accumulated(), ident(loop.variable), last),
      );
    case 'transformMapEntry':
      return transformed(loop, { op: 'map', entries: [] }, filter, call('cel.@mapInsert', accumulated(), last));
    default:
  }
  if (filter !== undefined) return undefined;
  if (name === 'all' || name === 'exists') return quantified(loop, name, last);
  return name === 'existsOne' || name === 'exists_one' ? counted(loop, last) : undefined;
}

export function literalType(value: unknown): Type {
  switch (typeof value) {
    case 'string':
      return STRING;
    case 'bigint':
      return INT;
    case 'number':
      return simple('double');
    case 'boolean':
      return simple('bool');
    default:
      return simple(value === null ? 'null' : value instanceof Uint8Array ? 'bytes' : 'uint');
  }
}
