/**
 * CEL extension libraries of a Kubernetes API server: strings, sets, lists, regular expressions, two-variable comprehensions.
 *
 * Owns: the parts of `cel-go/ext` (strings v2, sets, lists v3) and of Kubernetes' `lists` and `regex` that cel-js lacks. Kubernetes' own
 * types are in `values.ts` and `network.ts`.
 */
import { Optional, type Environment } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { readPattern, type GoRegExp } from '../../wire/go-regexp.ts';
import { spend, spendText } from './cost.ts';
import { EqualValues } from './equal-values.ts';
import { celEqual, compare } from './equality.ts';
import { registerComprehensions } from './comprehensions.ts';

type List = readonly unknown[];

/** Registers a namespace, like `sets` in `sets.contains(…)`, as a constant with a class of its own. */
export function registerNamespace(env: Environment, name: string): string {
  const type = `${name}.Namespace`;
  const Namespace = class {
    readonly name = name;
  };
  env.registerType(type, Namespace);
  env.registerConstant(name, type, new Namespace());
  return type;
}

/** Registers functions by signature. */
export function registerFunctions(
  env: Environment,
  functions: { readonly [signature: string]: (...args: never[]) => unknown },
): void {
  for (const [signature, run] of Object.entries(functions)) env.registerFunction(signature, run as never);
}

export function registerLibrary(env: Environment): void {
  registerStrings(env);
  registerSets(env);
  registerLists(env);
  registerComprehensions(env);
}

function registerStrings(env: Environment): void {
  const strings = registerNamespace(env, 'strings');
  registerFunctions(env, {
    [`${strings}.quote(string): string`]: (_: unknown, text: string) => JSON.stringify(text),
    'string.charAt(int): string': (text: string, at: bigint) => {
      const points = [...text];
      if (at < 0n || at > BigInt(points.length)) throw new Error(`index out of range: ${at}`);
      return points[Number(at)] ?? '';
    },
    'string.replace(string, string): string': (text: string, from: string, to: string) =>
      replaceSome(text, from, to, -1),
    'string.replace(string, string, int): string': (text: string, from: string, to: string, count: bigint) =>
      replaceSome(text, from, to, Number(count)),
    'string.format(list): string': (text: string, values: List) => formatText(text, values),
    'string.find(string): string': (text: string, pattern: string) => compiled(pattern).findAll(text, 1)[0] ?? '',
    'string.findAll(string): list<string>': (text: string, pattern: string) => compiled(pattern).findAll(text, -1),
    'string.findAll(string, int): list<string>': (text: string, pattern: string, limit: bigint) =>
      compiled(pattern).findAll(text, Number(limit)),
  });
}

function compiled(pattern: string): GoRegExp {
  const read = readPattern(pattern);
  if ('fault' in read) throw new Error(`Illegal regex: ${read.fault}`);
  return read;
}

function replaceSome(text: string, from: string, to: string, count: number): string {
  const places = from === '' ? text.length + 1 : text.split(from, count < 0 ? undefined : count + 1).length - 1;
  spendText(text.length + places * to.length);
  if (count < 0) return text.replaceAll(from, () => to);
  let result = '';
  let rest = text;
  for (let done = 0; done < count; done++) {
    const at = rest.indexOf(from);
    if (at < 0) break;
    result += rest.slice(0, at) + to;
    rest = rest.slice(at + from.length);
  }
  return result + rest;
}

/** Implements `format`, as in `'%s is %d'.format([…])`. */
function formatText(text: string, values: List): string {
  let next = 0;
  return text.replaceAll(
    /%(?:%|(?:\.(\d+))?([sdfebxXo]))/g,
    (clause: string, digits: string | undefined, verb: string) => {
      if (clause === '%%') return '%';
      if (next >= values.length) throw new Error(`index ${next} out of range`);
      const value = values[next++];
      const precision = digits === undefined ? 6 : Number(digits);
      switch (verb) {
        case 'd':
          return String(value);
        case 'f':
          return Number(value).toFixed(precision);
        case 'e':
          return Number(value)
            .toExponential(precision)
            .replace(/e([+-])(\d)$/, 'e$10$2');
        case 'b':
          return typeof value === 'boolean' ? (value ? '1' : '0') : (value as bigint).toString(2);
        case 'o':
          return (value as bigint).toString(8);
        case 'x':
        case 'X': {
          const hex =
            typeof value === 'string'
              ? [...new TextEncoder().encode(value)].map((one) => one.toString(16).padStart(2, '0')).join('')
              : (value as bigint).toString(16);
          return verb === 'X' ? hex.toUpperCase() : hex;
        }
        default:
          return stringOf(value, false);
      }
    },
  );
}

/** Returns a value formatted by `%s`. */
function stringOf(value: unknown, nested: boolean): string {
  if (typeof value === 'string') return nested ? JSON.stringify(value) : value;
  if (Array.isArray(value)) return `[${value.map((one) => stringOf(one, true)).join(', ')}]`;
  if (value instanceof Map)
    return `{${[...value].map(([key, one]) => `${stringOf(key, true)}: ${stringOf(one, true)}`).join(', ')}}`;
  if (value instanceof Date) return value.toISOString().replace(/\.?0*Z$/, 'Z');
  return String(value);
}

function registerSets(env: Environment): void {
  const sets = registerNamespace(env, 'sets');
  const contains = (list: List, other: List): boolean => {
    spend(list.length * other.length);
    const known = new EqualValues(celEqual, list);
    return other.every((one) => known.find(one) >= 0);
  };
  registerFunctions(env, {
    [`${sets}.contains(list<A>, list<A>): bool`]: (_: unknown, list: List, other: List) => contains(list, other),
    [`${sets}.equivalent(list<A>, list<A>): bool`]: (_: unknown, list: List, other: List) =>
      contains(list, other) && contains(other, list),
    [`${sets}.intersects(list<A>, list<A>): bool`]: (_: unknown, list: List, other: List) => {
      spend(list.length * other.length);
      const known = new EqualValues(celEqual, other);
      return list.some((one) => known.find(one) >= 0);
    },
  });
}

function registerLists(env: Environment): void {
  const lists = registerNamespace(env, 'lists');
  registerFunctions(env, {
    [`${lists}.range(int): list<int>`]: (_: unknown, count: bigint) => {
      spend(Number(count));
      return Array.from({ length: Number(count) }, (__, at) => BigInt(at));
    },
    'list<A>.isSorted(): bool': (list: List) => list.every((one, at) => at === 0 || compare(list[at - 1], one) <= 0),
    'list<A>.min(): A': (list: List) => extreme(list, -1, 'min'),
    'list<A>.max(): A': (list: List) => extreme(list, 1, 'max'),
    'list<int>.sum(): int': (list: readonly bigint[]) => list.reduce((sum, one) => sum + one, 0n),
    'list<double>.sum(): double': (list: readonly number[]) => list.reduce((sum, one) => sum + one, 0),
    'list<google.protobuf.Duration>.sum(): google.protobuf.Duration': (list: readonly Duration[]) =>
      list.reduce((sum, one) => sum.addDuration(one), new Duration(0n)),
    'list<A>.indexOf(A): int': (list: List, one: unknown) => BigInt(list.findIndex((other) => celEqual(one, other))),
    'list<A>.lastIndexOf(A): int': (list: List, one: unknown) =>
      BigInt(list.findLastIndex((other) => celEqual(one, other))),
    'list<A>.slice(int, int): list<A>': (list: List, start: bigint, end: bigint) => {
      if (start < 0n || end < 0n) throw new Error(`cannot slice(${start}, ${end}), negative indexes not supported`);
      if (start > end)
        throw new Error(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
      if (end > BigInt(list.length)) throw new Error(`cannot slice(${start}, ${end}), list is length ${list.length}`);
      return list.slice(Number(start), Number(end));
    },
    'list<A>.first(): optional<A>': (list: List) => Optional.of(list[0]),
    'list<A>.last(): optional<A>': (list: List) => Optional.of(list.at(-1)),
    'list<A>.reverse(): list<A>': (list: List) => list.toReversed(),
    'list<A>.distinct(): list<A>': (list: List) => {
      spendPairs(list);
      const known = new EqualValues(celEqual);
      return list.filter((one, at) => {
        const isNew = known.find(one) < 0;
        if (isNew) known.add(one, at);
        return isNew;
      });
    },
    'list<A>.sort(): list<A>': (list: List) => {
      spendPairs(list);
      return list.toSorted(compare);
    },
    'list.flatten(): list': (list: List) => list.flat(),
    'list.flatten(int): list': (list: List, depth: bigint) => (list as unknown[]).flat(Number(depth) as 1),
  });
}

/** Adds the cost that cel-go counts for comparing all pairs of items of a list. */
function spendPairs({ length }: List): void {
  spend(2 * length * length);
}

function extreme(list: List, sign: number, name: string): unknown {
  if (list.length === 0) throw new Error(`${name} called on empty list`);
  return list.reduce((best, one) => (compare(one, best) === sign ? one : best));
}
