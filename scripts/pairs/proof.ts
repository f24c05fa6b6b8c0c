/** Whether a reported finding is about a planted bug. Pure. */
import type { PlantedBug, Proof } from '../../controllers-under-test/pairs/pairs.ts';
import type { Finding } from '../../harness/model/finding.ts';

/**
 * Judges the violation that a finding is about, not further symptoms that it lists: what a user sees only in small print below another bug
 * is not reported.
 */
export function proves(finding: Pick<Finding, 'violation' | 'record'>, { provedBy }: PlantedBug): boolean {
  return provedBy.some((proof) => isAbout(finding, proof));
}

function isAbout({ violation, record }: Pick<Finding, 'violation' | 'record'>, proof: Proof): boolean {
  const { property, kind, field } = violation.signature;
  if (property !== proof.property || kind !== proof.resource || !field.startsWith(proof.field ?? '')) return false;
  if (proof.request === undefined) return true;
  const guilty = record.operations.find(({ id }) => id === violation.operations[0]);
  if (guilty === undefined) return false;
  const { verb, resource, subresource } = guilty;
  return proof.request === `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}`;
}
