/**
 * Validates admission policies and bindings.
 *
 * Owns: the rules of `pkg/apis/admissionregistration/validation` for both kinds of policies; mainly that their expressions compile to the
 * right type. Rules of webhooks are in `policies.ts`.
 */
import { isMap, listOf, mapOf, mapsOf, textOf } from '../../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../../objects/object.ts';
import { PolicyExpressions } from '../../admission/policy-expressions.ts';
import { qualifiedNameErrors } from '../../names.ts';
import { type Problems, type Validator } from './problems.ts';

/** Compiles one expression and reports errors. `wanted`: types in Go's notation. */
function expression(
  expressions: PolicyExpressions,
  source: string,
  path: string,
  wanted: readonly string[],
  found: Problems,
  authorizing = true,
): void {
  const compiled = expressions.compile(source, authorizing);
  if (compiled.outcome === 'refused') found.invalid(path, source, `compilation failed: ${compiled.message}`);
  else mustBe(compiled.type, source, path, wanted, found);
}

function mustBe(type: string, source: string, path: string, wanted: readonly string[], found: Problems): void {
  const named = type.replaceAll('<T>', '<dyn>').replaceAll('<', '(').replaceAll('>', ')');
  if (wanted.includes(named === 'null' ? 'null_type' : named)) return;
  // cel-go may know more about dynamic values, so the type is checked at runtime.
  if (named === 'dyn' && !/^[\w.]+$/.test(source)) return;
  const types = wanted.length === 1 ? (wanted[0] ?? '') : `one of [${wanted.join(' ')}]`;
  found.invalid(path, source, `must evaluate to ${types} but got ${named}`);
}

function validateSpec(spec: JsonObject, found: Problems): PolicyExpressions {
  const { matchConstraints, paramKind } = spec;
  found.oneOfIfAny('spec.failurePolicy', spec['failurePolicy'], ['Fail', 'Ignore']);
  if (isMap(paramKind)) {
    if (textOf(paramKind['apiVersion']) === '') found.required('spec.paramKind.apiVersion');
    if (textOf(paramKind['kind']) === '') found.required('spec.paramKind.kind');
  }
  if (isMap(matchConstraints)) {
    matchResources(matchConstraints, 'spec.matchConstraints', found);
    if (listOf(matchConstraints['resourceRules']).length === 0) found.required('spec.matchConstraints.resourceRules');
  } else found.required('spec.matchConstraints');
  const plain = new PolicyExpressions([], isMap(paramKind));
  const names = new Set<string>();
  for (const [index, condition] of mapsOf(spec['matchConditions']).entries()) {
    const at = `spec.matchConditions[${index}]`;
    const [name, source] = [textOf(condition['name']), textOf(condition['expression']).trim()];
    if (source === '') found.required(`${at}.expression`);
    else expression(plain, source, `${at}.expression`, ['bool'], found);
    if (name === '') found.required(`${at}.name`);
    else found.qualifiedName(`${at}.name`, name);
    if (names.has(name)) found.duplicate(`${at}.name`, name);
    names.add(name);
  }
  const variables = mapsOf(spec['variables']);
  const expressions = new PolicyExpressions(variables, isMap(paramKind));
  for (const [index, { name, expression: compiled }] of expressions.variables.entries()) {
    const at = `spec.variables[${index}]`;
    const source = textOf(variables[index]?.['expression']);
    if (name === '') found.required(`${at}.name`, 'name is not specified');
    else if (!/^[A-Za-z_]\w*$/.test(name)) found.invalid(`${at}.name`, name, 'name is not a valid CEL identifier');
    if (source.trim() === '') found.required(`${at}.expression`, 'expression is not specified');
    else if (compiled.outcome === 'refused')
      found.invalid(`${at}.expression`, source, `compilation failed: ${compiled.message}`);
  }
  return expressions;
}

function matchResources(resources: JsonObject, path: string, found: Problems): void {
  found.oneOfIfAny(`${path}.matchPolicy`, resources['matchPolicy'], ['Equivalent', 'Exact']);
  found.labelSelector(`${path}.namespaceSelector`, resources['namespaceSelector']);
  found.labelSelector(`${path}.objectSelector`, resources['objectSelector']);
}

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

const validatingPolicy: Validator = (object, _, found) => {
  const spec = mapOf(object['spec']);
  const expressions = validateSpec(spec, found);
  const validations = mapsOf(spec['validations']);
  const annotations = mapsOf(spec['auditAnnotations']);
  if (validations.length + annotations.length === 0)
    for (const field of ['spec.validations', 'spec.auditAnnotations'])
      found.required(field, 'validations or auditAnnotations must contain at least one item');
  for (const [index, validation] of validations.entries()) {
    const at = `spec.validations[${index}]`;
    const source = textOf(validation['expression']).trim();
    if (source === '') found.required(`${at}.expression`, 'expression is not specified');
    else expression(expressions, source, `${at}.expression`, ['bool'], found);
    const messageSource = textOf(validation['messageExpression']).trim();
    if (messageSource !== '')
      expression(expressions, messageSource, `${at}.messageExpression`, ['string'], found, false);
    found.oneOfIfAny(`${at}.reason`, validation['reason'], REASONS);
  }
  for (const [index, annotation] of annotations.entries()) {
    const at = `spec.auditAnnotations[${index}]`;
    const key = `${textOf(mapOf(object['metadata'])['name'])}/${textOf(annotation['key'])}`;
    for (const text of qualifiedNameErrors(key)) found.invalid(`${at}.key`, key, text);
    const source = textOf(annotation['valueExpression']).trim();
    if (source === '') found.required(`${at}.valueExpression`, 'valueExpression is not specified');
    else expression(expressions, source, `${at}.valueExpression`, ['string', 'null_type'], found);
  }
};

const PATCHES: { readonly [type: string]: readonly [field: string, wanted: string] } = {
  ApplyConfiguration: ['applyConfiguration', 'Object'],
  JSONPatch: ['jsonPatch', 'list(JSONPatch)'],
};

const mutatingPolicy: Validator = (object, _, found) => {
  const spec = mapOf(object['spec']);
  const expressions = validateSpec(spec, found);
  const mutations = mapsOf(spec['mutations']);
  if (mutations.length === 0) found.required('spec.mutations', 'mutations must contain at least one item');
  for (const [index, mutation] of mutations.entries()) {
    const at = `spec.mutations[${index}]`;
    const type = textOf(mutation['patchType']);
    const [field, wanted] = PATCHES[type] ?? [];
    found.oneOf(`${at}.patchType`, mutation['patchType'], Object.keys(PATCHES));
    if (field === undefined || wanted === undefined) continue;
    const patch = mutation[field];
    const source = textOf(mapOf(patch)['expression']).trim();
    if (!isMap(patch)) found.required(`${at}.${field}`, `must be specified when patchType is ${type}`);
    else if (source === '') found.required(`${at}.${field}.expression`);
    else expression(expressions, source, `${at}.${field}.expression`, [wanted], found);
    for (const [other] of Object.values(PATCHES))
      if (other !== field && mutation[other] !== undefined)
        found.invalid(`${at}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`);
  }
  found.oneOf('spec.reinvocationPolicy', spec['reinvocationPolicy'], ['IfNeeded', 'Never']);
};

function paramRef(given: JsonValue | undefined, found: Problems): void {
  if (!isMap(given)) return;
  const at = 'spec.paramRef';
  const name = textOf(given['name']);
  const { selector, parameterNotFoundAction } = given;
  const exclusive = 'name and selector are mutually exclusive';
  if (name !== '' && selector !== undefined) found.forbidden(`${at}.name`, exclusive);
  found.labelSelector(`${at}.selector`, selector);
  if (name !== '' && selector !== undefined) found.forbidden(`${at}.selector`, exclusive);
  if (name === '' && selector === undefined) found.required(at, 'one of name or selector must be specified');
  found.oneOf(`${at}.parameterNotFoundAction`, parameterNotFoundAction, ['Deny', 'Allow']);
}

const ACTIONS = ['Audit', 'Deny', 'Warn'];

function validateBinding(validating: boolean): Validator {
  return (object, _, found) => {
    const spec = mapOf(object['spec']);
    const policy = textOf(spec['policyName']);
    if (policy === '') found.required('spec.policyName');
    else found.dnsSubdomain('spec.policyName', policy);
    paramRef(spec['paramRef'], found);
    if (isMap(spec['matchResources'])) matchResources(spec['matchResources'], 'spec.matchResources', found);
    if (!validating) return;
    const actions = listOf(spec['validationActions']);
    const at = 'spec.validationActions';
    for (const [index, action] of actions.entries()) {
      found.oneOfIfAny(`${at}[${index}]`, action, ACTIONS);
      if (actions.indexOf(action) < index) found.duplicate(`${at}[${index}]`, action);
    }
    if (actions.includes('Deny') && actions.includes('Warn'))
      found.invalid(
        at,
        actions,
        'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      );
    if (actions.length === 0) found.required(at, 'at least one validation action is required');
  };
}

/** Validators by resource. */
export const ADMISSION_POLICY_RULES: { readonly [gr: string]: Validator } = {
  'mutatingadmissionpolicies.admissionregistration.k8s.io': mutatingPolicy,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': validateBinding(false),
  'validatingadmissionpolicies.admissionregistration.k8s.io': validatingPolicy,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': validateBinding(true),
};
