/**
 * Admission policies and their bindings, parsed: what they match, with which parameters.
 *
 * Owns: the common part of mutating and validating policies, up to the list of evaluations. Mirrors k8s.io/apiserver
 * `admission/plugin/policy/{generic,matching}`. Does not own: the effect of an evaluation. Start at {@link policiesOf} and {@link
 * matchesOf}.
 */
import { isMap, mapOf, mapsOf, textOf, textsOf, valueAt } from '../../objects/json.ts';
import { parseApiVersion, type JsonObject, type KubeObject } from '../../objects/object.ts';
import type { ServedVersion } from '../definition.ts';
import type { ServerState } from '../server-state.ts';
import type { Call } from '../call.ts';
import { aggregated, Refusal } from '../refusal.ts';
import { labelsMatch, parseLabelSelector, selectorText } from '../selectors.ts';
import { rowKey } from '../store.ts';
import { invocationOf, type Admitting } from './match.ts';
import { PolicyExpressions, type Values } from './policy-expressions.ts';
import { webhookOf, type Webhook } from './webhook.ts';

/** The match resources of a policy or binding; `excluded` lists exceptions. */
interface Selection {
  readonly included: Webhook;
  readonly excluded: Webhook | undefined;
}

export interface Binding {
  readonly name: string;
  /** The actions of the binding; validating policies only. */
  readonly actions: readonly string[];
  readonly selection: Selection | undefined;
  readonly paramRef: JsonObject | undefined;
}

export interface Policy {
  readonly name: string;
  readonly spec: JsonObject;
  readonly ignoresFailure: boolean;
  readonly bindings: readonly Binding[];
  readonly expressions: PolicyExpressions;
  readonly selection: Selection;
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
}

const compiled = new WeakMap<object, PolicyExpressions>();

/** Returns the policies with their bindings, by name. */
export function policiesOf(policies: readonly KubeObject[], bindings: readonly KubeObject[]): readonly Policy[] {
  if (policies.length === 0 || bindings.length === 0) return [];
  return policies.flatMap((stored): readonly Policy[] => {
    const spec = mapOf(stored['spec']);
    const name = stored.metadata.name ?? '';
    const bound = bindings.filter((one) => mapOf(one['spec'])['policyName'] === name);
    if (bound.length === 0) return [];
    const kind = spec['paramKind'];
    let expressions = compiled.get(spec);
    if (expressions === undefined)
      compiled.set(spec, (expressions = new PolicyExpressions(mapsOf(spec['variables']), isMap(kind))));
    return [
      {
        name,
        spec,
        ignoresFailure: spec['failurePolicy'] === 'Ignore',
        bindings: bound.map(bindingOf),
        expressions,
        selection: selectionOf(name, mapOf(spec['matchConstraints'])),
        paramKind: isMap(kind) ? { apiVersion: textOf(kind['apiVersion']), kind: textOf(kind['kind']) } : undefined,
      },
    ];
  });
}

function bindingOf(stored: KubeObject): Binding {
  const spec = mapOf(stored['spec']);
  const name = stored.metadata.name ?? '';
  const { matchResources, paramRef } = spec;
  return {
    name,
    actions: textsOf(spec['validationActions']),
    selection: isMap(matchResources) ? selectionOf(name, matchResources) : undefined,
    paramRef: isMap(paramRef) ? paramRef : undefined,
  };
}

const EVERYTHING: readonly JsonObject[] = [
  { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*', '*/*'] },
];

function selectionOf(name: string, resources: JsonObject): Selection {
  const { resourceRules, excludeResourceRules, matchPolicy } = resources;
  const rules = mapsOf(resourceRules);
  const excluded = mapsOf(excludeResourceRules);
  return {
    included: webhookOf(name, { ...resources, rules: rules.length > 0 ? rules : EVERYTHING }),
    excluded:
      excluded.length === 0
        ? undefined
        : webhookOf(name, { rules: excluded, ...(matchPolicy === undefined ? {} : { matchPolicy }) }),
  };
}

/** Returns the version in which a policy receives the request; undefined when it does not match. */
function selected(
  kernel: ServerState,
  call: Call,
  what: Admitting,
  { included, excluded }: Selection,
): ServedVersion | Refusal | undefined {
  if (excluded !== undefined && invocationOf(kernel, call, what, excluded) !== undefined) return undefined;
  const invocation = invocationOf(kernel, call, what, included);
  return invocation === undefined || invocation instanceof Refusal ? invocation : invocation.version;
}

/** The evaluations of one policy with one binding. */
export interface PolicyMatch {
  readonly policy: Policy;
  readonly binding: Binding;
  readonly version: ServedVersion;
  /** The parameter objects. The policy is evaluated once for each; undefined means without parameters. */
  readonly params: readonly (KubeObject | undefined)[];
}

/** A configuration error of a policy or one of its bindings. */
export interface PolicyProblem {
  readonly policy: Policy;
  readonly binding: Binding | undefined;
  readonly message: string;
}

/** Returns the evaluations for the request, and configuration errors, in order. */
export function matchesOf(
  kernel: ServerState,
  call: Call,
  what: Admitting,
  policies: readonly Policy[],
): readonly (PolicyMatch | PolicyProblem)[] {
  const found: (PolicyMatch | PolicyProblem)[] = [];
  const problem = (policy: Policy, binding: Binding | undefined, why: string): void => {
    const configured = binding === undefined ? 'policy' : 'binding';
    found.push({ policy, binding, message: `failed to configure ${configured}: ${why}` });
  };
  for (const policy of policies) {
    const version = selected(kernel, call, what, policy.selection);
    if (version === undefined) continue;
    if (version instanceof Refusal) {
      problem(policy, undefined, messageOf(version));
      continue;
    }
    const { paramKind } = policy;
    if (paramKind !== undefined && kernel.registry.byKind(paramKind.apiVersion, paramKind.kind) === undefined) {
      const { group, version: name } = parseApiVersion(paramKind.apiVersion);
      const gvk = `${group}/${name}, Kind=${paramKind.kind}`;
      problem(policy, undefined, `failed to find resource referenced by paramKind: '${gvk}'`);
      continue;
    }
    for (const binding of policy.bindings) {
      const bound = binding.selection === undefined ? version : selected(kernel, call, what, binding.selection);
      if (bound === undefined) continue;
      const params = bound instanceof Refusal ? messageOf(bound) : paramsOf(kernel, policy, binding, what.namespace);
      if (typeof params === 'string') problem(policy, binding, params);
      else if (params.length > 0) found.push({ policy, binding, version, params });
    }
  }
  return found;
}

const NO_PARAMS: readonly undefined[] = [undefined];

/** Returns the parameters of a binding, or why there are none. */
function paramsOf(
  kernel: ServerState,
  { paramKind }: Policy,
  { paramRef }: Binding,
  requestNamespace: string,
): readonly (KubeObject | undefined)[] | string {
  if (paramKind === undefined || paramRef === undefined) return NO_PARAMS;
  const known = kernel.registry.byKind(paramKind.apiVersion, paramKind.kind);
  if (known === undefined) return [];
  const [definition, version] = known;
  const own = textOf(paramRef['namespace']);
  if (definition.namespaced && own === '' && requestNamespace === '')
    return 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources';
  if (!definition.namespaced && own !== '')
    return 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`';
  const namespace = definition.namespaced ? own || requestNamespace : '';
  const name = textOf(paramRef['name']);
  let found: readonly KubeObject[] = [];
  if (name !== '') {
    const one = kernel.store.get(definition.gr, rowKey(namespace, name));
    if (one !== undefined) found = [one];
  } else if (isMap(paramRef['selector'])) {
    const matcher = parseLabelSelector(selectorText(paramRef['selector']));
    if (typeof matcher === 'string') return matcher;
    const all = definition.namespaced ? kernel.store.list(definition.gr, namespace) : kernel.store.list(definition.gr);
    found = all.filter((one) => labelsMatch(matcher, one));
  }
  if (found.length === 0 && paramRef['parameterNotFoundAction'] === 'Deny')
    return 'no params found for policy binding with `Deny` parameterNotFoundAction';
  return found.map((one) => version.fromStorage(one));
}

/** Reports whether all conditions are true; returns an error when evaluation fails and the failure policy is Fail. */
export function policyConditionsMet({ spec, expressions, ignoresFailure }: Policy, values: Values): boolean | string {
  const errors: string[] = [];
  for (const condition of mapsOf(spec['matchConditions'])) {
    const result = expressions.evaluate(textOf(condition['expression']), values);
    if ('error' in result) errors.push(result.error);
    else if (result.value === false) return false;
  }
  if (errors.length === 0) return true;
  if (ignoresFailure) return false;
  return aggregated(errors);
}

/** Returns the value of `namespaceObject` in expressions; undefined for Namespace objects, which are not in a namespace. */
export function namespaceOf(kernel: ServerState, call: Call, what: Admitting): KubeObject | undefined {
  if (what.namespace === '' || call.route.definition.gr === 'namespaces') return undefined;
  return kernel.store.get('namespaces', rowKey('', what.namespace));
}

export function messageOf(refusal: Refusal): string {
  return textOf(valueAt(refusal.body, ['message']));
}
