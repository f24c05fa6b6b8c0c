/**
 * Validates the rules (`x-kubernetes-validations`) of a definition: their texts, and whether they compile.
 *
 * Does not own: compiling, estimating costs (`../cel`), cost limits (`rule-costs.ts`).
 */
import { isList, isMap, mapOf } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import type { Expression } from '../cel/environment.ts';
import { declaredOf, repeatedMax } from '../cel/estimate/declared.ts';
import type { Declared } from '../cel/estimate/types.ts';
import { estimateCost } from '../cel/estimate/estimate.ts';
import { times } from '../cel/estimate/sizes.ts';
import { compileRules, type CompiledRule, type RuleTree } from '../cel/rules.ts';
import { fieldInvalid, fieldNotSupported, fieldRequired, type FieldError } from '../refusal.ts';
import { compileNode } from '../schema/node.ts';
import { cardinalityBelow, RuleCosts, type Cardinality } from './rule-costs.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const NEWLINES = /[\n\r]/;

/** Appends errors in the texts of the rules of one level. */
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
    if (path !== '' && resolvePath(schema, path) === undefined)
      errors.push(fieldInvalid(`${where}.fieldPath`, path, 'must be a valid path'));
  }
}

/** Returns the schema at a field path like `.spec.x` or `.spec['a.b']`. */
export function resolvePath(schema: JsonObject, path: string): JsonObject | undefined {
  let at: JsonObject | undefined = schema;
  let rest = path;
  while (rest !== '' && at !== undefined) {
    const match = /^(?:\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\])/.exec(rest);
    if (match === null) return undefined;
    const name = match[1] ?? (match[2] ?? '').replaceAll(/\\(.)/g, '$1');
    const properties = mapOf(at['properties']);
    const additional: JsonValue | undefined = at['additionalProperties'];
    if (Object.hasOwn(properties, name)) at = mapOf(properties[name]);
    // A path can only name properties.
    else at = isMap(additional) && Object.keys(properties).length === 0 ? additional : undefined;
    rest = rest.slice(match[0].length);
  }
  return at;
}

/** Reports whether there is any rule in or below an otherwise structural schema. */
function isRuled(schema: JsonObject): boolean {
  if (isList(schema['x-kubernetes-validations'])) return true;
  for (const key of ['items', 'additionalProperties']) {
    const below = schema[key];
    if (isMap(below) && isRuled(below)) return true;
  }
  const properties = mapOf(schema['properties']);
  for (const name in properties) if (isRuled(mapOf(properties[name]))) return true;
  return false;
}

/** Appends an error for every rule that does not compile. Called for schemas without other errors. */
export function validateRules(schema: JsonObject, at: string, errors: FieldError[]): void {
  if (!isRuled(schema)) return;
  const tree = compileRules(compileNode(schema));
  if (tree === undefined) return;
  const site: Site = { costs: new RuleCosts(), errors };
  validateTree(tree, schema, { at, root: true, uncorrelatable: undefined, cardinality: 1 }, site);
  for (const error of site.costs.errors(at)) errors.push(error);
}

/** A schema's position in its definition. */
interface SchemaPosition {
  readonly at: string;
  readonly root: boolean;
  /** The path of the nearest ancestor with uncorrelatable items. */
  readonly uncorrelatable: string | undefined;
  /** How often values of this schema can occur in one object. */
  readonly cardinality: Cardinality;
}

/** The results for all schemas of a definition. */
interface Site {
  readonly costs: RuleCosts;
  readonly errors: FieldError[];
}

function validateTree(tree: RuleTree, schema: JsonObject, place: SchemaPosition, site: Site): void {
  const { at, uncorrelatable } = place;
  const inner: Omit<SchemaPosition, 'at'> = {
    root: false,
    uncorrelatable,
    cardinality: cardinalityBelow(schema, place.cardinality),
  };
  const properties = mapOf(schema['properties']);
  for (const [key, below] of tree.properties)
    validateTree(below, mapOf(properties[key]), { ...inner, at: `${at}.properties[${key}]` }, site);
  if (tree.additional !== undefined)
    validateTree(
      tree.additional,
      mapOf(schema['additionalProperties']),
      { ...inner, at: `${at}.additionalProperties` },
      site,
    );
  if (tree.items !== undefined) {
    const lost = uncorrelatable ?? (schema['x-kubernetes-list-type'] === 'map' ? undefined : at);
    validateTree(tree.items, mapOf(schema['items']), { ...inner, at: `${at}.items`, uncorrelatable: lost }, site);
  }
  const declared = !tree.isRuled ? undefined : declaredOf(tree.node, place.root || tree.node.embedded);
  let index = 0;
  for (const rule of tree.eachRule()) {
    const where = `${at}.x-kubernetes-validations[${index++}]`;
    validateCost(rule, where, declared, place.cardinality, site);
    validateOne(rule, where, uncorrelatable, site.errors);
  }
}

function validateCost(
  { rule, program, message }: CompiledRule,
  where: string,
  declared: Declared | undefined,
  cardinality: Cardinality,
  { costs, errors }: Site,
): void {
  if (declared === undefined || program === undefined) return;
  const cost = (expression: Expression): number => estimateCost(expression.parsed, declared, rule.optionalOldSelf);
  const often = cardinality === 'unbounded' ? repeatedMax(declared) : cardinality;
  for (const error of costs.add(`${where}.rule`, 'rule', times(cost(program), often))) errors.push(error);
  // A message is computed once, no matter how often its rule fails.
  if (message !== undefined)
    for (const error of costs.add(`${where}.messageExpression`, 'messageExpression', cost(message))) errors.push(error);
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

/** Returns the rule as Go prints its internal type. */
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
