/**
 * Two-variable comprehensions: `all(i, v, …)`, `exists`, `existsOne`, `transformList`, `transformMap`, `transformMapEntry`, and `sortBy`.
 *
 * cel-js itself only has one-variable comprehensions. The macros in this file use its checker and evaluator; cel-js does not publish their
 * types, so the parts that are used are declared here.
 */
import type { Environment, TypeDeclaration } from '@marcbachmann/cel-js';
import { compare } from './equality.ts';

interface Node {
  readonly op: string;
  readonly args: unknown;
}

export interface Scope {
  forkWithVariable(name: string, type: TypeDeclaration): Scope;
  reuse(parent: Scope): Scope;
  setIterValue(value: unknown, evaluator: Evaluator): Scope;
}

export interface Checker {
  check(node: Node, scope: Scope): TypeDeclaration;
  getType(name: string): TypeDeclaration;
  createError(code: string, message: string, node: Node): Error;
  readonly registry: {
    getListType(type: TypeDeclaration): TypeDeclaration;
    getOptionalType(type: TypeDeclaration): TypeDeclaration;
    getMapType(key: TypeDeclaration, value: TypeDeclaration): TypeDeclaration;
  };
}

export interface Evaluator {
  run(node: Node, scope: Scope): unknown;
}

export interface Macro {
  readonly receiver: Node;
  readonly args: readonly Node[];
  keys?: Scope;
  values?: Scope;
}

type Pair = readonly [unknown, unknown];

/** Evaluates one argument of the macro for one pair of variable values. */
type Run = (argument: number, pair: Pair) => unknown;

interface Kind {
  readonly name: string;
  /** The number of arguments after the two variables. */
  readonly more: number;
  readonly returns: string;
  type(checker: Checker, types: readonly TypeDeclaration[], keys: TypeDeclaration): TypeDeclaration;
  evaluate(pairs: readonly Pair[], run: Run): unknown;
}

const bool = (checker: Checker): TypeDeclaration => checker.getType('bool');

/** Reports whether any step has the result `wanted`. An error in one step is thrown only if no other step has that result. */
function decides(pairs: readonly Pair[], run: Run, wanted: boolean): boolean {
  let failure: unknown;
  for (const pair of pairs)
    try {
      if (run(0, pair) === wanted) return true;
    } catch (error) {
      failure ??= error;
    }
  if (failure !== undefined) throw failure;
  return false;
}

function transformed(pairs: readonly Pair[], run: Run, filtered: boolean): readonly Pair[] {
  const result: Pair[] = [];
  for (const pair of pairs) {
    if (filtered && run(0, pair) !== true) continue;
    result.push([pair[0], run(filtered ? 1 : 0, pair)]);
  }
  return result;
}

function last(types: readonly TypeDeclaration[], checker: Checker): TypeDeclaration {
  return types.at(-1) ?? checker.getType('dyn');
}

const KINDS: readonly Kind[] = [
  { name: 'all', more: 1, returns: 'bool', type: bool, evaluate: (pairs, run) => !decides(pairs, run, false) },
  { name: 'exists', more: 1, returns: 'bool', type: bool, evaluate: (pairs, run) => decides(pairs, run, true) },
  ...['existsOne', 'exists_one'].map((name): Kind => ({
    name,
    more: 1,
    returns: 'bool',
    type: bool,
    evaluate: (pairs, run) => pairs.filter((pair) => run(0, pair) === true).length === 1,
  })),
  ...[1, 2].flatMap((more): readonly Kind[] => [
    {
      name: 'transformList',
      more,
      returns: 'list<dyn>',
      type: (checker, types) => checker.registry.getListType(last(types, checker)),
      evaluate: (pairs, run) => transformed(pairs, run, more === 2).map(([, value]) => value),
    },
    {
      name: 'transformMap',
      more,
      returns: 'map<dyn, dyn>',
      type: (checker, types, keys) => checker.registry.getMapType(keys, last(types, checker)),
      evaluate: (pairs, run) => new Map(transformed(pairs, run, more === 2)),
    },
    {
      name: 'transformMapEntry',
      more,
      returns: 'map<dyn, dyn>',
      type: (checker, types) => last(types, checker),
      evaluate: (pairs, run) => {
        const map = new Map<unknown, unknown>();
        for (const [, entry] of transformed(pairs, run, more === 2))
          for (const [key, value] of entriesOf(entry)) {
            if (map.has(key)) throw new Error(`insert failed: key ${String(key)} already exists`);
            map.set(key, value);
          }
        return map;
      },
    },
  ]),
];

function entriesOf(value: unknown): readonly Pair[] {
  if (Array.isArray(value)) return value.map((one, at): Pair => [BigInt(at), one]);
  if (value instanceof Map) return [...value];
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** Registers all of these functions in `env`, the base environment: they are created once for all environments. */
export function registerComprehensions(env: Environment): void {
  for (const kind of KINDS) {
    const asts = Array.from({ length: kind.more + 2 }, () => 'ast').join(', ');
    env.registerFunction(`list.${kind.name}(${asts}): ${kind.returns}`, expander(kind) as never);
  }
  env.registerFunction('list.sortBy(ast, ast): list<dyn>', sortBy as never);
}

export function nameOf(checker: Checker, node: Node | undefined): string {
  if (node?.op === 'id') return node.args as string;
  throw checker.createError('invalid_macro_argument', 'argument is not an identifier', node ?? { op: '', args: '' });
}

/** Returns the key and value types of the range of a comprehension. */
function rangeTypes(checker: Checker, macro: Macro, scope: Scope): readonly [TypeDeclaration, TypeDeclaration] {
  const range = checker.check(macro.receiver, scope);
  const dyn = checker.getType('dyn');
  if (range.kind === 'list') return [checker.getType('int'), range.valueType ?? dyn];
  if (range.kind === 'map') return [range.keyType ?? dyn, range.valueType ?? dyn];
  if (range.kind === 'dyn') return [dyn, dyn];
  throw checker.createError(
    'invalid_comprehension_range',
    `Expression of type '${range.name}' cannot be range of a comprehension (must be list, map, or dynamic).`,
    macro.receiver,
  );
}

function expander(kind: Kind) {
  return ({ receiver, args }: Macro) => ({
    receiver,
    args,
    async: false,
    typeCheck(checker: Checker, macro: Macro, scope: Scope): TypeDeclaration {
      const [keys, values] = rangeTypes(checker, macro, scope);
      macro.keys = scope.forkWithVariable(nameOf(checker, macro.args[0]), keys);
      macro.values = macro.keys.forkWithVariable(nameOf(checker, macro.args[1]), values);
      const inner = macro.values;
      return kind.type(
        checker,
        macro.args.slice(2).map((argument) => checker.check(argument, inner)),
        keys,
      );
    },
    evaluate(evaluator: Evaluator, macro: Macro, scope: Scope): unknown {
      const pairs = entriesOf(evaluator.run(macro.receiver, scope));
      return kind.evaluate(pairs, (argument, [key, value]) => {
        const node = macro.args[argument + 2];
        if (macro.keys === undefined || macro.values === undefined || node === undefined) return undefined;
        const outer = macro.keys.reuse(scope).setIterValue(key, evaluator);
        return evaluator.run(node, macro.values.reuse(outer).setIterValue(value, evaluator));
      });
    },
  });
}

function sortBy({ receiver, args }: Macro) {
  return {
    receiver,
    args,
    async: false,
    typeCheck(checker: Checker, macro: Macro, scope: Scope): TypeDeclaration {
      const [keys, values] = rangeTypes(checker, macro, scope);
      const range = checker.check(macro.receiver, scope);
      macro.values = scope.forkWithVariable(nameOf(checker, macro.args[0]), range.kind === 'map' ? keys : values);
      if (macro.args[1] !== undefined) checker.check(macro.args[1], macro.values);
      return range;
    },
    evaluate(evaluator: Evaluator, macro: Macro, scope: Scope): unknown {
      const range = evaluator.run(macro.receiver, scope);
      const items = range instanceof Map ? [...range.keys()] : (range as readonly unknown[]);
      const run = (one: unknown): unknown =>
        macro.values === undefined || macro.args[1] === undefined
          ? undefined
          : evaluator.run(macro.args[1], macro.values.reuse(scope).setIterValue(one, evaluator));
      return items
        .map((one) => [run(one), one] as const)
        .toSorted(([left], [right]) => compare(left, right))
        .map(([, one]) => one);
    },
  };
}
