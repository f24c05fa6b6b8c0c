/**
 * `has(…)` for fields, and `matches(…)` with Go's regular expressions.
 *
 * cel-js's own macro only accepts chains that start at a variable and does not check that the field is declared. Expressions are compiled
 * with the macro `Has` of this file instead; the name has the same length, so that positions are preserved.
 */
import { Optional, type Environment, type TypeDeclaration } from '@marcbachmann/cel-js';
import { readPattern } from '../../wire/go-regexp.ts';

interface Node {
  readonly op: string;
  readonly args: unknown;
}

interface Checker {
  check(node: Node, scope: unknown): TypeDeclaration;
  getType(name: string): TypeDeclaration;
  createError(code: string, message: string, node: Node): Error;
  readonly objectTypes: ReadonlyMap<string, { readonly fields?: { readonly [name: string]: unknown } }>;
}

interface Macro {
  readonly ast: Node;
  readonly args: readonly Node[];
}

const STRING = [
  '[rR]?"""[^]*?"""',
  "[rR]?'''[^]*?'''",
  '[rR]"[^"]*"',
  "[rR]'[^']*'",
  String.raw`"(?:\\.|[^"\\])*"`,
  String.raw`'(?:\\.|[^'\\])*'`,
].join('|');

const REPLACED = new RegExp(String.raw`${STRING}|(?<![\w.])has(?=\s*\()|(?<=\.\s*)matches(?=\s*\()`, 'gs');

/** Replaces `has` by `Has` and `matches` by `Matches`, outside of strings. */
export function withOwnNames(source: string): string {
  if (!source.includes('has') && !source.includes('matches')) return source;
  return source.replaceAll(REPLACED, (text) => (text === 'has' ? 'Has' : text === 'matches' ? 'Matches' : text));
}

/** Returns the original spelling of a name that {@link withOwnNames} replaced. */
export function writtenName(name: string): string {
  return name === 'Has' || name === 'Matches' ? name.toLowerCase() : name;
}

/** Reports whether Go's engine finds a pattern in a text. Throws for an invalid pattern. */
export function goPatternMatches(text: string, pattern: string): boolean {
  const read = readPattern(pattern);
  if ('fault' in read) throw new Error(read.fault);
  return read.test(text);
}

export function registerPresence(env: Environment): void {
  env.registerFunction('string.Matches(string): bool', goPatternMatches);
  env.registerFunction('Has(ast): bool', (({ ast, args }: Macro) => ({
    ast,
    args,
    async: false,
    typeCheck(checker: Checker, macro: Macro, scope: unknown): TypeDeclaration {
      const [node] = macro.args;
      if (node === undefined || (node.op !== '.' && node.op !== '.?'))
        throw checker.createError('invalid_macro_argument', 'has() invalid argument', node ?? macro.ast);
      const [operand, field] = node.args as readonly [Node, string];
      const type = checker.check(operand, scope);
      const holder = type.kind === 'optional' ? (type.valueType ?? type) : type;
      const fields = holder.kind === 'message' ? checker.objectTypes.get(holder.name)?.fields : undefined;
      if (fields !== undefined && fields[field] === undefined)
        throw checker.createError('undefined_in_has', field, macro.ast);
      return checker.getType('bool');
    },
    evaluate(evaluator: { run(node: Node, scope: unknown): unknown }, macro: Macro, scope: unknown): boolean {
      const [operand, field] = (macro.args[0] as Node).args as readonly [Node, string];
      const value = evaluator.run(operand, scope);
      return isPresent(value instanceof Optional ? value.orValue(undefined) : value, field);
    },
  })) as never);
}

function isPresent(value: unknown, field: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof Map) return value.get(field) !== undefined;
  return (value as { readonly [name: string]: unknown })[field] !== undefined;
}
