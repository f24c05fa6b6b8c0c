/**
 * Translates cel-js's errors into cel-go's messages.
 *
 * cel-js stops at the first error and reports the position where the expression starts; cel-go reports that of its operator, dot or
 * parenthesis. Messages and positions are cel-go's wherever they can be derived.
 */
import type { Environment } from '@marcbachmann/cel-js';
import { writtenName } from './presence.ts';

interface Ast {
  readonly op: string;
  readonly args: unknown;
  readonly start: number;
  readonly end: number;
  readonly pos: number;
  readonly checkedType?: { readonly name: string };
}

interface Failure {
  readonly code?: string;
  readonly summary?: string;
  readonly node?: Ast;
  readonly range?: { readonly start: number; readonly end: number };
  /** The position, if known. */
  readonly at?: number;
}

/** Returns `ERROR: <input>:1:5: undefined field 'y'`, then the source line with a mark below. */
export function compileErrorText(source: string, error: unknown, env: Environment): string {
  const failure = error as Failure;
  const { message, at } = worded(source, failure, env);
  const before = source.slice(0, at).split('\n');
  const line = before.length;
  const column = (before.at(-1) ?? '').length;
  const text = source.split('\n')[line - 1] ?? '';
  return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${text}\n | ${'.'.repeat(column)}^`;
}

const EXPECTED =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

function worded(source: string, failure: Failure, env: Environment): { readonly message: string; readonly at: number } {
  const { code = '', summary = '', node } = failure;
  const start = failure.at ?? node?.pos ?? failure.range?.start ?? 0;
  switch (code) {
    case 'reserved_identifier':
      return { message: `reserved identifier: ${summary.replace('Reserved identifier: ', '')}`, at: start };
    case 'undefined_in_has':
      return { message: `undefined field '${summary}'`, at: source.indexOf('(', node?.start ?? 0) };
    case 'invalid_literal':
      return { message: summary, at: start };
    case 'no_such_key':
      return { message: `undefined field '${summary.replace('No such key: ', '')}'`, at: dotBefore(source, start) };
    case 'cannot_index_type':
      return {
        message: `type '${goType(/'(.*)'/.exec(summary)?.[1] ?? '')}' does not support field selection`,
        at: dotBefore(source, start),
      };
    case 'unknown_variable':
      return {
        message: `undeclared reference to '${summary.replace('Unknown variable: ', '')}' (in container '')`,
        at: start,
      };
    case 'no_such_overload':
      return node === undefined ? { message: summary, at: start } : operator(source, node, summary);
    case 'no_matching_overload':
      return call(source, node, summary, env, start);
    case 'invalid_logical_operand':
      return operand(source, node, summary, start);
    case 'invalid_condition_type':
      return condition(source, node, summary, start);
    case 'invalid_index_type': {
      const args = isList(node?.args) ? (node.args as readonly Ast[]) : [];
      const types = args.map((one) => goType(one.checkedType?.name ?? 'dyn')).join(', ');
      return {
        message: `found no matching overload for '_[_]' applied to '(${types})'`,
        at: after(source, args[0], '['),
      };
    }
    case 'heterogeneous_list_element':
    case 'heterogeneous_map_value':
    case 'heterogeneous_map_key': {
      const [, wanted = '', found = ''] = /expected type '(.*)' but found '(.*)'/.exec(summary) ?? [];
      return { message: `expected type '${goType(wanted)}' but found '${goType(found)}'`, at: start };
    }
    case 'invalid_macro_argument':
      return {
        message: summary.startsWith('has()') ? 'invalid argument to has() macro' : 'argument is not an identifier',
        at: start,
      };
    case 'invalid_comprehension_range':
      return { message: summary.replace(/'(.*)' cannot/, (_, type: string) => `'${goType(type)}' cannot`), at: start };
    default:
      return syntax(source, summary, start);
  }
}

function syntax(source: string, summary: string, at: number): { readonly message: string; readonly at: number } {
  if (at >= source.length || /EOF/.test(summary))
    return { message: `Syntax error: mismatched input '<EOF>' expecting ${EXPECTED}`, at: source.length };
  const token = /^(\w+|.)/s.exec(source.slice(at))?.[0] ?? '';
  return { message: `Syntax error: extraneous input '${token}' expecting <EOF>`, at };
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function dotBefore(source: string, at: number): number {
  const dot = source.lastIndexOf('.', at - 1);
  return dot < 0 ? at : dot;
}

/** Returns the position of `token` after an expression. */
function after(source: string, node: Ast | undefined, token: string): number {
  const at = source.indexOf(token, node?.end ?? 0);
  return at < 0 ? (node?.pos ?? 0) : at;
}

/** Returns the position that cel-go reports for an expression: its operator, dot or parenthesis. */
function place(source: string, node: Ast): number {
  if (node.op === '.') return dotBefore(source, node.start);
  const args = isList(node.args) ? node.args : [];
  if (node.op === 'call') return source.indexOf('(', node.start);
  if (node.op === 'rcall') return after(source, args[1] as Ast, '(');
  const left = args[0] as Ast | undefined;
  return left?.end === undefined || node.op.endsWith('_')
    ? node.pos
    : after(source, left, node.op === '[]' ? '[' : node.op);
}

function operator(source: string, node: Ast, summary: string): { readonly message: string; readonly at: number } {
  const types = summary.replace('no such overload: ', '');
  if (node.op.endsWith('_'))
    return {
      message: `found no matching overload for '${node.op}' applied to '(${goType(types.slice(1))})'`,
      at: node.pos,
    };
  const [left = '', right = ''] = types.split(` ${node.op} `);
  const name = node.op === 'in' ? '@in' : `_${node.op}_`;
  return {
    message: `found no matching overload for '${name}' applied to '(${goType(left)}, ${goType(right)})'`,
    at: place(source, node),
  };
}

function call(
  source: string,
  node: Ast | undefined,
  summary: string,
  env: Environment,
  start: number,
): { readonly message: string; readonly at: number } {
  const [, receiver, called = '', args = ''] = /'(?:(.+)\.)?(\w+)\((.*)\)'$/.exec(summary) ?? [];
  const name = writtenName(called);
  const at = node === undefined ? start : place(source, node);
  if (!functionNames(env).has(name)) return { message: `undeclared reference to '${name}' (in container '')`, at };
  const types = splitTypes(args).map(goType).join(', ');
  const applied = receiver === undefined ? `(${types})` : `${goType(receiver)}.(${types})`;
  return { message: `found no matching overload for '${name}' applied to '${applied}'`, at };
}

const names = new WeakMap<Environment, ReadonlySet<string>>();

function functionNames(env: Environment): ReadonlySet<string> {
  let known = names.get(env);
  if (known === undefined) {
    const functions = env.getDefinitions().functions.map((one) => one.name);
    names.set(env, (known = new Set(functions.filter((one) => !MACROS.has(one)))));
  }
  return known;
}

/** Macros that cel-go recognises only with the right number of arguments. */
const MACROS = new Set(
  'has all exists exists_one existsOne map filter transformList transformMap transformMapEntry sortBy optMap optFlatMap'.split(
    ' ',
  ),
);

function operand(
  source: string,
  node: Ast | undefined,
  summary: string,
  start: number,
): { readonly message: string; readonly at: number } {
  const type = /got '(.*)'/.exec(summary)?.[1] ?? '';
  const args = isList(node?.args) ? (node.args as readonly Ast[]) : [];
  const wrong = args.find((one) => one.checkedType !== undefined && one.checkedType.name === type);
  return {
    message: `expected type 'bool' but found '${goType(type)}'`,
    at: wrong === undefined ? start : place(source, wrong),
  };
}

/** Returns the error of a condition that is not a bool, as in `c ? a : b`; the branches are not checked. */
function condition(
  source: string,
  node: Ast | undefined,
  summary: string,
  start: number,
): { readonly message: string; readonly at: number } {
  const type = goType(/got '(.*)'/.exec(summary)?.[1] ?? '');
  const mark = node === undefined ? -1 : source.indexOf('?', node.end);
  if (mark < 0) {
    // The condition is the predicate of a macro.
    const branches = summary.startsWith('filter')
      ? `list(${type}), list(${type})`
      : summary.startsWith('exists_one')
        ? 'int, int'
        : '';
    if (branches === '') return { message: `expected type 'bool' but found '${type}'`, at: start };
    const paren = source.lastIndexOf('(', start);
    return { message: `found no matching overload for '_?_:_' applied to '(${type}, ${branches})'`, at: paren };
  }
  return { message: `found no matching overload for '_?_:_' applied to '(${type}, dyn, dyn)'`, at: mark };
}

function splitTypes(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const one of text) {
    if (one === '<') depth++;
    if (one === '>') depth--;
    if (one === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
    } else part += one;
  }
  return part.trim() === '' ? parts : [...parts, part.trim()];
}

/** Returns a type as cel-go writes it: `list<string>` is `list(string)`. */
function goType(type: string): string {
  const bare = type.trim().replace(/^dyn<(.*)>$/, '$1');
  return bare
    .replaceAll('google.protobuf.Duration', 'duration')
    .replaceAll('google.protobuf.Timestamp', 'timestamp')
    .replaceAll('optional<', 'optional_type<')
    .replaceAll('<', '(')
    .replaceAll('>', ')');
}

/** Returns the runtime error in cel-go's words. */
export function evaluationErrorText(error: unknown): string {
  const { code, summary, message } = error as Failure & { readonly message?: string };
  const text = summary ?? message ?? String(error);
  switch (code) {
    case 'no_such_key':
      return `no such key: ${text.replace('No such key: ', '')}`;
    case 'index_out_of_bounds':
      return `index out of bounds: ${/index (-?\d+)/.exec(text)?.[1] ?? ''}`;
    case 'modulo_by_zero':
      return 'modulus by zero';
    case 'numeric_overflow':
      return text.startsWith('int') || text.includes('integer overflow') ? 'integer overflow' : text;
    case 'no_such_overload':
    case 'no_matching_overload':
    case 'invalid_logical_operand':
    case 'invalid_condition_type':
    case 'cannot_index_type':
    case 'invalid_comparison_type':
      return 'no such overload';
    case 'int_conversion_error':
    case 'uint_conversion_error':
    case 'double_conversion_error':
    case 'bool_conversion_error':
      return `type conversion error from 'string' to '${code.split('_', 1)[0]}'`;
    case 'invalid_timestamp':
      return "type conversion error from 'string' to 'google.protobuf.Timestamp'";
    case 'invalid_duration':
      return "type conversion error from 'string' to 'google.protobuf.Duration'";
    case 'optional_value_missing':
      return 'optional.none() dereference';
    default:
      return text;
  }
}
