/**
 * Groups under `k8s.io` and `kubernetes.io` are protected: a definition in such a group needs an approval annotation.
 *
 * Mirrors apiextensions-apiserver `apihelpers/helpers.go` and `controller/apiapproval`.
 */
import { mapOf, textOf } from '../../objects/json.ts';
import type { KubeObject } from '../../objects/object.ts';
import { fieldInvalid, fieldRequired, type FieldError } from '../refusal.ts';
import type { Condition } from './status.ts';

const APPROVED = 'api-approved.kubernetes.io';
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';

type State = 'missing' | 'approved' | 'bypassed' | 'invalid';

interface Approval {
  readonly state: State;
  readonly message: string;
}

function isProtected(crd: KubeObject): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(textOf(mapOf(crd['spec'])['group']));
}

function annotation(crd: KubeObject): string {
  return crd.metadata.annotations?.[APPROVED] ?? '';
}

function approvalOf(crd: KubeObject): Approval {
  const value = annotation(crd);
  const wanted = `protected groups must have approval annotation "${APPROVED}"`;
  if (value === '') return { state: 'missing', message: `${wanted}, ${SEE}` };
  if (value.startsWith('unapproved')) return { state: 'bypassed', message: `not approved: ${JSON.stringify(value)}` };
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/\s]+/.test(value)) return { state: 'approved', message: `approved in ${value}` };
  return { state: 'invalid', message: `${wanted} with either a URL or a reason starting with "unapproved", ${SEE}` };
}

/** Appends an error when a definition is in a protected group without approval, unless the stored definition already was. */
export function validateApproval(crd: KubeObject, old: KubeObject | undefined, errors: FieldError[]): void {
  if (!isProtected(crd)) return;
  const { state, message } = approvalOf(crd);
  if (old !== undefined && approvalOf(old).state === state) return;
  const field = `metadata.annotations[${APPROVED}]`;
  if (state === 'missing') errors.push(fieldRequired(field, message));
  if (state === 'invalid') errors.push(fieldInvalid(field, annotation(crd), message));
}

const REASONS: { readonly [state in State]: string } = {
  missing: 'MissingAnnotation',
  approved: 'ApprovedAnnotation',
  bypassed: 'UnapprovedAnnotation',
  invalid: 'InvalidAnnotation',
};

/** Returns the condition `KubernetesAPIApprovalPolicyConformant`; undefined for unprotected groups. */
export function approvalCondition(
  crd: KubeObject,
): Pick<Condition, 'type' | 'status' | 'reason' | 'message'> | undefined {
  if (!isProtected(crd)) return undefined;
  const { state, message } = approvalOf(crd);
  return {
    type: 'KubernetesAPIApprovalPolicyConformant',
    status: state === 'approved' ? 'True' : 'False',
    reason: REASONS[state],
    message,
  };
}
