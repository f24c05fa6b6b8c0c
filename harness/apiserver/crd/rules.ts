/**
 * The rules (`x-kubernetes-validations`) of a definition: their texts, and whether they compile.
 *
 * Does not own: compiling (`../cel`). Costs are not estimated (DIFFERENCES.md).
 */
import { isList, isMap, mapOf } from '../../model/json.ts';
import type { JsonObject } from '../../model/object.ts';
import { compileRules, type CompiledRule, type RuleTree } from '../cel/rules.ts';
import { fieldInvalid, fieldNotSupported, fieldRequired, type FieldError } from '../refusal.ts';
import { compileNode, type SchemaNode } from '../schema/node.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const NEWLINES = /[\n\r]/;

/** Appends what is wrong with the texts of a level's rules. */
export function validateRuleTexts(schema: JsonObject, at: string, errors: FieldError[]): void {
  const rules = schema['x-kubernetes-validations'];
  if (!isList(rules)) return;
  for (const [index, entry] of rules.entries()) {
    if (!isMap(entry)) continue;
    const where = `${at}.x-kubernetes-validations[${index}]`;
    const text = (key: string): string => (typeof entry[key] === 'string' ? entry[key] : '');
    const [rule, message, expression, path] = [
      text('rule'),
      text('message'),
      text('messageExpression'),
      text('fieldPath'),
    ];
    if (rule.trim() === '') errors.push(fieldRequired(`${where}.rule`, 'rule is not specified'));
    else if (message !== '' && message.trim() === '')
      errors.push(fieldInvalid(`${where}.message`, message, 'must be non-empty if specified'));
    else if (NEWLINES.test(message.trim()))
      errors.push(fieldInvalid(`${where}.message`, message, 'must not contain line breaks'));
    else if (NEWLINES.test(rule.trim()) && message.trim() === '')
      errors.push(fieldRequired(`${where}.message`, 'message must be specified if rule contains line breaks'));
    if (expression !== '' && expression.trim() === '')
      errors.push(fieldRequired(`${where}.messageExpression`, 'messageExpression must be non-empty if specified'));
    const reason = entry['reason'];
    if (reason !== undefined && reason !== null && !REASONS.includes(text('reason')))
      errors.push(fieldNotSupported(`${where}.reason`, reason, REASONS));
    if (path !== '' && path.trim() === '')
      errors.push(fieldInvalid(`${where}.fieldPath`, path, 'must be non-empty if specified'));
    if (NEWLINES.test(path)) errors.push(fieldInvalid(`${where}.fieldPath`, path, 'must not contain line breaks'));
    if (path !== '' && resolvePath(compileNode(schema), path) === undefined)
      errors.push(fieldInvalid(`${where}.fieldPath`, path, 'must be a valid path'));
  }
}

/** The schema that a field path such as `.spec.x` or `.spec['a.b']` leads to. */
export function resolvePath(node: SchemaNode, path: string): SchemaNode | undefined {
  let at: SchemaNode | undefined = node;
  let rest = path;
  while (rest !== '' && at !== undefined) {
    const match = /^(?:\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\])/.exec(rest);
    if (match === null) return undefined;
    const name = match[1] ?? (match[2] ?? '').replaceAll(/\\(.)/g, '$1');
    const additional: SchemaNode | boolean | undefined = at.additional;
    at = at.properties.size > 0 ? at.properties.get(name) : typeof additional === 'object' ? additional : undefined;
    rest = rest.slice(match[0].length);
  }
  return at;
}

/** Appends an error for every rule that does not compile. Called for schemas that are fine otherwise. */
export function validateRules(schema: JsonObject, at: string, errors: FieldError[]): void {
  const tree = compileRules(compileNode(schema));
  if (tree !== undefined) validateTree(tree, schema, at, undefined, errors);
}

/** `uncorrelatable`: the path of the nearest part above whose items have no past. */
function validateTree(
  tree: RuleTree,
  schema: JsonObject,
  at: string,
  uncorrelatable: string | undefined,
  errors: FieldError[],
): void {
  const properties = isMap(schema['properties']) ? schema['properties'] : {};
  for (const [key, below] of tree.properties)
    validateTree(below, mapOf(properties[key]), `${at}.properties[${key}]`, uncorrelatable, errors);
  if (tree.additional !== undefined)
    validateTree(
      tree.additional,
      mapOf(schema['additionalProperties']),
      `${at}.additionalProperties`,
      uncorrelatable,
      errors,
    );
  if (tree.items !== undefined) {
    const lost = uncorrelatable ?? (schema['x-kubernetes-list-type'] === 'map' ? undefined : at);
    validateTree(tree.items, mapOf(schema['items']), `${at}.items`, lost, errors);
  }
  for (const [index, rule] of tree.rules.entries())
    validateOne(rule, `${at}.x-kubernetes-validations[${index}]`, uncorrelatable, errors);
}

function validateOne(
  compiled: CompiledRule,
  where: string,
  uncorrelatable: string | undefined,
  errors: FieldError[],
): void {
  const { rule, error, messageError, usesOldSelf } = compiled;
  if (error !== undefined) errors.push(fieldInvalid(`${where}.rule`, goRule(compiled), error));
  if (messageError !== undefined)
    errors.push(fieldInvalid(`${where}.messageExpression`, goRule(compiled), messageError));
  if (usesOldSelf && uncorrelatable !== undefined)
    errors.push(
      fieldInvalid(
        `${where}.rule`,
        rule.rule,
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`,
      ),
    );
  else if (!usesOldSelf && rule.optionalOldSelf)
    errors.push(fieldInvalid(`${where}.optionalOldSelf`, true, 'may not be set if oldSelf is not used in rule'));
}

/** The rule as Go's internal type is written. */
function goRule({ rule }: CompiledRule): JsonObject {
  return {
    Rule: rule.rule,
    Message: rule.message,
    MessageExpression: rule.messageExpression,
    Reason: rule.reason === '' ? null : rule.reason,
    FieldPath: rule.fieldPath,
    OptionalOldSelf: rule.optionalOldSelf ? true : null,
  };
}
