/**
 * The `x-kubernetes-validations` of a schema: compiled once, evaluated on every write.
 *
 * Owns: where rules apply, transition rules, messages, ratcheting. Mirrors apiextensions-apiserver `schema/cel/validation.go`. Does not
 * own: the environment and its messages, counting costs (`cost.ts`). Start at {@link compileRules}.
 */
import { type Environment, Optional } from '@marcbachmann/cel-js';
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { fieldErrorText, type FieldError } from '../refusal.ts';
import { isUnchanged, oldItem } from '../schema/correlate.ts';
import type { SchemaNode, ValidationRule } from '../schema/schema-node.ts';
import { baseEnvironment, compileExpression, type Expression } from './environment.ts';
import { COST_EXCEEDED, OBJECT_COST_MAX } from './cost.ts';
import { celConcat, celEqual, registerEquality } from './equality.ts';
import { rememberMessage } from './messages.ts';
import { shapeOf, type Shape } from './shapes.ts';

/** One rule, compiled or with its compile error. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Undefined for an empty rule. */
  readonly program: Expression | undefined;
  /** The compile error. */
  readonly error: string | undefined;
  readonly usesOldSelf: boolean;
  readonly message: Expression | undefined;
  readonly messageError: string | undefined;
}

/** The rules of a schema node and of everything below. */
export interface RuleTree {
  readonly node: SchemaNode;
  readonly shape: Shape | undefined;
  /** Compiled lazily. */
  readonly rules: readonly CompiledRule[];
  /** Compiles the rules one after the other without keeping them: a definition may have megabytes of rules. */
  readonly eachRule: () => Iterable<CompiledRule>;
  /** True if this node itself has rules. */
  readonly isRuled: boolean;
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly items: RuleTree | undefined;
  readonly additional: RuleTree | undefined;
}

/** Reports whether there is any rule in or below `node`. */
export function hasRules(node: SchemaNode): boolean {
  if (node.rules.length > 0) return true;
  for (const property of node.properties.values()) if (hasRules(property)) return true;
  return (
    (node.items !== undefined && hasRules(node.items)) ||
    (typeof node.additional === 'object' && hasRules(node.additional)) ||
    node.allOf.some(hasRules)
  );
}

/** Compiles all rules of a schema; undefined when there is none. */
export function compileRules(root: SchemaNode): RuleTree | undefined {
  if (!hasRules(root)) return undefined;
  return tree(root, root, true, 'self');
}

/** Compiles the rules of a node and of everything below it. `rules`: the node with the rules; it differs from `node` only below `allOf`. */
function tree(node: SchemaNode, rules: SchemaNode, root: boolean, name: string): RuleTree | undefined {
  const shape = rules.rules.length > 0 ? shapeOf(node, root, name) : undefined;
  const properties = new Map<string, RuleTree>();
  for (const [key, property] of rules.properties) {
    const structural = node.properties.get(key);
    if (structural === undefined || !hasRules(property)) continue;
    const below = tree(structural, property, structural.embedded, `${name}.${key.replaceAll(/\W/g, '_')}`);
    if (below !== undefined) properties.set(key, below);
  }
  const items =
    node.items !== undefined && rules.items !== undefined && hasRules(rules.items)
      ? tree(node.items, rules.items, node.items.embedded, `${name}.items`)
      : undefined;
  const additional =
    typeof node.additional === 'object' && typeof rules.additional === 'object' && hasRules(rules.additional)
      ? tree(node.additional, rules.additional, node.additional.embedded, `${name}.values`)
      : undefined;
  if (rules.rules.length === 0 && properties.size === 0 && items === undefined && additional === undefined)
    return undefined;
  let compiled: readonly CompiledRule[] | undefined;
  return {
    node,
    shape,
    get rules() {
      return (compiled ??= [...compileEach(rules.rules, shape)]);
    },
    eachRule: () => compileEach(rules.rules, shape),
    isRuled: rules.rules.length > 0,
    properties,
    items,
    additional,
  };
}

function* compileEach(rules: readonly ValidationRule[], shape: Shape | undefined): Iterable<CompiledRule> {
  let ordinary: Scopes | undefined;
  let optional: Scopes | undefined;
  for (const rule of rules)
    if (shape === undefined)
      yield {
        rule,
        program: undefined,
        error: 'failed to convert to declType for CEL validation rules',
        usesOldSelf: false,
        message: undefined,
        messageError: undefined,
      };
    else if (rule.optionalOldSelf) yield compileOne(rule, (optional ??= scopesOf(shape, `optional<${shape.type}>`)));
    else yield compileOne(rule, (ordinary ??= scopesOf(shape, shape.type)));
}

/** `plain` has no operators for set and map lists. It is used for expressions whose types are ambiguous with these operators. */
interface Scopes {
  readonly env: Environment;
  readonly plain: () => Environment;
}

function scopesOf(shape: Shape, oldSelf: string): Scopes {
  const scope = (associative: boolean): Environment => {
    let types = baseEnvironment();
    if (!isPlain(shape)) declare((types = types.clone()), shape, associative, new Set());
    return types.clone().registerVariable('self', shape.type).registerVariable('oldSelf', oldSelf);
  };
  let plain: Environment | undefined;
  const made = (): Scopes => ({ env: scope(true), plain: () => (plain ??= scope(false)) });
  if (!isPlain(shape)) return made();
  // These scopes are shared: a definition may have ten thousand strings with a rule each.
  const known = plainScopes.get(oldSelf);
  if (known !== undefined) return known;
  const scopes = made();
  if (plainScopes.size < PLAIN_SCOPES_MAX) plainScopes.set(oldSelf, scopes);
  return scopes;
}

const PLAIN_SCOPES_MAX = 100;

/** Scopes by the type of `oldSelf`, which determines that of `self`. */
const plainScopes = new Map<string, Scopes>();

/** Reports whether a shape has no messages or operators to register. */
function isPlain({ fields, associative, items }: Shape): boolean {
  return fields === undefined && !associative && (items === undefined || isPlain(items));
}

function compileOne(rule: ValidationRule, { env, plain }: Scopes): CompiledRule {
  const none = {
    rule,
    program: undefined,
    error: undefined,
    usesOldSelf: false,
    message: undefined,
    messageError: undefined,
  };
  if (rule.rule.trim() === '') return none;
  const program = compileExpression(rule.rule, env, plain);
  if (program.outcome === 'refused') return { ...none, error: `compilation failed: ${program.message}` };
  if (program.type !== 'bool') return { ...none, error: 'cel expression must evaluate to a bool' };
  const compiled = { ...none, program, usesOldSelf: program.reads.has('oldSelf') };
  if (rule.messageExpression === '') return compiled;
  const message = compileExpression(rule.messageExpression, env, plain);
  if (message.outcome === 'refused')
    return { ...compiled, messageError: `messageExpression compilation failed: ${message.message}` };
  if (message.type !== 'string') return { ...compiled, messageError: 'messageExpression must evaluate to a string' };
  return { ...compiled, message };
}

/** Registers the messages of a shape, and the operators of its lists. */
export function declare(env: Environment, shape: Shape, associative: boolean, seen: Set<string>): void {
  if (shape.items !== undefined) declare(env, shape.items, associative, seen);
  if (associative && shape.associative && !seen.has(shape.type)) {
    seen.add(shape.type);
    env.registerOperator(`${shape.type} == ${shape.type}`, celEqual);
    env.registerOperator(`${shape.type} + ${shape.type}: ${shape.type}`, celConcat as never);
  }
  if (shape.fields === undefined || shape.constructor_ === undefined || seen.has(shape.type)) return;
  seen.add(shape.type);
  const fields: { [name: string]: string } = {};
  for (const [name, field] of shape.fields) {
    declare(env, field.shape, associative, seen);
    fields[name] = field.shape.type;
  }
  const name = shape.type;
  env.registerType(name, { ctor: shape.constructor_, fields });
  registerEquality(env, name, celEqual);
  rememberMessage(shape.constructor_, shape.fields);
}

/** How a value relates to the stored value. */
interface Correlation {
  /** The stored value, when it can be correlated. */
  readonly old: JsonValue | undefined;
  readonly value: JsonValue;
  readonly node: SchemaNode;
  readonly parent: Correlation | undefined;
}

/** Reports whether the value, or its nearest correlatable ancestor, has not changed since it was stored. */
function isSettled(correlation: Correlation): boolean {
  for (let at: Correlation | undefined = correlation; at !== undefined; at = at.parent)
    if (at.old !== undefined) return isUnchanged(at.node, at.value, at.old);
  return false;
}

export interface RuleSite {
  readonly errors: FieldError[];
  /** The cost of the object's rules so far; undefined before the first rule, infinite once no more rules are evaluated. */
  cost?: number;
  /** Failures in unchanged parts, which are only warnings. */
  readonly warnings: string[];
}

/** Appends the failures of the rules on an object. `old`: the stored object, on updates. */
export function evaluateRules(tree: RuleTree, value: JsonValue, old: JsonValue | undefined, site: RuleSite): void {
  walk(tree, value, old, '', { old, value, node: tree.node, parent: undefined }, site);
}

function walk(
  tree: RuleTree,
  value: JsonValue | undefined,
  old: JsonValue | undefined,
  path: string,
  correlation: Correlation,
  site: RuleSite,
): void {
  if (value === undefined || value === null || site.cost === Number.POSITIVE_INFINITY) return;
  if (tree.isRuled) evaluateHere(tree, value, old ?? undefined, path, correlation, site);
  if (isList(value)) {
    if (tree.items === undefined) return;
    for (const [index, item] of value.entries()) {
      const before = oldItem(tree.node, item, isList(old) ? old : undefined);
      walk(
        tree.items,
        item,
        before,
        `${path}[${index}]`,
        { old: before, value: item, node: tree.items.node, parent: correlation },
        site,
      );
    }
  } else if (isMap(value)) walkMap(tree, value, isMap(old) ? old : undefined, path, correlation, site);
}

function walkMap(
  tree: RuleTree,
  value: JsonObject,
  old: JsonObject | undefined,
  path: string,
  correlation: Correlation,
  site: RuleSite,
): void {
  const below = (next: RuleTree, key: string, at: string): void => {
    const item = value[key];
    if (item === undefined) return;
    const before = old?.[key];
    walk(next, item, before, at, { old: before, value: item, node: next.node, parent: correlation }, site);
  };
  if (tree.additional !== undefined)
    for (const key in value) below(tree.additional, key, path === '' ? `[${key}]` : `${path}[${key}]`);
  for (const [key, next] of tree.properties) below(next, key, path === '' ? key : `${path}.${key}`);
}

function evaluateHere(
  { rules, shape, node }: RuleTree,
  value: JsonValue,
  old: JsonValue | undefined,
  path: string,
  correlation: Correlation,
  site: RuleSite,
): void {
  if (shape === undefined) return;
  const field = path === '' ? '<nil>' : path;
  const self = shape.convert(value);
  let oldSelf: unknown;
  for (const compiled of rules) {
    const { rule, program, usesOldSelf } = compiled;
    if (compiled.error !== undefined) {
      site.errors.push({ type: 'Invalid', field, value: node.type, detail: `rule compile error: ${compiled.error}` });
      continue;
    }
    if (program === undefined || (usesOldSelf && old === undefined && !rule.optionalOldSelf)) continue;
    if (usesOldSelf && old !== undefined) oldSelf ??= shape.convert(old);
    const variables = rule.optionalOldSelf
      ? { self, oldSelf: oldSelf === undefined ? Optional.none() : Optional.of(oldSelf) }
      : { self, oldSelf };
    const result = program.evaluate(variables);
    if (result.outcome === 'error' && result.message.startsWith(COST_EXCEEDED)) {
      const why = 'no further validation rules will be run due to call cost exceeds limit for rule';
      const detail = `'${result.message}': ${why}: ${named_(rule)}`;
      site.errors.push({ type: 'Invalid', field, value: node.type, detail });
      site.cost = Number.POSITIVE_INFINITY;
      return;
    }
    site.cost = (site.cost ?? 0) + (result.outcome === 'value' ? result.cost : 1);
    if (site.cost > OBJECT_COST_MAX) {
      site.errors.push({ type: 'Invalid', field, value: node.type, detail: OUT_OF_BUDGET });
      site.cost = Number.POSITIVE_INFINITY;
      return;
    }
    if (result.outcome === 'error') {
      site.errors.push({ type: 'Invalid', field, value: node.type, detail: failureText(result.message, rule) });
      continue;
    }
    if (result.value === true) continue;
    const error = brokenRule(compiled, variables, value, path);
    if (!usesOldSelf && isSettled(correlation)) site.warnings.push(fieldErrorText(error));
    else site.errors.push(error);
  }
}

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

function failureText(message: string, rule: ValidationRule): string {
  const named = named_(rule);
  return message.startsWith('no such overload')
    ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${named}`
    : `${message} evaluating rule: ${named}`;
}

function named_(rule: ValidationRule): string {
  return (rule.message === '' ? rule.rule : rule.message).trim();
}

/** The maximum length of the result of a message expression; longer results are ignored. */
const MESSAGE_BYTES_MAX = 5 * 1024;

function brokenRule(
  { rule, message }: CompiledRule,
  variables: { readonly [name: string]: unknown },
  value: JsonValue,
  path: string,
): FieldError {
  let detail = rule.message === '' ? `failed rule: ${rule.rule.trim()}` : rule.message.trim();
  const evaluated = message?.evaluate(variables);
  if (evaluated?.outcome === 'value' && typeof evaluated.value === 'string') {
    const text = evaluated.value.trim();
    if (text !== '' && !text.includes('\n') && new TextEncoder().encode(text).length <= MESSAGE_BYTES_MAX)
      detail = text;
  }
  const at = path === '' ? rule.fieldPath.replace(/^\./, '') : `${path}${rule.fieldPath}`;
  const field = at === '' ? '<nil>' : at;
  const shown = typeof value === 'object' ? {} : { value };
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return { type: 'Forbidden', field, detail };
    case 'FieldValueRequired':
      return { type: 'Required', field, detail };
    case 'FieldValueDuplicate':
      return { type: 'Duplicate', field, ...shown, detail: '' };
    default:
      return { type: 'Invalid', field, ...shown, detail };
  }
}
