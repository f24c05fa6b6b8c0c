/** Parts of cel-go's optional values that cel-js lacks: equality, `optMap`, `optFlatMap`, `optional.ofNonZeroValue`. */
import { Optional, type Environment, type TypeDeclaration } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { celEqual, registerNullEquality } from './equality.ts';
import { nameOf, type Checker, type Evaluator, type Macro, type Scope } from './comprehensions.ts';

export function registerOptionals(env: Environment): void {
  env.registerOperator('optional<A> == optional<A>', celEqual);
  registerNullEquality(env, 'optional');
  env.registerFunction('OptionalNamespace.ofNonZeroValue(A): optional<A>', (_: unknown, value: unknown) =>
    isZero(value) ? Optional.none() : Optional.of(value),
  );
  env.registerFunction('optional<A>.optMap(ast, ast): optional<dyn>', mapping(false) as never);
  env.registerFunction('optional<A>.optFlatMap(ast, ast): optional<dyn>', mapping(true) as never);
}

function isZero(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '' || value === 0 || value === 0n)
    return true;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Map) return value.size === 0;
  return value instanceof Duration && value.seconds === 0n && value.nanos === 0;
}

/** Returns the macro `optMap`; if `flat`, the macro `optFlatMap`, whose expression itself returns an optional. */
function mapping(flat: boolean) {
  return ({ receiver, args }: Macro) => ({
    receiver,
    args,
    async: false,
    typeCheck(checker: Checker, macro: Macro, scope: Scope): TypeDeclaration {
      const held = checker.check(macro.receiver, scope);
      const variable = nameOf(checker, macro.args[0]);
      macro.values = scope.forkWithVariable(variable, held.valueType ?? checker.getType('dyn'));
      const [, expression] = macro.args;
      const type = expression === undefined ? checker.getType('dyn') : checker.check(expression, macro.values);
      return flat ? type : checker.registry.getOptionalType(type);
    },
    evaluate(evaluator: Evaluator, macro: Macro, scope: Scope): unknown {
      const held = evaluator.run(macro.receiver, scope);
      const [, expression] = macro.args;
      if (!(held instanceof Optional) || macro.values === undefined || expression === undefined)
        throw new Error('no such overload');
      if (!held.hasValue()) return held;
      const inner = macro.values.reuse(scope).setIterValue(held.value(), evaluator);
      const result = evaluator.run(expression, inner);
      return flat ? result : Optional.of(result);
    },
  });
}
