/** Validates required and preferred node affinity (`ValidateNodeSelector` of k8s.io/kubernetes `pkg/apis/core/validation`). */
import type { JsonObject } from '../../../objects/object.ts';
import { listOf, mapOf, mapsOf, shown, textOf, type Problems } from './problems.ts';

export function validateWeight({ weight }: JsonObject, path: string, found: Problems): void {
  if (typeof weight !== 'number' || weight <= 0 || weight > 100)
    found.invalid(`${path}.weight`, weight ?? 0, 'must be in the range 1-100');
}

export function validateNodeAffinity(terms: JsonObject, path: string, found: Problems): void {
  const required = terms['requiredDuringSchedulingIgnoredDuringExecution'] ?? undefined;
  if (required !== undefined) {
    const at = `${path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
    const alternatives = mapsOf(mapOf(required)['nodeSelectorTerms']);
    if (alternatives.length === 0) found.required(at, 'must have at least one node selector term');
    for (const [index, term] of alternatives.entries()) validateNodeTerm(term, `${at}[${index}]`, found);
  }
  for (const [index, weighted] of mapsOf(terms['preferredDuringSchedulingIgnoredDuringExecution']).entries()) {
    const at = `${path}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
    validateWeight(weighted, at, found);
    validateNodeTerm(mapOf(weighted['preference']), `${at}.preference`, found);
  }
}

function validateNodeTerm(term: JsonObject, path: string, found: Problems): void {
  for (const [index, requirement] of mapsOf(term['matchExpressions']).entries())
    found.requirement(`${path}.matchExpressions[${index}]`, requirement, true);
  for (const [index, requirement] of mapsOf(term['matchFields']).entries())
    validateNodeField(requirement, `${path}.matchFields[${index}]`, found);
}

/** Validates a requirement on a node field, which may only be metadata.name. */
function validateNodeField(requirement: JsonObject, path: string, found: Problems): void {
  const { operator } = requirement;
  const values = listOf(requirement['values']);
  const key = textOf(requirement['key']);
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length !== 1)
      found.required(
        `${path}.values`,
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      );
  } else found.invalid(`${path}.operator`, operator ?? '', 'not a valid selector operator');
  if (key !== 'metadata.name') {
    found.invalid(`${path}.key`, key, 'not a valid field selector key');
    return;
  }
  for (const [place, value] of values.entries()) found.dnsSubdomain(`${path}.values[${place}]`, shown(value));
}
