/**
 * `matchConditions` of webhooks: CEL expressions that must all be true for the webhook to be called.
 *
 * Owns: the variables `object`, `oldObject` and `request`, and the effect of an expression that fails. Mirrors k8s.io/apiserver
 * `admission/plugin/webhook/matchconditions`. The variable `authorizer` does not exist. Start at {@link conditionsMet}.
 */
import { textOf } from '../../objects/json.ts';
import type { JsonObject } from '../../objects/object.ts';
import { compileExpression, type Expression, type NotCompiled } from '../cel/environment.ts';
import { toDynamic } from '../cel/shapes.ts';
import type { Call } from '../call.ts';
import { aggregated, detailsOf, refuse, type Refusal } from '../refusal.ts';
import type { Admitting } from './match.ts';
import type { Webhook } from './webhook.ts';

const VARIABLES = { object: 'dyn', oldObject: 'dyn', request: 'dyn' };

const compiled = new WeakMap<JsonObject, Expression | NotCompiled>();

function compiledCondition(condition: JsonObject): Expression | NotCompiled {
  let expression = compiled.get(condition);
  if (expression === undefined)
    compiled.set(condition, (expression = compileExpression(textOf(condition['expression']), VARIABLES)));
  return expression;
}

/** Reports whether to call the webhook; returns a refusal when evaluation fails and the failure policy is Fail. */
export function conditionsMet(call: Call, what: Admitting, request: JsonObject, webhook: Webhook): boolean | Refusal {
  const errors: string[] = [];
  const { object: _, oldObject: __, ...asked } = request;
  const variables = {
    object: toDynamic(what.object ?? null),
    oldObject: toDynamic(what.old ?? null),
    request: toDynamic(asked),
  };
  for (const condition of webhook.matchConditions) {
    const expression = compiledCondition(condition);
    const source = textOf(condition['expression']);
    if (expression.outcome === 'refused') {
      errors.push(`compilation failed: ${expression.message}`);
      continue;
    }
    const result = expression.evaluate(variables);
    if (result.outcome === 'error') errors.push(`expression '${source}' resulted in error: ${result.message}`);
    // One false condition decides, whatever the other results are.
    else if (result.value === false) return false;
  }
  if (errors.length === 0) return true;
  if (webhook.ignoresFailure) return false;
  const { definition } = call.route;
  const subject = what.name === '' ? definition.gr : `${definition.gr} ${JSON.stringify(what.name)}`;
  return refuse(403, 'Forbidden', `${subject} is forbidden: ${aggregated(errors)}`, detailsOf(definition, what.name));
}
