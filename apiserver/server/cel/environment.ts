/**
 * CEL as in a Kubernetes API server: one base environment, and expressions compiled in its child environments.
 *
 * Owns: the functions available to every expression, compiling, evaluating, error messages. Rules of custom resources are in `rules.ts`;
 * match conditions and admission policies use {@link compileExpression} with variables of their own.
 */
import { Environment } from '@marcbachmann/cel-js';
import { goRegExp } from '../../wire/go-regexp.ts';
import { registerConversions } from './conversions.ts';
import { counted, countEvaluations } from './cost.ts';
import { compileErrorText, evaluationErrorText } from './failures.ts';
import { parseGoDuration } from '../schema/durations.ts';
import { formatHolds } from '../schema/formats.ts';
import type { Parsed } from './estimate/syntax.ts';
import { registerLibrary } from './library.ts';
import { registerNetwork } from './network.ts';
import { registerNullEquality } from './equality.ts';
import { registerOptionals } from './optionals.ts';
import { registerPresence, withOwnNames, writtenName } from './presence.ts';
import { registerValues } from './values.ts';

let base: Environment | undefined;

/** Returns the shared parent of all environments. It is created for the first expression, because most servers never have one. */
export function baseEnvironment(): Environment {
  if (base === undefined) {
    base = new Environment({
      enableOptionalTypes: true,
      homogeneousAggregateLiterals: false,
      limits: { maxListElements: 10_000, maxMapEntries: 10_000 },
    });
    countEvaluations();
    registerLibrary(base);
    registerNetwork(base);
    registerValues(base);
    registerPresence(base);
    registerOptionals(base);
    registerConversions(base);
    registerNullEquality(base, 'google.protobuf.Duration');
    registerNullEquality(base, 'google.protobuf.Timestamp');
  }
  return base;
}

export interface Expression {
  readonly outcome: 'compiled';
  readonly source: string;
  /** The static type: `bool`, `string`, `dyn`, … */
  readonly type: string;
  /** The names of the variables that the expression uses. */
  readonly reads: ReadonlySet<string>;
  /** cel-js's syntax tree. */
  readonly parsed: Parsed;
  /** Values must be CEL values: see `toDynamic` in `shapes.ts`. */
  evaluate(variables: { readonly [name: string]: unknown }): Evaluated;
}

export type Evaluated =
  | { readonly outcome: 'value'; readonly value: unknown; readonly cost: number }
  | { readonly outcome: 'error'; readonly message: string };

/** A compile error in cel-go's words: `ERROR: <input>:1:1: …`. */
export interface NotCompiled {
  readonly outcome: 'refused';
  readonly message: string;
}

/** Reports whether cel-js failed because two operators match values of unknown types. */
function isAmbiguous(error: unknown): boolean {
  return error instanceof Error && error.message.includes(' overlaps with ');
}

/**
 * Compiles `source` in the environment `where`, or in a child of the base environment that has the given variables, each with its type.
 * `fallback` is used if operators in `where` are ambiguous.
 */
export function compileExpression(
  source: string,
  where: Environment | { readonly [variable: string]: string },
  fallback?: () => Environment,
  /** Rewrites the expression to what cel-js supports. */
  reworded: (source: string) => string = withOwnNames,
): Expression | NotCompiled {
  const env = where instanceof Environment ? where : withVariables(where);
  let program: ReturnType<Environment['parse']>;
  try {
    program = env.parse(reworded(source));
  } catch (error) {
    return { outcome: 'refused', message: compileErrorText(source, error, env) };
  }
  const checked = program.check();
  const refusal = checked.valid ? undefined : checked.error;
  if (isAmbiguous(refusal) && fallback !== undefined) return compileExpression(source, fallback());
  if (refusal !== undefined) return { outcome: 'refused', message: compileErrorText(source, refusal, env) };
  const fault = literalFault(source, program.ast, env);
  if (fault !== undefined) return { outcome: 'refused', message: fault };
  return {
    outcome: 'compiled',
    source,
    type: checked.type ?? 'dyn',
    reads: identifiers(program.ast),
    parsed: program.ast,
    evaluate: (variables) => {
      try {
        const { result, cost } = counted(() => program(variables) as unknown);
        return { outcome: 'value', value: result, cost };
      } catch (error) {
        const other = isAmbiguous(error) && fallback !== undefined ? compileExpression(source, fallback()) : undefined;
        if (other?.outcome === 'compiled') return other.evaluate(variables);
        return { outcome: 'error', message: evaluationErrorText(error) };
      }
    },
  };
}

function withVariables(variables: { readonly [variable: string]: string }): Environment {
  const env = baseEnvironment().clone();
  for (const [name, type] of Object.entries(variables)) env.registerVariable(name, type);
  return env;
}

interface Ast {
  readonly op: string;
  readonly args: unknown;
  readonly start: number;
}

function isAst(value: unknown): value is Ast {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

function visit(value: unknown, each: (node: Ast) => void): void {
  if (Array.isArray(value)) for (const one of value) visit(one, each);
  else if (isAst(value)) {
    each(value);
    visit(value.args, each);
  }
}

function identifiers(ast: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  visit(ast, (node) => {
    if (node.op === 'id' && typeof node.args === 'string') names.add(node.args);
  });
  return names;
}

/** Returns the error of a malformed literal, or of an extension of cel-js that Kubernetes does not have. */
function literalFault(source: string, ast: unknown, env: Environment): string | undefined {
  let fault: { readonly code: string; readonly summary: string; readonly at: number } | undefined;
  visit(ast, (node) => {
    if (fault !== undefined) return;
    if (node.op === 'id' && node.args === 'cel') fault = { code: 'unknown_variable', summary: 'cel', at: node.start };
    if ((node.op !== 'call' && node.op !== 'rcall') || !Array.isArray(node.args)) return;
    const name = writtenName(String(node.args[0]));
    const [argument] = node.args.at(-1) as readonly unknown[];
    if (!isAst(argument) || argument.op !== 'value' || typeof argument.args !== 'string') return;
    const bad =
      (name === 'timestamp' && !formatHolds('date-time', argument.args)) ||
      (name === 'duration' && parseGoDuration(argument.args) === undefined) ||
      (name === 'matches' && node.op === 'rcall' && goRegExp(argument.args) === undefined);
    if (bad) fault = { code: 'invalid_literal', summary: `invalid ${name} argument`, at: argument.start };
  });
  return fault === undefined ? undefined : compileErrorText(source, fault, env);
}
