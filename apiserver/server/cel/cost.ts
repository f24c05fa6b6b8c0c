/**
 * The runtime cost budget of expressions: even a rule of two lines can compare all pairs of items.
 *
 * Owns: kube-apiserver's budgets, and counting: each evaluated node costs one, as in cel-go, and functions on texts cost by length. cel-js
 * has no budget, so this file replaces the one method through which it evaluates every node.
 */
import { Environment } from '@marcbachmann/cel-js';

/** The budget of one evaluation. */
const CALL_COST_MAX = 1_000_000;
/** The budget of all rules on one object. */
export const OBJECT_COST_MAX = 10_000_000;

/** cel-go's message for an exceeded budget. */
export const COST_EXCEEDED = 'operation cancelled: actual cost limit exceeded';

/**
 * Thrown for every node once the budget is exceeded. Created only once, because a comprehension catches it and continues with its next
 * item.
 */
const exceeded = new Error(COST_EXCEEDED);

let spent = 0;

/** Adds a cost. Throws when the budget is exceeded. */
export function spend(cost: number): void {
  spent += cost;
  if (spent > CALL_COST_MAX) throw exceeded;
}

/** Adds the cost of a text that a function is about to create; ten characters cost one, as in cel-go. */
export function spendText(length: number): void {
  spend(Math.ceil(length / 10));
}

/** Runs one evaluation and returns its cost. */
export function counted<T>(evaluate: () => T): { readonly result: T; readonly cost: number } {
  // Evaluations do not nest, except a retry in the fallback environment, which has a budget of its own.
  spent = 0;
  const result = evaluate();
  const cost = spent;
  if (cost > CALL_COST_MAX) throw exceeded;
  return { result, cost };
}

interface Evaluator {
  run: (this: Evaluator, node: unknown, scope: unknown) => unknown;
}

/** Makes every evaluation in all environments count its cost. Called once. */
export function countEvaluations(): void {
  const probe = new Environment();
  let found: Evaluator | undefined;
  const macro = ({ receiver, args }: { readonly receiver: unknown; readonly args: unknown }): object => ({
    receiver,
    args,
    async: false,
    typeCheck: (checker: { getType(name: string): unknown }) => checker.getType('bool'),
    evaluate: (evaluator: Evaluator) => {
      found = evaluator;
      return true;
    },
  });
  probe.registerFunction('list.evaluatorProbe(ast): bool', macro as never);
  probe.evaluate('[1].evaluatorProbe(1)');
  const prototype = Object.getPrototypeOf(found) as Evaluator;
  const { run } = prototype;
  prototype.run = function counting(this: Evaluator, node, scope): unknown {
    spend(1);
    return run.call(this, node, scope);
  };
}
