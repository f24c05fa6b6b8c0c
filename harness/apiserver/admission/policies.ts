/**
 * ValidatingAdmissionPolicy: rules in CEL that need no webhook.
 *
 * Owns: policies and their bindings, the variables of their expressions, denials and warnings. Mirrors k8s.io/apiserver
 * `admission/plugin/policy/validating`. Parameters, `authorizer`, `namespaceObject` and audit annotations are not evaluated: a policy
 * with parameters fails as its failure policy says. Start at {@link Policies.validate}.
 */
import { isMap, mapOf, mapsOf, textOf, textsOf } from '../../model/json.ts';
import type { JsonObject, KubeObject } from '../../model/object.ts';
import { compileExpression, type Expression, type NotCompiled } from '../cel/environment.ts';
import { toDynamic } from '../cel/shapes.ts';
import type { Call, Kernel } from '../kernel.ts';
import { detailsOf, Refusal, refuse } from '../refusal.ts';
import type { Store } from '../store.ts';
import type { StatusReason } from '../../wire/status.ts';
import { conditionsMet } from './conditions.ts';
import { invocationOf, type Admitting } from './match.ts';
import { requestOf } from './review.ts';
import { webhookOf, type Webhook } from './webhook.ts';

const GROUP = 'admissionregistration.k8s.io';
const POLICIES = `validatingadmissionpolicies.${GROUP}`;
const BINDINGS = `validatingadmissionpolicybindings.${GROUP}`;

interface Bound {
  readonly name: string;
  readonly actions: readonly string[];
  /** Where the binding narrows the policy. */
  readonly match: Webhook | undefined;
}

interface Policy {
  readonly name: string;
  readonly match: Webhook;
  readonly takesParameters: boolean;
  readonly variables: readonly JsonObject[];
  readonly validations: readonly JsonObject[];
  readonly bindings: readonly Bound[];
}

/** What one validation says against a request. */
interface Denial {
  readonly message: string;
  readonly reason: string;
}

const CODES: { readonly [reason: string]: number } = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413 };

export class Policies {
  readonly #store: Store;
  #policies: readonly Policy[] | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  get present(): boolean {
    return this.#all().length > 0;
  }

  /** Policies or bindings may have changed. `resource`: which resource did; absent when everything may have. */
  changed(resource?: string): void {
    if (resource === undefined || resource === POLICIES || resource === BINDINGS) this.#policies = undefined;
  }

  /** A refusal when a policy denies the request; its warnings go to the call. */
  validate(kernel: Kernel, call: Call, what: Admitting): Refusal | undefined {
    let refusal: Refusal | undefined;
    for (const policy of this.#all()) {
      const invocation = invocationOf(kernel, call, what, policy.match);
      if (invocation instanceof Refusal) return invocation;
      if (invocation === undefined) continue;
      const request = requestOf(call, what, invocation.version);
      const bindings = policy.bindings.filter(
        ({ match }) => match === undefined || invocationOf(kernel, call, what, match) !== undefined,
      );
      if (bindings.length === 0) continue;
      const met = conditionsMet(call, what, request, policy.match);
      if (met === false) continue;
      const denials =
        met instanceof Refusal ? [{ message: conditionProblem(met), reason: '' }] : judge(policy, what, request);
      for (const binding of bindings)
        for (const denial of denials) {
          const by = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
          if (binding.actions.includes('Warn')) call.warnings.push(`Validation failed for ${by}: ${denial.message}`);
          if (binding.actions.includes('Deny'))
            refusal ??= deniedBy(call, what, `${by} denied request: ${denial.message}`, denial.reason);
        }
    }
    return refusal;
  }

  #all(): readonly Policy[] {
    return (this.#policies ??= policiesOf(this.#store.list(POLICIES), this.#store.list(BINDINGS)));
  }
}

function policiesOf(policies: readonly KubeObject[], bindings: readonly KubeObject[]): readonly Policy[] {
  if (policies.length === 0 || bindings.length === 0) return [];
  return policies.flatMap((stored): readonly Policy[] => {
    const spec = mapOf(stored['spec']);
    const name = stored.metadata.name ?? '';
    const bound = bindings.filter((one) => mapOf(one['spec'])['policyName'] === name);
    if (bound.length === 0) return [];
    const constraints = mapOf(spec['matchConstraints']);
    return [
      {
        name,
        match: webhookOf(name, {
          ...constraints,
          rules: constraints['resourceRules'] ?? [],
          failurePolicy: spec['failurePolicy'] ?? 'Fail',
          matchConditions: spec['matchConditions'] ?? [],
        }),
        takesParameters: isMap(spec['paramKind']),
        variables: mapsOf(spec['variables']),
        validations: mapsOf(spec['validations']),
        bindings: bound.map(bindingOf),
      },
    ];
  });
}

function bindingOf(stored: KubeObject): Bound {
  const spec = mapOf(stored['spec']);
  const resources = spec['matchResources'];
  return {
    name: stored.metadata.name ?? '',
    actions: textsOf(spec['validationActions']),
    match: isMap(resources)
      ? webhookOf(stored.metadata.name ?? '', { ...resources, rules: resources['resourceRules'] ?? EVERYTHING })
      : undefined,
  };
}

const EVERYTHING: readonly JsonObject[] = [
  { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*', '*/*'] },
];

const NAMES = { object: 'dyn', oldObject: 'dyn', request: 'dyn', variables: 'dyn' };
const compiled = new Map<string, Expression | NotCompiled>();
const COMPILED_MAX = 1_000;

function evaluate(
  source: string,
  values: { readonly [name: string]: unknown },
): { readonly value: unknown } | { readonly error: string } {
  let expression = compiled.get(source);
  if (expression === undefined) {
    if (compiled.size >= COMPILED_MAX) compiled.clear();
    compiled.set(source, (expression = compileExpression(source, NAMES)));
  }
  if (expression.outcome === 'refused') return { error: `compilation error: ${expression.message}` };
  const result = expression.evaluate(values);
  if (result.outcome === 'value') return { value: result.value };
  return { error: `expression '${source}' resulted in error: ${result.message}` };
}

function judge(policy: Policy, what: Admitting, request: JsonObject): readonly Denial[] {
  const failed = (message: string): readonly Denial[] => (policy.match.ignoresFailure ? [] : [{ message, reason: '' }]);
  if (policy.takesParameters) return failed('failed to configure binding: parameters are not evaluated');
  const { object: _, oldObject: __, ...asked } = request;
  const variables = new Map<string, unknown>();
  const values = {
    object: toDynamic(what.object ?? null),
    oldObject: toDynamic(what.old ?? null),
    request: toDynamic(asked),
    variables,
  };
  for (const variable of policy.variables) {
    const result = evaluate(textOf(variable['expression']), values);
    // Who reads it finds it missing; who does not is not disturbed.
    if ('value' in result) variables.set(textOf(variable['name']), result.value);
  }
  return policy.validations.flatMap((validation): readonly Denial[] => {
    const source = textOf(validation['expression']);
    const result = evaluate(source, values);
    if ('error' in result) return failed(result.error);
    if (result.value === true) return [];
    const told = textOf(validation['messageExpression']);
    const worded = told === '' ? undefined : evaluate(told, values);
    const dynamic =
      worded !== undefined && 'value' in worded && typeof worded.value === 'string' ? worded.value.trim() : '';
    const message = dynamic || textOf(validation['message']) || `failed expression: ${source}`;
    return [{ message, reason: textOf(validation['reason']) }];
  });
}

function conditionProblem(refusal: Refusal): string {
  const { message } = refusal.body as { readonly message?: string };
  return (message ?? '').replace(/^.* is forbidden: /, '');
}

function deniedBy(call: Call, what: Admitting, message: string, reason: string): Refusal {
  const { definition } = call.route;
  const name = what.name === '' ? nameOf(what) : what.name;
  const subject = name === '' ? definition.gr : `${definition.gr} ${JSON.stringify(name)}`;
  return refuse(
    CODES[reason] ?? 422,
    (reason === '' ? 'Invalid' : reason) as StatusReason,
    `${subject} is forbidden: ${message}`,
    detailsOf(definition, name, { causes: [{ message } as never] }),
  );
}

function nameOf({ object, old }: Admitting): string {
  return textOf(mapOf((object ?? old)?.['metadata'])['name']);
}
