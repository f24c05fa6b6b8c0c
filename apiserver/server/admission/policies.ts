/**
 * ValidatingAdmissionPolicy: validation rules in CEL.
 *
 * Owns: the list of policies, decisions of validating ones, denials and warnings. Mirrors k8s.io/apiserver
 * `admission/plugin/policy/validating`. Audit annotations are only evaluated for their errors; there is no audit log. Does not own:
 * matching (`policy-definitions.ts`), mutations (`mutating-policies.ts`). Start at {@link Policies.validate}.
 */
import { mapOf, mapsOf, textOf } from '../../objects/json.ts';
import type { JsonObject } from '../../objects/object.ts';
import type { StatusReason } from '../../wire/status.ts';
import type { ServerState } from '../server-state.ts';
import type { Call } from '../call.ts';
import { detailsOf, refuse, type Refusal } from '../refusal.ts';
import type { Store } from '../store.ts';
import { inVersion, type Admitting } from './match.ts';
import { matchesOf, namespaceOf, policiesOf, policyConditionsMet, type Policy } from './policy-definitions.ts';
import type { Values } from './policy-expressions.ts';
import { requestOf } from './review.ts';

const GROUP = 'admissionregistration.k8s.io';
const VALIDATING = [`validatingadmissionpolicies.${GROUP}`, `validatingadmissionpolicybindings.${GROUP}`] as const;
const MUTATING = [`mutatingadmissionpolicies.${GROUP}`, `mutatingadmissionpolicybindings.${GROUP}`] as const;

/** A failed validation. */
interface Denial {
  readonly message: string;
  readonly reason: string;
  /** True for a failed evaluation, which denies the request whatever the actions of the binding are. */
  readonly always?: true;
}

const CODES: { readonly [reason: string]: number } = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413 };

export class Policies {
  readonly #store: Store;
  #validating: readonly Policy[] | undefined;
  #mutating: readonly Policy[] | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  get present(): boolean {
    return this.validating.length > 0 || this.mutating.length > 0;
  }

  get validating(): readonly Policy[] {
    return (this.#validating ??= this.#read(VALIDATING));
  }

  get mutating(): readonly Policy[] {
    return (this.#mutating ??= this.#read(MUTATING));
  }

  /**
   * Invalidates the parsed policies after a change of policies or bindings. `resource`: the changed resource; absent if any may have
   * changed.
   */
  changed(resource?: string): void {
    if (resource === undefined || VALIDATING.some((one) => one === resource)) this.#validating = undefined;
    if (resource === undefined || MUTATING.some((one) => one === resource)) this.#mutating = undefined;
  }

  /** Returns a refusal when a policy denies the request; adds its warnings to the call. */
  validate(kernel: ServerState, call: Call, what: Admitting): Refusal | undefined {
    if (this.validating.length === 0) return undefined;
    let refusal: Refusal | undefined;
    for (const match of matchesOf(kernel, call, what, this.validating)) {
      const { policy, binding } = match;
      const by = byWhom(policy.name, binding?.name);
      if ('message' in match) {
        if (!policy.ignoresFailure) refusal ??= deniedBy(call, what, `${by} denied request: ${match.message}`, '');
        continue;
      }
      const shown = inVersion(call, what, match.version);
      const request = requestOf(call, shown, match.version);
      const namespace = namespaceOf(kernel, call, what);
      for (const params of match.params) {
        const values = policy.expressions.values(kernel, call, { what: shown, request, namespace, params });
        for (const { message, reason, always } of denialsOf(policy, values)) {
          if (always !== true && match.binding.actions.includes('Warn'))
            call.warnings.push(`Validation failed for ${by}: ${message}`);
          if (always === true || match.binding.actions.includes('Deny'))
            refusal ??= deniedBy(call, what, `${by} denied request: ${message}`, reason);
        }
      }
    }
    return refusal;
  }

  #read([policies, bindings]: readonly [string, string]): readonly Policy[] {
    return policiesOf(this.#store.list(policies), this.#store.list(bindings));
  }
}

function byWhom(policy: string, binding: string | undefined): string {
  const bound = binding === undefined ? '' : ` with binding '${binding}'`;
  return `ValidatingAdmissionPolicy '${policy}'${bound}`;
}

function denialsOf(policy: Policy, values: Values): readonly Denial[] {
  const { spec, expressions, ignoresFailure } = policy;
  const failed = (message: string): readonly Denial[] => (ignoresFailure ? [] : [{ message, reason: '' }]);
  const met = policyConditionsMet(policy, values);
  if (typeof met === 'string') return failed(met);
  if (!met) return [];
  const denials = mapsOf(spec['validations']).flatMap((validation): readonly Denial[] => {
    const result = expressions.evaluate(textOf(validation['expression']), values);
    if ('error' in result) return failed(result.error);
    return result.value === true
      ? []
      : [{ message: denialText(policy, validation, values), reason: textOf(validation['reason']) }];
  });
  const annotations = mapsOf(spec['auditAnnotations']).flatMap((annotation): readonly Denial[] => {
    const result = expressions.evaluate(textOf(annotation['valueExpression']), values, false);
    return 'error' in result && !ignoresFailure ? [{ message: result.error, reason: '', always: true }] : [];
  });
  return [...denials, ...annotations];
}

/** The maximum length of the result of a message expression; longer results are ignored. */
const MESSAGE_BYTES_MAX = 5 * 1024;

function denialText({ expressions }: Policy, validation: JsonObject, values: Values): string {
  const source = textOf(validation['messageExpression']);
  const text = source === '' ? undefined : expressions.evaluate(source, values, false);
  if (text !== undefined && 'value' in text && typeof text.value === 'string') {
    const message = text.value.trim();
    const fits = !message.includes('\n') && new TextEncoder().encode(message).length <= MESSAGE_BYTES_MAX;
    if (message !== '' && fits) return message;
  }
  return textOf(validation['message']).trim() || `failed expression: ${textOf(validation['expression']).trim()}`;
}

function deniedBy(call: Call, what: Admitting, message: string, reason: string): Refusal {
  const { definition } = call.route;
  const name = what.name === '' ? textOf(mapOf((what.object ?? what.old)?.['metadata'])['name']) : what.name;
  const subject = name === '' ? definition.gr : `${definition.gr} ${JSON.stringify(name)}`;
  return refuse(
    CODES[reason] ?? 422,
    (reason === '' ? 'Invalid' : reason) as StatusReason,
    `${subject} is forbidden: ${message}`,
    detailsOf(definition, name, { causes: [{ message }] }),
  );
}
